// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "top/draw.h"
#include "top/draw_meter.h"
#include "top/draw_meters.h"
#include "top/number.h"
#include "top/summary.h"

#define WIDEST_METER	60

/* ---- meters ---- */

static int draw_cpus(const struct top *top, int y, int x, int width)
{
	struct host_use use = host_use(&top->host);
	const struct meter_part parts[] = {
		{ use.guest, DRAW_GUEST, "|" },
		{ use.user, DRAW_USER, "|" },
		{ use.kernel, DRAW_KERNEL, "|" },
	};
	char text[NUMBER_SIZE + 2] = "-";

	if (use.guest >= 0) {
		number_percent(text, use.guest + use.user + use.kernel);
		strcat(text, "%");
	}
	return draw_meter(y, x, width, "CPU ", parts, ARRAY_SIZE(parts), text);
}

static int draw_memory(const struct top *top, int y, int x, int width)
{
	double used = (double)(top->host.memory - top->host.available);
	struct meter_part part = { 0, DRAW_GUEST, "|" };
	char text[2 * NUMBER_SIZE + 4], size[NUMBER_SIZE];

	if (top->host.memory)
		part.percent = 100 * used / (double)top->host.memory;
	number_bytes(text, used);
	number_bytes(size, (double)top->host.memory);
	strcat(text, "/");
	strcat(text, size);
	return draw_meter(y, x, width, "Mem ", &part, 1, text);
}

void draw_meters(const struct top *top, int y, int columns)
{
	int width = columns / 3 < WIDEST_METER ? columns / 3 : WIDEST_METER;
	char text[64];
	int x;

	x = draw_cpus(top, y, 0, width) + 2;
	x = draw_memory(top, y, x, width) + 2;
	snprintf(text, sizeof(text), "%u CPU%s, load %.1f", top->host.cpus,
		 plural(top->host.cpus), top->host.load);
	draw_text(y, x, columns - x, 0, text);
}

/* ---- the summary ---- */

static void put_counts(const struct top *top, char *buf, size_t size, const struct summary *summary)
{
	int len = snprintf(buf, size, "%zu guest%s, %zu VM%s, %zu vCPU%s", summary->guests,
			   plural(summary->guests), summary->vms, plural(summary->vms),
			   summary->vcpus, plural(summary->vcpus));

	if (top->host.cpus && summary->vcpus)
		snprintf(buf + len, size - (size_t)len, " (%.*f per CPU)",
			 summary->vcpus < 10 * top->host.cpus ? 1 : 0,
			 (double)summary->vcpus / top->host.cpus);
}

static int draw_problems(int y, int x, int columns, const struct summary *summary)
{
	char text[128];

	if (!summary_put_problems(text, sizeof(text), summary, ", "))
		return x;
	if (!summary->unreadable && !summary->missing)
		return x + draw_text(y, x, columns - x, draw_color(DRAW_HIGH), text);
	return x + draw_text(y, x, columns - x, A_BOLD | draw_color(DRAW_ERROR), text);
}

static void draw_denied(int y, int x, int columns, size_t denied)
{
	char text[128];

	if (!denied)
		return;
	snprintf(text, sizeof(text), "no permission to inspect %zu process%s", denied,
		 denied == 1 ? "" : "es");
	draw_text(y, x, columns - x, draw_color(DRAW_HIGH), text);
}

void draw_summary(const struct top *top, int y, int columns)
{
	struct summary summary = summary_of(top->monitor);
	const char *separator = top->utf8 ? " · " : ", ";
	char text[256];
	int x, len;

	put_counts(top, text, sizeof(text), &summary);
	x = draw_text(y, 0, columns, 0, text);
	x = draw_problems(y, x, columns, &summary);
	len = summary_put_sources(text, sizeof(text), &summary, separator);
	snprintf(text + len, sizeof(text) - (size_t)len, "%severy %g s", separator,
		 (double)top->options->interval / SECOND);
	x += draw_text(y, x, columns - x, 0, text) + 2;
	draw_denied(y, x, columns, top->monitor->denied);
}
