/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of the test program lifetimes. */
#ifndef LIFETIMES_H
#define LIFETIMES_H

#include "lib/target_file.h"

/* How often things were done, in memory that the processes of all checks share. */
struct lifetimes_totals {
	unsigned long orders;
	unsigned long ends;
	unsigned long reads;
};

extern struct lifetimes_totals *totals;

/* Checks that @fd still reads the statistics of a VM of the process @vmm. */
static inline const char *check_reads(struct stats_target *target, int fd, pid_t vmm)
{
	totals->reads++;
	return target_still_reads(target, fd, vmm);
}

/* The same after the end of the process. */
static inline const char *check_reads_after_end(struct stats_target *target, int fd, pid_t vmm)
{
	totals->reads++;
	return target_reads_after_end(target, fd, vmm);
}

/* close_order.c */
const char *closed_in_every_order(struct stats_target *target);

/* holders.c; the argument of the target selects who holds the file. */
const char *outlives_vmm(struct stats_target *target);

/* exec.c */
const char *kept_over_exec(struct stats_target *target);
int read_after_exec(char *argv[]);

#endif /* LIFETIMES_H */
