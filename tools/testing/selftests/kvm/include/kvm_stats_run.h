/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run each check of KVM statistics in a process of its own.  A check that hangs
 * is killed and counts as failed.  Whatever a check leaves behind is gone when
 * the next one starts.  The program reports the outcome.
 */
#ifndef SELFTEST_KVM_STATS_RUN_H
#define SELFTEST_KVM_STATS_RUN_H

#include <signal.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kvm_stats_file.h"

/* The time limit of a check.  Emulated machines with KASAN need this long. */
#define STATS_DEADLINE_SECONDS	60

/* A VM or a vCPU, and an open file of its statistics. */
struct stats_target {
	int vcpu_id;		/* -1 for a VM */
	int getfd_fd;		/* the VM or vCPU fd */
	int fd;			/* the statistics fd */
	struct stats_file file;	/* loaded from fd while no vCPU ran */
	void *machine;		/* private to the program */
	unsigned int arg;	/* the argument of the check */
};

struct stats_check {
	const char *name;
	const char *(*run)(struct stats_target *target);
	unsigned int arg;
};

#define STATS_CHECK(check_name, function, ...) \
	{ .name = check_name, .run = function, ##__VA_ARGS__ }

struct stats_suite {
	const char *name;
	int vcpu_id;
	const struct stats_check *checks;
	size_t num;
	const char *(*setup)(struct stats_target *target);
};

/* @table is an array of checks. */
#define STATS_SUITE(suite_name, id, table, function)			\
	{ .name = suite_name, .vcpu_id = id, .checks = table,		\
	  .num = sizeof(table) / sizeof((table)[0]), .setup = function }

enum stats_verdict { STATS_PASS, STATS_FAIL, STATS_SKIP };

struct stats_outcome {
	enum stats_verdict verdict;
	char message[STATS_MESSAGE_SIZE];
};

/* The outcome is valid until the next call. */
const struct stats_outcome *stats_run(const struct stats_suite *suite,
				      const struct stats_check *check);

/*
 * For checks: limits the time of what follows to @seconds.  If the time is up,
 * the check fails and reports that @what did not happen.  0 seconds remove the
 * limit.
 */
void stats_must_end_in(unsigned int seconds, const char *what);

/* For checks: calls @run in a child process and returns its message. */
const char *stats_in_child(struct stats_target *target,
			   const char *(*run)(struct stats_target *target));

#endif /* SELFTEST_KVM_STATS_RUN_H */
