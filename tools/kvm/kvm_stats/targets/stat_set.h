/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The schemas in use, each stored once, and the statistics that the filter selects of each.
 * Usually there are two schemas: one that all VMs share, and one that all vCPUs share. Another
 * source of the same statistics has schemas of its own.
 */
#ifndef TARGETS_STAT_SET_H
#define TARGETS_STAT_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "kvmstats.h"
#include "targets/filter.h"

struct stat_set {
	const struct kvmstats_schema *schema;
	struct kvmstats_schema *owned;		/* the same, or NULL: the library owns it */
	const struct kvmstats_stat **stat;	/* selected ones, in the order of the schema */
	size_t stats;
	size_t values;		/* number of values of a sample, also of those not selected */
	bool has_exits;		/* the schema has exit statistics */
};

struct stat_sets {
	const struct filter *filter;
	struct stat_set **set;			/* pointers are valid until stat_sets_free() */
	size_t sets;
};

/*
 * Returns all values of @sample in one block, which stat_index() is an index of. Returns NULL if
 * the sample is empty.
 */
const uint64_t *stat_set_values(const struct stat_set *set, const struct kvmstats_sample *sample);

void stat_sets_init(struct stat_sets *sets, const struct filter *filter);
void stat_sets_free(struct stat_sets *sets);

/* Finds or adds the set of @schema, which must outlive @sets. Returns 0 or -ENOMEM. */
int stat_sets_add_shared(struct stat_sets *sets, const struct kvmstats_schema *schema,
			 const struct stat_set **set);

/* The same, but owns @schema, even on failure. */
int stat_sets_add(struct stat_sets *sets, struct kvmstats_schema *schema,
		  const struct stat_set **set);

/* Whether statistics are known, and the regular expression matches none of them. */
bool stat_sets_match_nothing(const struct stat_sets *sets);

/* Applies the filter again after its regular expression changed. */
void stat_sets_select(struct stat_sets *sets);

#endif /* TARGETS_STAT_SET_H */
