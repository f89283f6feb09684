/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Finds VMs with KVM_STATS_NEXT: those of all processes, without the right to ptrace them. */
#ifndef KVMSTATS_MONITOR_NEXT_H
#define KVMSTATS_MONITOR_NEXT_H

#include "monitor_state.h"

/*
 * Watches VMs that were created since the last call. Returns 0 or -errno; kvmstats_next_works()
 * says whether VMs have to be searched in another way.
 */
int kvmstats_search_next(struct kvmstats_monitor *monitor);

/* Whether kvmstats_search_next() has found all VMs, or failed only because of a shortage. */
static inline bool kvmstats_next_works(int err)
{
	return !err || is_resource_shortage(err);
}

#endif /* KVMSTATS_MONITOR_NEXT_H */
