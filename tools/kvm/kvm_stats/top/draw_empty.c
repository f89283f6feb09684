// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "messages/sources.h"
#include "top/draw_empty.h"
#include "top/terminal.h"

/* Draws @text, broken between words. Returns the row after it. */
static int draw_wrapped(int y, struct area area, const char *text)
{
	int width = area.columns - 1;

	while (*text && y < area.y + area.rows && width > 0) {
		size_t len = strcspn(text, "\n");
		char line[512];

		if (len > (size_t)width) {
			size_t space = (size_t)width;

			while (space && text[space] != ' ')
				space--;
			len = space ? space : (size_t)width;
		}
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		draw_text(y++, 1, width, 0, line);
		text += len;
		text += *text == ' ' || *text == '\n';
	}
	return y;
}

static void draw_no_vmm(const struct top *top, struct area area)
{
	const struct filter *filter = &top->options->filter;
	char text[512];
	int y = area.y;

	if (filter->guests)
		snprintf(text, sizeof(text),
			 "No guest named '%.200s'%s is running. Waiting for it to start.",
			 filter->guest[0],
			 filter->guests > 1 ? " (or one of the other names)" : "");
	else
		snprintf(text, sizeof(text), "No VM is running. Waiting for one to start.");
	y = draw_wrapped(y, area, text);
	if (!top->monitor->denied)
		return;
	snprintf(text, sizeof(text), "kvm-stats has no permission to inspect %zu process%s. Run as "
		 "root, or grant CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH.", top->monitor->denied,
		 top->monitor->denied == 1 ? "" : "es");
	draw_wrapped(y, area, text);
}

static void draw_no_statistics(const struct top *top, struct area area)
{
	const struct vmm *vmm = scope_vmm(&top->scope, top->monitor);
	char text[2048];
	int y;

	if (!vmm)
		vmm = top->monitor->vmm[0];
	explain_sources(vmm);
	y = draw_wrapped(area.y, area, terminal_errors(text, sizeof(text)));
	if (!top->scope.one_vmm && top->monitor->vmms > 1) {
		snprintf(text, sizeof(text), "The statistics of %zu more VMM%s cannot be read.",
			 top->monitor->vmms - 1, plural(top->monitor->vmms - 1));
		draw_wrapped(y, area, text);
	}
}

static bool matches_any(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->context.sets.sets; i++) {
		if (monitor->context.sets.set[i]->stats)
			return true;
	}
	return false;
}

void draw_empty_reason(const struct top *top, struct area area)
{
	const struct filter *filter = &top->options->filter;
	char text[512];

	if (!top->monitor->vmms) {
		draw_no_vmm(top, area);
		return;
	}
	if (!scope_has_targets(&top->scope, top->monitor)) {
		draw_no_statistics(top, area);
		return;
	}
	if (filter->has_regex && !matches_any(top->monitor))
		snprintf(text, sizeof(text), "No statistic's name matches '%.200s'. The expression "
			 "must match from the start of a name.", filter->pattern);
	else
		snprintf(text, sizeof(text), "No matching events reported yet");
	draw_wrapped(area.y, area, text);
}
