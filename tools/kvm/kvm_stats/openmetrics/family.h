/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups statistics into the metric families of OpenMetrics.
 *
 * A family has one name, type and unit, and all its samples are written together. Statistics
 * of different schemas belong to the same family if all three are equal. So do the classes of
 * exits of one schema, which the label class distinguishes. A statistic whose name conflicts with
 * another family is left out and counted in families.left_out.
 */
#ifndef OPENMETRICS_FAMILY_H
#define OPENMETRICS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/monitor.h"
#include "openmetrics/member.h"
#include "openmetrics/name.h"
#include "openmetrics/registry.h"

struct family {
	char *name;			/* without _total */
	char *help;
	enum family_type type;
	const char *unit;		/* NULL: no unit */
	enum kind kind;
	bool by_class;			/* members have the label class */
	bool exits;			/* members are exit statistics */
	struct member *member;
	size_t members;
};

struct families {
	struct family **family;		/* in the order in which they were added */
	size_t count;
	size_t left_out;		/* statistics whose names conflict with a family */
	struct name_registry names;
	struct known_set *known;	/* the sets that have been added */
	size_t known_count;
};

enum kind kind_of(const struct target *target);

/* Makes a name unavailable for families. Returns 0 or -ENOMEM. */
int families_reserve(struct families *families, const char *name);

/*
 * Adds the statistics of @set that the filter selects to their families. Does nothing if the
 * set was added before. vCPUs have no families of histograms, because these would be most of all
 * samples; guests have them. Returns 0 or -ENOMEM.
 */
int families_add(struct families *families, enum kind kind, const struct stat_set *set);

void families_free(struct families *families);

#endif /* OPENMETRICS_FAMILY_H */
