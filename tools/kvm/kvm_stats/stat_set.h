/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Schemas, each once however many VMs and vCPUs have it, and what of each the user
 * asked for.  On one kernel there are mostly two: of VMs and of vCPUs.
 */
#ifndef STAT_SET_H
#define STAT_SET_H

#include <stddef.h>

#include "filter.h"
#include "kvmstats.h"

struct stat_set {
	struct kvmstats_schema *schema;
	const struct kvmstats_stat **stat;	/* that the filter takes, in the schema's order */
	size_t stats;
};

struct stat_sets {
	const struct filter *filter;
	struct stat_set **set;			/* each stays where it is until stat_sets_free() */
	size_t sets;
};

void stat_sets_init(struct stat_sets *sets, const struct filter *filter);
void stat_sets_free(struct stat_sets *sets);

/* The one that the file @fd has: 0 or -errno. */
int stat_sets_add_fd(struct stat_sets *sets, int fd, const struct stat_set **set);

/* The one that @schema makes, which is taken over, also if this fails: 0 or -errno. */
int stat_sets_add(struct stat_sets *sets, struct kvmstats_schema *schema,
		  const struct stat_set **set);

/* Selects anew, after the filter's regular expression has changed. */
void stat_sets_select(struct stat_sets *sets);

/* How much of the name is the one of the statistic that this is a part of; 0: of none. */
size_t stat_parent_length(const char *name);

#endif /* STAT_SET_H */
