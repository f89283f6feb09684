// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "targets/stat.h"

bool stat_counts_up(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

bool stat_is_like(const struct kvmstats_stat *a, const struct kvmstats_stat *b)
{
	return kvmstats_stat_flags(a) == kvmstats_stat_flags(b) &&
	       kvmstats_stat_exponent(a) == kvmstats_stat_exponent(b) &&
	       kvmstats_stat_size(a) == kvmstats_stat_size(b) &&
	       kvmstats_stat_bucket_size(a) == kvmstats_stat_bucket_size(b) &&
	       !strcmp(kvmstats_stat_name(a), kvmstats_stat_name(b));
}

size_t stat_index(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_offset(stat) / sizeof(uint64_t);
}

size_t stat_parent_length(const char *name)
{
	const char *end = strchr(name, '(');

	return end ? (size_t)(end - name) : 0;
}

bool stat_is_in_exits(const char *name)
{
	return !strncmp(name, "exit_", strlen("exit_"));
}
