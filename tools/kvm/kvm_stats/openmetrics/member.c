// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/member.h"
#include "openmetrics/number.h"

void member_free(struct member *member)
{
	while (member->bounds)
		free(member->bound[--member->bounds]);
	free(member->bound);
}

const char *member_scale(const struct member *member, const struct kvmstats_stat *stat,
			 uint64_t value, char *buf)
{
	if (!member->scaled || kvmstats_stat_scale(stat, value, buf, SCALED_SIZE) < 0)
		snprintf(buf, SCALED_SIZE, "%" PRIu64, value);
	return buf;
}

/* le is inclusive. Values are integers, so the bound is the largest value in the bucket. */
static int make_bounds(struct member *member)
{
	unsigned int size = kvmstats_stat_size(member->stat);
	char decimal[SCALED_SIZE], canonical[CANONICAL_SIZE];
	uint64_t min, max;
	unsigned int n;

	member->bound = calloc(size, sizeof(*member->bound));
	if (!member->bound)
		return -ENOMEM;
	for (n = 0; n < size; n++) {
		if (kvmstats_stat_bucket(member->stat, n, &min, &max) || max == UINT64_MAX)
			break;
		canonical_number(member_scale(member, member->stat, max, decimal), canonical);
		member->bound[n] = strdup(canonical);
		if (!member->bound[n])
			return -ENOMEM;
		member->bounds++;
	}
	return 0;
}

static bool is_time(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_unit(stat) == KVMSTATS_SECONDS && stat_can_scale(stat);
}

static bool may_be_sum(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_CUMULATIVE &&
	       kvmstats_stat_size(stat) == 1 && is_time(stat);
}

/* halt_wait_ns, for example, is the sum of all samples of halt_wait_hist. */
static const struct kvmstats_stat *find_sum(const struct stat_set *set,
					    const struct kvmstats_stat *hist)
{
	const char *name = kvmstats_stat_name(hist);
	const char *end = strrchr(name, '_');
	const struct kvmstats_stat *sum;
	char *sum_name;

	if (!is_time(hist) || !end || strcmp(end, "_hist") ||
	    asprintf(&sum_name, "%.*s_ns", (int)(end - name), name) < 0)
		return NULL;
	sum = kvmstats_schema_find(set->schema, sum_name);
	free(sum_name);
	return sum && may_be_sum(sum) ? sum : NULL;
}

int member_init(struct member *member, const struct stat_set *set,
		const struct kvmstats_stat *stat, enum family_type type)
{
	int err;

	*member = (struct member){ .set = set, .stat = stat, .scaled = stat_can_scale(stat) };
	if (type != FAMILY_HISTOGRAM)
		return 0;
	member->sum = find_sum(set, stat);
	err = make_bounds(member);
	if (err)
		member_free(member);
	return err;
}
