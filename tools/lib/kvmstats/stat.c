// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* The fields of a descriptor, and the bounds of histogram buckets. */
#include <errno.h>

#include <linux/kvm_stats.h>

#include "internal.h"

#define FIELD(flags, name)	(((flags) & KVM_STATS_##name##_MASK) >> KVM_STATS_##name##_SHIFT)

const char *kvmstats_stat_name(const struct kvmstats_stat *stat)
{
	return stat->name;
}

uint32_t kvmstats_stat_flags(const struct kvmstats_stat *stat)
{
	return stat->flags;
}

unsigned int kvmstats_stat_type(const struct kvmstats_stat *stat)
{
	return FIELD(stat->flags, TYPE);
}

unsigned int kvmstats_stat_unit(const struct kvmstats_stat *stat)
{
	return FIELD(stat->flags, UNIT);
}

unsigned int kvmstats_stat_base(const struct kvmstats_stat *stat)
{
	return FIELD(stat->flags, BASE);
}

int kvmstats_stat_exponent(const struct kvmstats_stat *stat)
{
	return stat->exponent;
}

unsigned int kvmstats_stat_size(const struct kvmstats_stat *stat)
{
	return stat->size;
}

uint32_t kvmstats_stat_offset(const struct kvmstats_stat *stat)
{
	return stat->offset;
}

uint32_t kvmstats_stat_bucket_size(const struct kvmstats_stat *stat)
{
	return stat->bucket_size;
}

int kvmstats_stat_is_hist(const struct kvmstats_stat *stat)
{
	unsigned int type = kvmstats_stat_type(stat);

	return type == KVMSTATS_TYPE_LINEAR_HIST || type == KVMSTATS_TYPE_LOG_HIST;
}

static uint64_t log_bucket_min(unsigned int n)
{
	return n ? UINT64_C(1) << (n - 1) : 0;
}

static uint64_t linear_bucket_min(const struct kvmstats_stat *stat, unsigned int n)
{
	return (uint64_t)stat->bucket_size * n;
}

int kvmstats_stat_bucket(const struct kvmstats_stat *stat, unsigned int n,
			 uint64_t *min, uint64_t *max)
{
	bool open = n == stat->size - 1;

	if (!kvmstats_stat_is_hist(stat))
		return -EINVAL;
	if (n >= stat->size)
		return -ERANGE;

	if (kvmstats_stat_type(stat) == KVMSTATS_TYPE_LINEAR_HIST) {
		if (!stat->bucket_size)
			return -ERANGE;
		*min = linear_bucket_min(stat, n);
		*max = open ? UINT64_MAX : linear_bucket_min(stat, n + 1) - 1;
		return 0;
	}

	/* Bucket 64 counts values with bit 63 set, so there is no value for a later bucket. */
	if (n > 64)
		return -ERANGE;
	*min = log_bucket_min(n);
	*max = open || n == 64 ? UINT64_MAX : log_bucket_min(n + 1) - 1;
	return 0;
}
