/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics: what their names and types mean, and which of them the user selected. */
#ifndef STAT_H
#define STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter.h"
#include "kvmstats.h"

/* Whether the values of @stat only grow, so that differences are meaningful. */
bool stat_counts_up(const struct kvmstats_stat *stat);

/* Whether both have the same name, type, unit and number of values, wherever the values are. */
bool stat_is_like(const struct kvmstats_stat *a, const struct kvmstats_stat *b);

/* Returns the index of the first value of @stat in the block of values of a sample. */
size_t stat_index(const struct kvmstats_stat *stat);

/* Returns the unit of a raw value: 1e-9 for ns, 1024 for KiB. */
double stat_factor(const struct kvmstats_stat *stat);

/* Whether the statistic "exits" contains what this one counts: it is a class, such as exit_io. */
bool stat_is_in_exits(const char *name);

/*
 * A class of exits, which vCPUs have if the kernel has exit statistics. The classes differ between
 * architectures and kernels, so they are recognized by their names: a class X has the counter
 * exit_X and the time exit_X_ns.
 */
struct exit_class {
	const char *name;	/* part of the name of the statistic, not terminated */
	size_t length;
	bool is_time;		/* the statistic is the time of the class, not the counter */
	const struct kvmstats_stat *partner;	/* the time of the counter, or the reverse */
};

/* Returns whether @stat, a statistic of @schema, belongs to a class. Sets @class only then. */
bool exit_class_of(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat,
		   struct exit_class *class);

/* Whether @stat is an exit statistic: of a class, or one that exists only together with them. */
bool is_exit_stat(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat);

/* A schema of the library, and the statistics that the filter selects of it. */
struct stat_set {
	const struct kvmstats_schema *schema;
	const struct kvmstats_stat **stat;	/* selected ones, in the order of the schema */
	size_t stats;
	size_t values;		/* number of values of a sample, also of those not selected */
};

/*
 * Returns all values of @sample in one block, which stat_index() is an index of. Returns NULL if
 * the sample is empty, or NULL.
 */
const uint64_t *stat_set_values(const struct stat_set *set, const struct kvmstats_sample *sample);

/* All sets of a monitor. The pointers are valid until its end. */
struct stat_sets {
	struct stat_set **set;
	size_t sets;
	const struct filter *filter;
};

/* Finds or adds the set of @schema. Returns NULL if memory is exhausted. */
const struct stat_set *stat_set_get(struct stat_sets *sets, const struct kvmstats_schema *schema);

void stat_sets_free(struct stat_sets *sets);

#endif /* STAT_H */
