/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc, the cgroups and KVM's statistics show of each guest. */
#ifndef READ_GUESTS_H
#define READ_GUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "proc.h"

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
	uint64_t value;
	bool known;		/* the statistic counts up, and there are two samples */
	double rate;		/* growth per second */
};

struct guest {
	uint64_t vmm;			/* its ID */
	struct process process;
	double value[GUEST_VALUES];	/* NAN: not known */
	bool has_row[GUEST_STATS];
	struct guest_row row[GUEST_STATS];
};

/* Initialize it with zeros. */
struct guests {
	struct guest *guest;		/* one for each of monitor->vmm, in the same order */
	size_t guests;
	bool all_threads;		/* the next update reads all threads, and their states */
	struct processes processes;
	struct tallies *tallies;	/* for guests.c only */
	size_t tallied;
};

/* Call it after each sample. Returns false if memory is exhausted. */
bool guests_update(struct guests *guests, const struct monitor *monitor);
void guests_free(struct guests *guests);

#endif /* READ_GUESTS_H */
