/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPENMETRICS_MEMBER_H
#define OPENMETRICS_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmetrics/name.h"
#include "targets/stat_set.h"

/* A histogram has far more buckets than anyone needs. These are the exposed ones. */
struct bound {
	unsigned int bucket;	/* the last one that it includes */
	char *le;		/* value of the label le */
};

/* The statistic of one schema that belongs to the family. */
struct member {
	const struct stat_set *set;
	char *class;				/* value of the label class, or NULL */
	const struct kvmstats_stat *stat;
	const struct kvmstats_stat *sum;	/* a histogram's sum, or NULL */
	bool scaled;				/* converted to seconds or bytes */
	struct bound *bound;			/* without +Inf */
	size_t bounds;
};

/*
 * @class is that of @stat, or NULL. Returns 0 or -ENOMEM. After an error, member_free() is not
 * needed.
 */
int member_init(struct member *member, const struct stat_set *set,
		const struct kvmstats_stat *stat, enum family_type type,
		const struct exit_class *class);
void member_free(struct member *member);

/* Formats @value, in seconds or bytes if @member is scaled. @buf has SCALED_SIZE bytes. */
#define SCALED_SIZE	160
const char *member_scale(const struct member *member, const struct kvmstats_stat *stat,
			 uint64_t value, char *buf);

#endif /* OPENMETRICS_MEMBER_H */
