/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of a guest's process, from /proc and the cgroups. */
#ifndef READ_GUESTS_H
#define READ_GUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "proc.h"

enum guest_stat {
	GUEST_CPU_NS,
	GUEST_CPU_GUEST_NS,
	GUEST_WAITING_NS,
	GUEST_THROTTLED_NS,
	GUEST_MEMORY_BYTES,
	GUEST_FAULTS,
	GUEST_STATS,
};

struct guest_stat_type {
	const char *name;
	const char *unit;	/* "ns", "B", "" */
	bool counts_up;
};

extern const struct guest_stat_type guest_stats[GUEST_STATS];

/* Whether the filter selects the statistic. Options that select VMs or vCPUs select none. */
bool guest_stat_is_selected(const struct filter *filter, enum guest_stat stat);

struct guest_row {
	bool has_value;
	uint64_t value;
	bool known;		/* the statistic counts up, and there are two samples */
	double rate;		/* growth per second */
};

/* Sets GUEST_STATS rows to what the last sample has of a process, see PROCESSES_OF_VCPUS. */
void guest_rows(struct guest_row *row, const struct process *process);

#endif /* READ_GUESTS_H */
