// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "top/draw.h"
#include "top/draw_meters.h"
#include "top/number.h"

#define WIDEST_METER	60

/* ---- meters ---- */

/* A part of a meter: of 100 percent, in its color. */
struct meter_part {
	double percent;
	enum draw_color color;
};

static void draw_parts(int y, int x, int width, const struct meter_part *part, size_t parts)
{
	double sum = 0;
	int from = 0;
	size_t i;

	for (i = 0; i < parts; i++) {
		int to;

		sum += part[i].percent > 0 ? part[i].percent : 0;
		to = (int)(sum / 100 * width + 0.5);
		for (; from < to && from < width; from++)
			draw_text(y, x + from, 1, draw_color(part[i].color) | A_BOLD, "|");
	}
}

/* Like the meters of htop: "CPU [|||||    37.5%]". Returns the cell after the meter. */
static int draw_meter(int y, int x, int width, const char *name, const struct meter_part *part,
		      size_t parts, const char *text)
{
	int inside = width - (int)strlen(name) - 2;

	if (inside < 2)
		return x;
	draw_text(y, x, width, A_BOLD, name);
	x += (int)strlen(name);
	draw_text(y, x, 1, A_BOLD, "[");
	draw_parts(y, x + 1, inside, part, parts);
	draw_right(y, x + 1, inside, 0, text);
	draw_text(y, x + 1 + inside, 1, A_BOLD, "]");
	return x + inside + 2;
}

static int draw_cpus(const struct top *top, int y, int x, int width)
{
	struct host_use use = host_use(&top->host);
	const struct meter_part parts[] = {
		{ use.guest, DRAW_GUEST },
		{ use.user, DRAW_USER },
		{ use.kernel, DRAW_KERNEL },
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
	struct meter_part part = { 0, DRAW_GUEST };
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

struct summary {
	size_t vms;
	size_t vcpus;
	size_t unreadable;	/* guests */
	unsigned int origins;
};

static struct summary summarize(const struct monitor *monitor)
{
	struct summary summary = { 0 };
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		summary.vms += vmm->vms;
		summary.vcpus += vmm->vcpus;
		summary.unreadable += !vmm->targets;
		for (j = 0; j < vmm->targets; j++)
			summary.origins |= 1u << vmm->target[j]->origin;
	}
	return summary;
}

static const struct {
	unsigned int origins;
	const char *name;
} sources[] = {
	{ 1u << ORIGIN_OPENED | 1u << ORIGIN_TAKEN, "statistics fds" },
	{ 1u << ORIGIN_DEBUGFS, "debugfs" },
	{ 1u << ORIGIN_TRACEPOINTS, "tracepoints" },
};

static int put_counts(const struct top *top, char *buf, size_t size, const struct summary *summary)
{
	size_t guests = top->monitor->vmms;
	int len = snprintf(buf, size, "%zu guest%s, %zu VM%s, %zu vCPU%s", guests, plural(guests),
			   summary->vms, plural(summary->vms), summary->vcpus,
			   plural(summary->vcpus));

	if (top->host.cpus && summary->vcpus)
		len += snprintf(buf + len, size - len, " (%.*f per CPU)",
				summary->vcpus < 10 * top->host.cpus ? 1 : 0,
				(double)summary->vcpus / top->host.cpus);
	return len;
}

static int draw_unreadable(int y, int x, int columns, size_t unreadable)
{
	char text[64];

	if (!unreadable)
		return x;
	snprintf(text, sizeof(text), "%zu cannot be read", unreadable);
	return x + draw_text(y, x, columns - x, A_BOLD | draw_color(DRAW_ERROR), text) + 2;
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
	struct summary summary = summarize(top->monitor);
	const char *separator = top->utf8 ? " · " : ", ";
	char text[256];
	int x, len = 0;
	size_t i;

	put_counts(top, text, sizeof(text), &summary);
	x = draw_text(y, 0, columns, 0, text) + 2;
	x = draw_unreadable(y, x, columns, summary.unreadable);
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (summary.origins & sources[i].origins)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", sources[i].name,
					separator);
	}
	snprintf(text + len, sizeof(text) - len, "every %g s",
		 (double)top->options->interval / SECOND);
	x += draw_text(y, x, columns - x, 0, text) + 2;
	draw_denied(y, x, columns, top->monitor->denied);
}
