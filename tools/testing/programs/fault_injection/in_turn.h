/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run an operation again and again: the first allocation or copy between the kernel and user space
 * fails, then the second one and so on, until a run in which none fails. This needs
 * CONFIG_FAILSLAB and debugfs, and uses CONFIG_FAIL_PAGE_ALLOC and CONFIG_FAULT_INJECTION_USERCOPY
 * if the kernel has them; see Documentation/fault-injection.
 *
 * The kernel counts all kinds together. Accesses to single words (put_user(),
 * unsafe_put_user()) neither count nor fail.
 */
#ifndef FAULT_INJECTION_IN_TURN_H
#define FAULT_INJECTION_IN_TURN_H

#include "kvm_stats_target.h"

enum fault { FAULT_SLAB, FAULT_PAGE, FAULT_COPY, NUM_FAULTS, NO_FAULT };

/* The outcome of one run. */
struct trial {
	long result;
	enum fault fault;
};

struct operation {
	const char *name;
	const char *(*prepare)(struct stats_target *target);
	long (*run)(struct stats_target *target);	/* faults are armed only here */
	const char *(*check)(struct stats_target *target, const struct trial *trial);
	int errors[NUM_FAULTS];	/* what each fault causes; 0: the operation must not do that */
	unsigned int first;	/* the first fault to inject; 0 means 1 */
	unsigned int failures[NUM_FAULTS];
};

/* Prepares the calling process: opens fault injection and locks its memory. */
const char *faults_open(void);

/* Can the kernel inject this kind of fault? Valid after faults_open(). */
bool faults_have(enum fault fault);

/*
 * Selects which allocations count and fail. Allocations that may sleep are always included,
 * highmem pages never.
 */
const char *faults_choose(bool slab, bool page);

/*
 * Injects all faults, and counts them by kind. After each of them the error is the right one, no fd
 * is lost, and the next run succeeds.
 */
const char *fail_in_turn(struct stats_target *target, struct operation *operation);

#endif /* FAULT_INJECTION_IN_TURN_H */
