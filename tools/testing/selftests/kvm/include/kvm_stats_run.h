/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run each check of KVM statistics in a process of its own.  A check that hangs
 * is killed and counts as failed.  Whatever a check leaves behind is gone when
 * the next one starts.  The program reports the outcome.
 */
#ifndef SELFTEST_KVM_STATS_RUN_H
#define SELFTEST_KVM_STATS_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

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
 * For checks: ends the process of the check, with the result @message.  The
 * second function does so if @message is not NULL.
 */
void stats_end(const char *message);
void stats_must(const char *message);

/*
 * For checks: limits the time of what follows to @seconds.  If the time is up,
 * the check fails and reports that @what did not happen.  0 seconds remove the
 * limit.
 */
void stats_must_end_in(unsigned int seconds, const char *what);

/* For checks: calls @run in a child process and returns its message. */
const char *stats_in_child(struct stats_target *target,
			   const char *(*run)(struct stats_target *target));

/*
 * Settings of the host on which the behaviour of KVM depends: files with one
 * value each, such as module parameters.  A check sets what it needs.  The
 * program restores the values after all checks.
 */

#define STATS_KVM_PARAM(name)	"/sys/module/kvm/parameters/" name
#define STATS_PARAM_SIZE	32

struct stats_param {
	const char *path;
	char saved[STATS_PARAM_SIZE];	/* empty if it could not be read */
};

bool stats_param_read(const char *path, char value[STATS_PARAM_SIZE]);

/* Returns NULL, or the reason to skip the check. */
const char *stats_param_set(const char *path, const char *value);

/* A parameter that does not exist is off. */
bool stats_param_is_on(const char *path);

void stats_params_save(struct stats_param *params, size_t num);
void stats_params_restore(const struct stats_param *params, size_t num);

#endif /* SELFTEST_KVM_STATS_RUN_H */
