/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics as metric families of OpenMetrics: their names, types and units.
 *
 * A family has one name, type and unit, and all its samples stand together.  Statistics of
 * different schemas belong to the same family if all three are equal; one whose name is
 * taken by another family, or would be ambiguous with it, is left out, and counted.
 */
#ifndef OPENMETRICS_FAMILY_H
#define OPENMETRICS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor.h"
#include "openmetrics_name.h"
#include "openmetrics_taken.h"

/* A statistic of one schema. */
struct member {
	const struct stat_set *set;
	const struct kvmstats_stat *stat;
	const struct kvmstats_stat *sum;	/* of a histogram, or NULL: there is none */
	bool scaled;				/* to whole units; else as the kernel counts */
	char **bound;				/* of the buckets that have one, as for le */
	size_t bounds;
};

struct family {
	char *name;			/* without _total */
	char *help;
	enum family_type type;
	const char *unit;		/* or NULL */
	enum kind kind;
	struct member *member;
	size_t members;
};

struct families {
	struct family **family;		/* in the order in which they were added */
	size_t count;
	size_t left_out;		/* statistics */
	struct taken_names names;
	struct known_set *known;	/* that have been added */
	size_t knowns;
};

enum kind kind_of(const struct target *target);

/* Makes the statistics of @set that the filter takes members, unless they are: 0 or -ENOMEM. */
int families_add(struct families *families, enum kind kind, const struct stat_set *set);

/* NULL: @set has no statistic in this family. */
const struct member *family_member(const struct family *family, const struct stat_set *set);

void families_free(struct families *families);

/* A number in whole units if @member is scaled; @buf has SCALED_SIZE. */
#define SCALED_SIZE	160
const char *member_scale(const struct member *member, const struct kvmstats_stat *stat,
			 uint64_t value, char *buf);

#endif /* OPENMETRICS_FAMILY_H */
