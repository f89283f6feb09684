// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/member.h"
#include "openmetrics/number.h"

#define MAX_BOUNDS	9
#define MIN_TIME_NS	8192
/* KVM polls for 10 us at first, and never longer than halt_poll_ns, which is 200 us on x86. */
#define MIN_POLL_NS	10000
#define MAX_POLL_NS	524288

void member_free(struct member *member)
{
	while (member->bounds)
		free(member->bound[--member->bounds].le);
	free(member->bound);
	free(member->class);
}

const char *member_scale(const struct member *member, const struct kvmstats_stat *stat,
			 uint64_t value, char *buf)
{
	if (!member->scaled || kvmstats_stat_scale(stat, value, buf, SCALED_SIZE) < 0)
		snprintf(buf, SCALED_SIZE, "%" PRIu64, value);
	return buf;
}

static bool is_time(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_SECONDS && stat_can_scale(stat);
}

static bool may_be_sum(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE &&
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

/* ---- buckets ---- */

/* Returns the number of buckets with an upper bound. */
static unsigned int count_bounds(const struct kvmstats_stat *stat)
{
	unsigned int size = kvmstats_stat_size(stat), n;
	uint64_t min, max;

	for (n = 0; n < size; n++) {
		if (kvmstats_stat_bucket(stat, n, &min, &max) || max == UINT64_MAX)
			break;
	}
	return n;
}

/*
 * Returns the first bucket that is exposed with a bound of its own. A histogram of times starts
 * at MIN_TIME_NS, if the kernel counts in ns.
 */
static unsigned int first_bound(const struct kvmstats_stat *stat, unsigned int bounds)
{
	uint64_t min, max;
	unsigned int n;

	if (!is_time(stat) || kvmstats_stat_exponent(stat) != -9)
		return 0;
	for (n = 0; n < bounds; n++) {
		if (!kvmstats_stat_bucket(stat, n, &min, &max) && max >= MIN_TIME_NS - 1)
			return n;
	}
	return 0;
}

/* le is inclusive. Values are integers, so the bound is the largest value in the bucket. */
static int make_bound(struct member *member, unsigned int bucket)
{
	char decimal[SCALED_SIZE], canonical[CANONICAL_SIZE];
	uint64_t min, max;
	char *le;

	kvmstats_stat_bucket(member->stat, bucket, &min, &max);
	canonical_number(member_scale(member, member->stat, max, decimal), canonical);
	le = strdup(canonical);
	if (!le)
		return -ENOMEM;
	member->bound[member->bounds++] = (struct bound){ bucket, le };
	return 0;
}

/* Whether bucket @n is exposed with a bound of its own. Shorter and longer polls are rare. */
static bool is_useful(const struct kvmstats_stat *stat, unsigned int n)
{
	uint64_t min, max;

	if (strncmp(kvmstats_stat_name(stat), "halt_poll_", strlen("halt_poll_")))
		return true;
	return !kvmstats_stat_bucket(stat, n, &min, &max) && max >= MIN_POLL_NS &&
	       max < MAX_POLL_NS;
}

/* The choice depends on the schema only, so that the bounds of all guests and hosts are equal. */
static int make_bounds(struct member *member)
{
	unsigned int bounds = count_bounds(member->stat);
	unsigned int first = first_bound(member->stat, bounds);
	unsigned int step = (bounds - first + MAX_BOUNDS - 1) / MAX_BOUNDS;
	unsigned int n;
	int err = 0;

	member->bound = calloc(MAX_BOUNDS, sizeof(*member->bound));
	if (!member->bound)
		return -ENOMEM;
	for (n = first; !err && n < bounds; n += step) {
		if (is_useful(member->stat, n))
			err = make_bound(member, n);
	}
	return err;
}

int member_init(struct member *member, const struct stat_set *set,
		const struct kvmstats_stat *stat, enum family_type type,
		const struct exit_class *class)
{
	int err = 0;

	*member = (struct member){ .set = set, .stat = stat, .scaled = stat_can_scale(stat) };
	if (class) {
		member->class = strndup(class->name, class->length);
		err = member->class ? 0 : -ENOMEM;
	}
	if (!err && type == FAMILY_HISTOGRAM) {
		member->sum = find_sum(set, stat);
		err = make_bounds(member);
	}
	if (err)
		member_free(member);
	return err;
}
