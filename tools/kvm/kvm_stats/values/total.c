// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "targets/stat.h"
#include "values/total.h"

struct total *total_new(const struct kvmstats_stat *stat, enum origin origin)
{
	unsigned int size = kvmstats_stat_size(stat);
	struct total *total = calloc(1, sizeof(*total));

	if (!total)
		return NULL;
	*total = (struct total){
		.name = kvmstats_stat_name(stat),
		.stat = stat,
		.origin = origin,
		.counts_up = stat_counts_up(stat),
		.size = size,
		.values = calloc(size, sizeof(*total->values)),
		.deltas = calloc(size, sizeof(*total->deltas)),
		.growth = calloc(size, sizeof(*total->growth)),
	};
	if (total->values && total->deltas && total->growth)
		return total;
	total_free(total);
	return NULL;
}

void total_free(struct total *total)
{
	free(total->values);
	free(total->deltas);
	free(total->growth);
	free(total);
}

bool total_matches(const struct total *total, const struct kvmstats_stat *stat, enum origin origin)
{
	return total->origin == origin && total->size == kvmstats_stat_size(stat) &&
	       kvmstats_stat_flags(total->stat) == kvmstats_stat_flags(stat) &&
	       !strcmp(total->name, kvmstats_stat_name(stat));
}

void total_clear(struct total *total)
{
	memset(total->values, 0, total->size * sizeof(*total->values));
	memset(total->deltas, 0, total->size * sizeof(*total->deltas));
	memset(total->growth, 0, total->size * sizeof(*total->growth));
	total->cleared = false;
}

void total_finish(struct total *total, uint64_t interval)
{
	unsigned int n;

	total->value = 0;
	total->delta = 0;
	for (n = 0; n < total->size; n++) {
		total->value += total->values[n];
		total->delta += total->deltas[n];
	}
	total->rate = interval ? (double)total->delta * 1e9 / (double)interval : 0;
}
