// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/columns.h"
#include "read/guests.h"
#include "sums.h"
#include "util.h"

/* ---- the columns that matter most ---- */

/* /proc and the cgroups have the first ones, in percent of a CPU, and in MiB. */
enum {
	COLUMN_CPU,		/* of all threads */
	COLUMN_WAITING,		/* of vCPUs for a CPU */
	COLUMN_THROTTLED,	/* of vCPUs, by limits of cgroups */
	COLUMN_MEMORY,
	COLUMN_MAJOR_FAULTS,
	COLUMN_EXITS,
};

static const struct {
	const char *name;
	const char *heading;
	bool is_rate;
	const char *stat[5];	/* that are added up: each architecture has other names for them */
} default_columns[] = {
	[COLUMN_CPU] = { "cpu_percent", "CPU%", true, { NULL } },
	[COLUMN_WAITING] = { "waiting_percent", "WAIT%", true, { NULL } },
	[COLUMN_THROTTLED] = { "throttled_percent", "THROT%", true, { NULL } },
	[COLUMN_MEMORY] = { "memory_mib", "MEM-MIB", false, { NULL } },
	[COLUMN_MAJOR_FAULTS] = { "major_faults", "MAJFLT/S", true, { NULL } },
	[COLUMN_EXITS] = { "exits", "EXITS/S", true, { "exits", "sum_exits" } },
	{ "io_exits", "IO/S", true,
	  { "io_exits", "mmio_exits", "mmio_exit_user", "mmio_exit_kernel" } },
	{ "page_faults", "FAULTS/S", true, { "pf_taken", "pf_storage" } },
	{ "halts", "HALTS/S", true, { "halt_exits", "wfi_exit_stat", "exit_wait_state" } },
};

static bool make_default(struct columns *columns)
{
	size_t i;

	if (columns->column)
		return true;
	columns->column = calloc(ARRAY_SIZE(default_columns), sizeof(*columns->column));
	if (!columns->column)
		return false;
	columns->columns = ARRAY_SIZE(default_columns);
	for (i = 0; i < columns->columns; i++) {
		struct column *column = &columns->column[i];

		strcpy(column->name, default_columns[i].name);
		strcpy(column->heading, default_columns[i].heading);
		column->is_rate = default_columns[i].is_rate;
	}
	return true;
}

static void set_default(struct column *column, const struct process *process)
{
	struct cpu_use vcpus = process_group_use(process, THREAD_VCPU);
	/* Of another host's process, only the threads of vCPUs are known. */
	struct cpu_use all = process->has_now ? process_use(process) : vcpus;
	struct row row;

	if (all.guest >= 0)
		column[COLUMN_CPU].value = all.guest + all.user + all.kernel;
	if (vcpus.waiting >= 0)
		column[COLUMN_WAITING].value = vcpus.waiting;
	if (vcpus.throttled >= 0)
		column[COLUMN_THROTTLED].value = vcpus.throttled;
	guest_row_get(&row, process, GUEST_MEMORY_BYTES);
	if (row.values)
		column[COLUMN_MEMORY].value = (double)row.value / 1048576;
	guest_row_get(&row, process, GUEST_FAULTS);
	if (row.known)
		column[COLUMN_MAJOR_FAULTS].value = row.rate;
}

/* Returns the column to which the statistic is added, or NULL. */
static struct column *default_column(const struct columns *columns, const char *stat)
{
	size_t i;

	for (i = COLUMN_EXITS; i < columns->columns; i++) {
		if (is_one_of(stat, default_columns[i].stat))
			return &columns->column[i];
	}
	return NULL;
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

static bool add_column(struct columns *columns, const struct kvmstats_stat *stat)
{
	const char *name = kvmstats_stat_name(stat);
	struct column *more;

	if (find_column(columns, name))
		return true;
	more = reallocarray(columns->column, columns->columns + 1, sizeof(*more));
	if (!more)
		return false;
	columns->column = more;
	more += columns->columns++;
	*more = (struct column){ .is_rate = stat_counts_up(stat) };
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
			good &= add_column(columns, guest_stat(i));
	}
	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];

		for (j = 0; j < set->stats; j++) {
			if (has_column(set->stat[j]))
				good &= add_column(columns, set->stat[j]);
		}
	}
	return good;
}

bool columns_make(struct columns *columns, const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns->map); i++)
		columns->map[i].set = NULL;
	columns->sets = monitor->sets.sets;
	columns->selected = monitor->options.filter->has_regex;
	return columns->selected ? make_selected(columns, monitor) : make_default(columns);
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

static struct column *column_of(const struct columns *columns, const struct kvmstats_stat *stat)
{
	if (!has_column(stat))
		return NULL;
	/* The columns of CSV can be older than the statistic. */
	return columns->selected ? find_column(columns, kvmstats_stat_name(stat)) :
				   default_column(columns, kvmstats_stat_name(stat));
}

/* Finds the columns of a set by name: once, not for each VM or vCPU. */
static bool map_set(const struct columns *columns, struct column_map *map,
		    const struct stat_set *set)
{
	size_t i;

	free(map->column);
	map->set = NULL;
	map->column = calloc(set->stats + 1, sizeof(*map->column));
	if (!map->column)
		return false;
	for (i = 0; i < set->stats; i++)
		map->column[i] = column_of(columns, set->stat[i]);
	map->set = set;
	return true;
}

static bool add_target(struct columns *columns, const struct target *target)
{
	struct column_map *map = &columns->map[target->scope];
	struct row row;
	size_t i;

	if (map->set != target->set && !map_set(columns, map, target->set))
		return false;
	for (i = 0; i < target->set->stats; i++) {
		if (!map->column[i])
			continue;
		row_get(&row, target, target->set->stat[i]);
		add_value(columns, map->column[i], &row);
	}
	return true;
}

static void set_selected(struct columns *columns, const struct process *process)
{
	struct column *column;
	struct row row;
	int i;

	for (i = 0; i < GUEST_STATS; i++) {
		guest_row_get(&row, process, i);
		column = find_column(columns, kvmstats_stat_name(row.stat));
		if (column)
			add_value(columns, column, &row);
	}
}

bool columns_set(struct columns *columns, const struct vmm *vmm)
{
	bool good = true;
	size_t i;

	for (i = 0; i < columns->columns; i++)
		columns->column[i].value = NAN;
	if (columns->selected)
		set_selected(columns, &vmm->process);
	else
		set_default(columns->column, &vmm->process);
	for (i = 0; good && i < vmm->targets; i++)
		good = add_target(columns, vmm->target[i]);
	return good;
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns->map); i++)
		free(columns->map[i].column);
	free(columns->column);
	*columns = (struct columns){ 0 };
}
