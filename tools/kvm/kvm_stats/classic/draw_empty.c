// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "classic/draw_empty.h"
#include "messages/search.h"
#include "messages/sources.h"
#include "top/terminal.h"

static void draw_no_vmm(const struct classic *classic, struct area area)
{
	const struct filter *filter = &classic->options->filter;
	char text[512];
	int y = area.y;

	if (filter->guests)
		snprintf(text, sizeof(text),
			 "No guest named '%.200s'%s is running. Waiting for it to start.",
			 filter->guest[0],
			 filter->guests > 1 ? " (or one of the other names)" : "");
	else if (explain_no_kvm_yet(classic->monitor))
		terminal_errors(text, sizeof(text));
	else
		snprintf(text, sizeof(text), "No VM is running. Waiting for one to start.");
	y = draw_wrapped(y, area, text);
	if (classic->monitor->denied)
		draw_wrapped(y, area, denied_text(classic->monitor, text, sizeof(text)));
}

static void draw_no_statistics(const struct classic *classic, struct area area)
{
	const struct vmm *vmm = scope_vmm(&classic->scope, classic->monitor);
	char text[2048];
	int y;

	if (!vmm)
		vmm = classic->monitor->vmm[0];
	explain_sources(vmm);
	y = draw_wrapped(area.y, area, terminal_errors(text, sizeof(text)));
	if (!classic->scope.one_vmm && classic->monitor->vmms > 1) {
		snprintf(text, sizeof(text), "The statistics of %zu more VMM%s cannot be read.",
			 classic->monitor->vmms - 1, plural(classic->monitor->vmms - 1));
		draw_wrapped(y, area, text);
	}
}

void draw_empty_reason(const struct classic *classic, struct area area)
{
	const struct monitor *monitor = classic->monitor;
	char text[512];

	if (!monitor->vmms) {
		draw_no_vmm(classic, area);
	} else if (stat_sets_match_nothing(&monitor->context.sets)) {
		snprintf(text, sizeof(text), "No statistic's name matches '%.200s'. The expression "
			 "must match from the start of a name.", classic->options->filter.pattern);
		draw_wrapped(area.y, area, text);
	} else if (!scope_has_targets(&classic->scope, monitor)) {
		draw_no_statistics(classic, area);
	} else {
		draw_wrapped(area.y, area, "No matching events reported yet");
	}
}
