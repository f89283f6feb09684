// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "targets/stat.h"
#include "values/baseline.h"

static bool start(struct target *target)
{
	const uint64_t *now = stat_set_values(target->set, target->now);
	size_t size = target->set->values * sizeof(*now);

	if (!now)
		return true;
	if (!target->baseline)
		target->baseline = malloc(size);
	if (!target->baseline)
		return false;
	memcpy(target->baseline, now, size);
	return true;
}

/* Statistics that do not count up may decrease, but their baseline is never used. */
static void drop_cleared(struct target *target)
{
	const uint64_t *now = stat_set_values(target->set, target->now);
	const uint64_t *before = stat_set_values(target->set, target->before);
	size_t i;

	for (i = 0; now && before && target->baseline && i < target->set->values; i++) {
		if (now[i] < before[i])
			target->baseline[i] = 0;
	}
}

bool baselines_start(const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++) {
			if (!start(monitor->vmm[i]->target[j]))
				return false;
		}
	}
	return true;
}

void baselines_update(const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++)
			drop_cleared(monitor->vmm[i]->target[j]);
	}
}

uint64_t baseline_growth(const struct target *target, const struct kvmstats_stat *stat,
			 unsigned int n, bool include_past)
{
	const uint64_t *now = kvmstats_sample_values(target->now, stat);

	if (!now)
		return 0;
	if (include_past || !target->baseline)
		return now[n];
	return now[n] - target->baseline[stat_index(stat) + n];
}
