// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "top/columns.h"
#include "top/number.h"

const struct column_type column_types[COLUMNS_OF_TABLE] = {
	[COLUMN_NAME] = {
		"name", 'N', "Guest", "Guest", 12, 16, 40, true, true, "name of the guest" },
	[COLUMN_PID] = {
		"pid", 'I', "PID", "PID", 7, 7, 0, false, true, "process ID of the VMM" },
	[COLUMN_VCPUS] = {
		"vcpus", 'V', "vCPU", "vCPUs", 4, 5, 0, false, false, "number of vCPUs" },
	[COLUMN_MISSING] = {
		"unread", 'R', "Unread", "Not readable", 6, 12, 0, false, false,
		"VMs and vCPUs whose statistics cannot be read" },
	[COLUMN_CPU] = {
		"cpu", 'P', "CPU%", "CPU %", 5, 6, 0, false, false,
		"use of CPUs by the process, 100 is one CPU" },
	[COLUMN_GUEST] = {
		"guest", 'G', "Guest%", "In guest %", 6, 10, 0, false, false,
		"time that vCPUs run the guest" },
	[COLUMN_KERNEL] = {
		"kernel", 'K', "Kern%", "In kernel %", 5, 11, 0, false, false,
		"time that vCPUs are in the kernel, mostly in KVM" },
	[COLUMN_USER] = {
		"vmm", 'U', "VMM%", "In VMM %", 5, 8, 0, false, false,
		"time that vCPUs are in the VMM, mostly emulating devices" },
	[COLUMN_HALTED] = {
		"halted", 'H', "Halt%", "Halted %", 5, 8, 0, false, false,
		"time that vCPUs neither run nor wait for a CPU" },
	[COLUMN_WAITING] = {
		"waiting", 'W', "Wait%", "Waiting for CPU %", 5, 17, 0, false, false,
		"time that vCPUs wait for a CPU" },
	[COLUMN_EXITS] = {
		"exits", 'E', "Exits/s", "VM exits/s", 8, 10, 0, false, false,
		"VM exits per second" },
	[COLUMN_HISTORY] = {
		"history", 0, "1 minute", "VM exits in the last minute", 10, 30, 60, true, false,
		"VM exits per second in the last minute" },
	[COLUMN_KINDS] = {
		"kinds", 0, "Top exits", "Most frequent exits per second", 22, 36, 56, true, false,
		"most frequent kinds of exits, per second" },
	[COLUMN_POLLS] = {
		"polls", 'L', "Poll%", "Successful polls %", 5, 18, 0, false, false,
		"halt polls that ended before the vCPU had to sleep" },
	[COLUMN_FAULTS] = {
		"faults", 'F', "Faults/s", "Page faults/s", 8, 13, 0, false, false,
		"page faults of the guest per second" },
	[COLUMN_MEMORY] = {
		"memory", 'M', "Memory", "Memory", 7, 8, 0, false, false,
		"resident memory of the process" },
};

/* ---- values ---- */

/* Returns the number in a column, negative if it is unknown. */
static double number_in(enum column_id id, const struct table_line *line)
{
	const struct figures *figures = &line->figures;

	switch (id) {
	case COLUMN_PID:
		return line->pid;
	case COLUMN_VCPUS:
		return (double)line->vcpus;
	case COLUMN_CPU:
		return figures->cpu;
	case COLUMN_GUEST:
		return figures->guest;
	case COLUMN_KERNEL:
		return figures->kernel;
	case COLUMN_USER:
		return figures->user;
	case COLUMN_HALTED:
		return figures->halted;
	case COLUMN_WAITING:
		return figures->waiting;
	case COLUMN_EXITS:
		return figures->exits;
	case COLUMN_POLLS:
		return figures->polls;
	case COLUMN_FAULTS:
		return figures->faults;
	case COLUMN_MEMORY:
		return figures->memory;
	case COLUMN_MISSING:
		return (double)line->missing;
	default:
		return -1;
	}
}

static void put_kinds(char *buf, const struct figures *figures, int width)
{
	int used = 0;
	size_t i;

	*buf = '\0';
	for (i = 0; i < FIGURES_KINDS && figures->kind[i].rate > 0; i++) {
		char rate[NUMBER_SIZE], text[EXIT_NAME_SIZE + NUMBER_SIZE + 8];
		int len;

		number_rate(rate, 5, figures->kind[i].rate);
		len = snprintf(text, sizeof(text), "%s%s %s", used ? ", " : "",
			       figures->kind[i].name, rate);
		if (used && (used + len > width || i >= 2))
			break;
		used += snprintf(buf + used, CELL_SIZE - (size_t)used, "%s", text);
	}
}

static void put_number(char *buf, enum column_id id, double number, int width)
{
	if (number < 0)
		snprintf(buf, NUMBER_SIZE, "-");
	else if (id == COLUMN_MEMORY)
		number_bytes(buf, number);
	else if (id == COLUMN_EXITS || id == COLUMN_FAULTS)
		number_rate(buf, width, number);
	else if (id == COLUMN_VCPUS || id == COLUMN_PID || id == COLUMN_MISSING)
		snprintf(buf, NUMBER_SIZE, "%.0f", number);
	else
		number_percent(buf, number);
}

/* Zeros that only say that a column does not apply are not shown. */
static bool is_blank(enum column_id id, const struct table_line *line)
{
	if (line->sum)
		return id == COLUMN_PID;
	return (id == COLUMN_PID && !line->pid) || (id == COLUMN_VCPUS && !line->vcpus) ||
	       (id == COLUMN_MISSING && !line->missing);
}

void column_format(char *buf, enum column_id id, const struct table_line *line, int width,
		   const struct column_context *context)
{
	*buf = '\0';
	if (id == COLUMN_NAME)
		snprintf(buf, CELL_SIZE, "%s", line->name);
	else if (id == COLUMN_HISTORY)
		history_draw(buf, CELL_SIZE, line->history, context->now, width, context->utf8);
	else if (id == COLUMN_KINDS)
		put_kinds(buf, &line->figures, width);
	else if (id == COLUMN_MISSING && line->lacks_only_vms)
		snprintf(buf, CELL_SIZE, "%s", width < 9 ? "VM" : "VM values");
	else if (!is_blank(id, line))
		put_number(buf, id, number_in(id, line), width);
}

int column_compare(enum column_id id, const struct table_line *a, const struct table_line *b)
{
	double x, y;

	if (id == COLUMN_NAME)
		return strverscmp(a->name, b->name);
	x = number_in(id, a);
	y = number_in(id, b);
	return (x > y) - (x < y);
}

/* ---- load ---- */

static enum column_load load_of(double value, double high, double critical)
{
	if (value >= critical)
		return LOAD_CRITICAL;
	return value >= high ? LOAD_HIGH : LOAD_NORMAL;
}

enum column_load column_load(enum column_id id, const struct table_line *line)
{
	if (id == COLUMN_CPU && line->vcpus && !line->sum)
		return load_of(line->figures.cpu / (double)line->vcpus, 60, 90);
	if (id == COLUMN_WAITING)
		return load_of(line->figures.waiting, 5, 20);
	if (id == COLUMN_MISSING)
		return line->lacks_only_vms ? LOAD_HIGH :
		       line->missing ? LOAD_CRITICAL : LOAD_NORMAL;
	return LOAD_NORMAL;
}

int column_of_key(int key)
{
	int id;

	for (id = 0; key && id < COLUMNS_OF_TABLE; id++) {
		if (column_types[id].key == key)
			return id;
	}
	return -1;
}

int column_of_option(const char *name, size_t len)
{
	int id;

	for (id = 0; id < COLUMNS_OF_TABLE; id++) {
		if (strlen(column_types[id].option) == len &&
		    !strncmp(column_types[id].option, name, len))
			return id;
	}
	return -1;
}
