/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc, the cgroups and KVM's statistics show of each guest. */
#ifndef READ_GUESTS_H
#define READ_GUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* ---- what a guest did in the last interval ---- */

enum guest_value {
	GUEST_CPU,		/* CPU time of all threads, in percent of a CPU */
	GUEST_WAITING,		/* of vCPUs for a CPU, in percent of a CPU */
	GUEST_THROTTLED,	/* of vCPUs, by limits of cgroups, in percent of a CPU */
	GUEST_MEMORY,		/* resident memory, in MiB */
	GUEST_MAJOR_FAULTS,	/* the rest is per second */
	GUEST_EXITS,
	GUEST_IO_EXITS,
	GUEST_PAGE_FAULTS,
	GUEST_HALTS,
	GUEST_VALUES,
};

/* ---- statistics of the process, which `read` prints ---- */

enum guest_stat {
	GUEST_CPU_NS,
	GUEST_CPU_GUEST_NS,
	GUEST_WAITING_NS,
	GUEST_THROTTLED_NS,
	GUEST_MEMORY_BYTES,
	GUEST_FAULTS,
	GUEST_STATS,
};

/* "cpu_ns", "cpu_guest_ns", "waiting_ns", "throttled_ns", "memory_bytes", "major_faults" */
const char *guest_stat_name(enum guest_stat stat);

/* "ns", "B", "" */
const char *guest_stat_unit(enum guest_stat stat);

bool guest_stat_counts_up(enum guest_stat stat);

/* Whether the filter selects the statistic. Options that select VMs or vCPUs select none. */
bool guest_stat_is_selected(const struct filter *filter, enum guest_stat stat);

struct guest_row {
	bool has_value;
	uint64_t value;
	bool known;		/* the statistic counts up, and there are two samples */
	double rate;		/* growth per second */
};

struct guest {
	double value[GUEST_VALUES];	/* NAN: not known */
	struct guest_row row[GUEST_STATS];
};

/* The statistics of a set that are added up: each architecture has other names for them. */
struct tallies {
	const struct stat_set *set;
	const struct kvmstats_stat *stat[GUEST_VALUES][4];
};

/*
 * Sets what the last sample has of a VMM, see PROCESSES_OF_VCPUS. @tallies has an element for each
 * enum scope, at first with zeros, and keeps what was found by name. NULL: without KVM's values.
 */
void guest_get(struct guest *guest, const struct vmm *vmm, struct tallies *tallies);

#endif /* READ_GUESTS_H */
