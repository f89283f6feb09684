/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run an operation again and again: the first allocation or copy fails, then the second one
 * and so on, until a run in which none fails.
 */
#ifndef FAULTS_IN_TURN_H
#define FAULTS_IN_TURN_H

#include "faults/fail_nth.h"
#include "kvm_stats_run.h"

/* The outcome of one run. */
struct trial {
	long result;
	int error;
	enum fail_kind failed;
};

/* Faults are armed only while @run runs. */
struct operation {
	const char *name;
	const char *(*prepare)(struct stats_target *target);
	long (*run)(struct stats_target *target);
	const char *(*check)(struct stats_target *target, const struct trial *trial);
	unsigned int first;		/* the first fault to inject; 0 means 1 */
	bool retries;			/* @check runs the operation again itself */
	unsigned long *total;		/* counts the faults */
};

/* Counts the open fds and returns the lowest free one, without opening an fd. */
unsigned int count_fds(int *first_free);

/* Checks that @before fds are open and that no fd is reserved without being open. */
const char *no_fd_is_lost(unsigned int before);

/* Prepares the calling process: opens fault injection and locks its memory. */
const char *faults_open(void);

/* Injects fault @nth, stores its kind, and checks that the next run succeeds. */
const char *try_fault(struct stats_target *target, const struct operation *operation,
		      unsigned int nth, enum fail_kind *failed);

/* Injects all faults, and counts them by kind. */
const char *fail_in_turn(struct stats_target *target, const struct operation *operation,
			 unsigned int failures[FAIL_NUM_KINDS]);

/* Prints how many faults of each kind were injected. */
void report_failures(const struct stats_target *target, const char *name,
		     const unsigned int failures[FAIL_NUM_KINDS]);

/*
 * Checks the error of a run that failed. The arguments are the errors that each kind of fault
 * must cause; 0 means that the operation must not do that at all.
 */
const char *check_errno(const struct trial *trial, const char *what, int slab, int page,
			int copy);

#endif /* FAULTS_IN_TURN_H */
