/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of a guest's process, from /proc and the cgroups, as if KVM had them. */
#ifndef READ_GUESTS_H
#define READ_GUESTS_H

#include "sums.h"

enum guest_stat {
	GUEST_CPU_NS,
	GUEST_CPU_GUEST_NS,
	GUEST_WAITING_NS,
	GUEST_THROTTLED_NS,
	GUEST_MEMORY_BYTES,
	GUEST_FAULTS,
	GUEST_STATS,
};

/* Ends the program if memory is exhausted. */
const struct kvmstats_stat *guest_stat(enum guest_stat stat);

/* Whether the filter selects the statistic. Options that select VMs or vCPUs select none. */
bool guest_stat_is_selected(const struct filter *filter, enum guest_stat stat);

/*
 * Sets what the last sample has of the process, see PROCESSES_OF_VCPUS. row->values is NULL if the
 * value is not known, and valid as long as @row.
 */
void guest_row_get(struct row *row, const struct process *process, enum guest_stat stat);

#endif /* READ_GUESTS_H */
