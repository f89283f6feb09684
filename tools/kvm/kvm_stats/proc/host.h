/* SPDX-License-Identifier: GPL-2.0-only */
/* The use of the CPUs and of the memory of the host. */
#ifndef PROC_HOST_H
#define PROC_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Times of all CPUs, in ticks. */
struct host_times {
	uint64_t guest;
	uint64_t user;		/* without guest */
	uint64_t kernel;	/* with interrupts */
	uint64_t all;
};

struct host {
	unsigned int cpus;		/* online ones */
	struct host_times now;
	struct host_times before;
	uint64_t memory;		/* in bytes */
	uint64_t available;
	double load;			/* average of the last minute */
};

void host_update(struct host *host);

/* Parts of the time of all CPUs, in percent; negative if there was no previous update. */
struct host_use {
	double guest;
	double user;
	double kernel;
};

struct host_use host_use(const struct host *host);

/* Where root switches exit statistics on and off, for all VMs at once. */
#define EXIT_STATS_PARAMETER	"/sys/module/kvm/parameters/exit_stats"

/* Whether exit statistics are switched off. False if it is not known. */
bool host_exit_stats_are_off(void);

#endif /* PROC_HOST_H */
