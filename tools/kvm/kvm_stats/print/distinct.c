// SPDX-License-Identifier: GPL-2.0-only
#include "print/distinct.h"
#include "targets/stat.h"

static const struct target *first_with(const struct monitor *monitor, const struct stat_set *set)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		for (j = 0; j < vmm->targets; j++) {
			if (vmm->target[j]->set == set)
				return vmm->target[j];
		}
	}
	return NULL;
}

static bool has_like(const struct stat_set *set, const struct kvmstats_stat *stat)
{
	size_t i;

	for (i = 0; i < set->stats; i++) {
		if (stat_is_like(set->stat[i], stat))
			return true;
	}
	return false;
}

/* Whether one of the first @count sets, in use by a target of this scope, has the statistic. */
static bool is_known(const struct monitor *monitor, size_t count, enum scope scope,
		     const struct kvmstats_stat *stat)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct stat_set *set = monitor->context.sets.set[i];
		const struct target *target = first_with(monitor, set);

		if (target && target->scope == scope && has_like(set, stat))
			return true;
	}
	return false;
}

void each_distinct_stat(const struct monitor *monitor,
			void (*fn)(const struct target *target, const struct kvmstats_stat *stat,
				   void *arg), void *arg)
{
	size_t i, j;

	for (i = 0; i < monitor->context.sets.sets; i++) {
		const struct stat_set *set = monitor->context.sets.set[i];
		const struct target *target = first_with(monitor, set);

		for (j = 0; target && j < set->stats; j++) {
			if (!is_known(monitor, i, target->scope, set->stat[j]))
				fn(target, set->stat[j], arg);
		}
	}
}
