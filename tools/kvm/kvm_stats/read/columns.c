// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/columns.h"
#include "sums.h"
#include "util.h"

/* ---- the columns that matter most ---- */

static const struct {
	const char *name;
	const char *heading;
	bool is_rate;
} default_columns[GUEST_VALUES] = {
	[GUEST_CPU] = { "cpu_percent", "CPU%", true },
	[GUEST_WAITING] = { "waiting_percent", "WAIT%", true },
	[GUEST_THROTTLED] = { "throttled_percent", "THROT%", true },
	[GUEST_MEMORY] = { "memory_mib", "MEM-MIB", false },
	[GUEST_MAJOR_FAULTS] = { "major_faults", "MAJFLT/S", true },
	[GUEST_EXITS] = { "exits", "EXITS/S", true },
	[GUEST_IO_EXITS] = { "io_exits", "IO/S", true },
	[GUEST_PAGE_FAULTS] = { "page_faults", "FAULTS/S", true },
	[GUEST_HALTS] = { "halts", "HALTS/S", true },
};

static bool make_default(struct columns *columns)
{
	size_t i;

	if (columns->column)
		return true;
	columns->column = calloc(GUEST_VALUES, sizeof(*columns->column));
	if (!columns->column)
		return false;
	columns->columns = GUEST_VALUES;
	for (i = 0; i < GUEST_VALUES; i++) {
		struct column *column = &columns->column[i];

		snprintf(column->name, sizeof(column->name), "%s", default_columns[i].name);
		snprintf(column->heading, sizeof(column->heading), "%s",
			 default_columns[i].heading);
		column->is_rate = default_columns[i].is_rate;
	}
	return true;
}

/* ---- columns that -f selects ---- */

static int compare_names(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct column *find_column(const struct columns *columns, const char *name)
{
	struct column key;

	snprintf(key.name, sizeof(key.name), "%s", name);
	return columns->columns ? bsearch(&key, columns->column, columns->columns, sizeof(key),
					  compare_names) : NULL;
}

static bool add_column(struct columns *columns, const char *name, bool is_rate, int guest_stat)
{
	struct column *more;

	if (find_column(columns, name))
		return true;
	more = reallocarray(columns->column, columns->columns + 1, sizeof(*more));
	if (!more)
		return false;
	columns->column = more;
	more += columns->columns++;
	*more = (struct column){ .is_rate = is_rate, .guest_stat = guest_stat };
	snprintf(more->name, sizeof(more->name), "%s", name);
	snprintf(more->heading, sizeof(more->heading), "%s", name);
	qsort(columns->column, columns->columns, sizeof(*more), compare_names);
	return true;
}

static bool has_column(const struct kvmstats_stat *stat)
{
	return !kvmstats_stat_is_hist(stat) && kvmstats_stat_size(stat) == 1;
}

static bool make_selected(struct columns *columns, const struct monitor *monitor)
{
	bool good = true;
	size_t i, j;

	/* Before the first VM, only these are known. */
	for (i = 0; monitor->sets.sets && i < GUEST_STATS; i++) {
		if (guest_stat_is_selected(monitor->options.filter, i))
			good &= add_column(columns, guest_stat_name(i), guest_stat_counts_up(i),
					   (int)i);
	}
	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];

		for (j = 0; j < set->stats; j++) {
			if (has_column(set->stat[j]))
				good &= add_column(columns, kvmstats_stat_name(set->stat[j]),
						   stat_counts_up(set->stat[j]), -1);
		}
	}
	return good;
}

bool columns_make(struct columns *columns, const struct monitor *monitor)
{
	columns->sets = monitor->sets.sets;
	columns->selected = monitor->options.filter->has_regex;
	return columns->selected ? make_selected(columns, monitor) : make_default(columns);
}

bool columns_are_old(const struct columns *columns, const struct monitor *monitor)
{
	return columns->sets != monitor->sets.sets;
}

/* ---- values ---- */

static void add_value(struct columns *columns, struct column *column, const struct row *row)
{
	bool is_peak = kvmstats_stat_type(row->stat) == KVMSTATS_TYPE_PEAK;
	double value = column->is_rate ? row->rate : (double)row->value;

	if (row->cleared && !columns->resets++)
		columns->reset = column->name;
	if (!row->values || (column->is_rate && !row->known))
		return;
	if (isnan(column->value))
		column->value = value;
	else
		column->value = is_peak ? fmax(column->value, value) : column->value + value;
}

static void add_target(struct columns *columns, const struct target *target)
{
	size_t i;

	for (i = 0; i < target->set->stats; i++) {
		const struct kvmstats_stat *stat = target->set->stat[i];
		struct column *column;
		struct row row;

		if (!has_column(stat))
			continue;
		/* The columns of CSV can be older than the statistic. */
		column = find_column(columns, kvmstats_stat_name(stat));
		if (!column || column->guest_stat >= 0)
			continue;
		row_get(&row, target, stat);
		add_value(columns, column, &row);
	}
}

static void set_guest_stat(struct column *column, const struct guest *guest)
{
	const struct guest_row *row = &guest->row[column->guest_stat];

	if (column->is_rate && row->known)
		column->value = row->rate;
	else if (!column->is_rate && row->has_value)
		column->value = (double)row->value;
}

void columns_set(struct columns *columns, const struct vmm *vmm)
{
	struct guest guest;
	size_t i;

	guest_get(&guest, vmm, columns->selected ? NULL : columns->tallies);
	for (i = 0; i < columns->columns; i++) {
		struct column *column = &columns->column[i];

		column->value = columns->selected ? NAN : guest.value[i];
		if (columns->selected && column->guest_stat >= 0)
			set_guest_stat(column, &guest);
	}
	for (i = 0; columns->selected && i < vmm->targets; i++)
		add_target(columns, vmm->target[i]);
}

bool columns_are_zero(const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->columns; i++) {
		const struct column *column = &columns->column[i];

		if (column->is_rate && !isnan(column->value) && column->value != 0)
			return false;
	}
	return true;
}

void columns_free(struct columns *columns)
{
	free(columns->column);
	*columns = (struct columns){ 0 };
}
