/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of the test program fault_injection. */
#ifndef FAULT_INJECTION_H
#define FAULT_INJECTION_H

#include "faults/in_turn.h"
#include "kvm_stats_target.h"

/* Memory that the processes of all checks share. */
struct fault_injection {
	unsigned long opens;		/* total number of faults in KVM_STATS_GETFD */
	unsigned long reads;		/* total number of faults in reads */
	enum fail_kind failed;		/* set by the child process of a check */
	int table_size;			/* of the fd table of that child */
	pid_t vmm;			/* the process that created the VM */
};

extern struct fault_injection *shared;

/* Closes the fds of the target and checks that the VM is destroyed. */
const char *target_disappears(struct stats_target *target);

/* getfd.c */
long run_getfd(struct stats_target *target);
const char *getfd(struct stats_target *target);
const char *getfd_table_full(struct stats_target *target);

/* open.c */
const char *open_observer(struct stats_target *target);
const char *open_next(struct stats_target *target);

/* limits.c */
const char *emfile(struct stats_target *target);
const char *enfile(struct stats_target *target);

/* reads.c; the argument of the target selects the system call. */
const char *reads_in_turn(struct stats_target *target);

#endif /* FAULT_INJECTION_H */
