/* SPDX-License-Identifier: GPL-2.0-only */
/* Run kvm-stats: /bin/kvm-stats, or the program that the environment variable KVM_STATS names. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/unprivileged.h"

#define TIME_LIMIT	90	/* seconds, for each run of kvm-stats */

#define PERFMON_UID	2000

struct run {
	pid_t pid;
	int out;	/* a pipe with its output */
	int status;	/* exit status, or -1 */
	size_t len;
	char text[65536];	/* the output so far */
};

/*
 * Runs kvm-stats to its end. @format expands to the arguments, which are separated by single
 * spaces. Standard output and standard error go to the fd @to, or to run->text if that is -1.
 * kvm-stats runs as the user @uid, without capabilities, or as root if that is 0. The user
 * PERFMON_UID has the capability CAP_PERFMON.
 */
void run_command(struct run *run, int to, uid_t uid, const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/* Whether the next runs are in a PID namespace of their own. */
void command_in_pid_namespace(bool own);

void run_in_background(struct run *run, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Runs the kvm-stats of the build host, which supports HTTP, below the root of the build host. */
void run_of_build_host(struct run *run, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Executes kvm-stats. Called in a child process. */
void command_exec(uid_t uid, const char *arguments) __attribute__((__noreturn__));

/* Waits for more output. Returns false after @timeout ms, or at the end of the output. */
bool run_more(struct run *run, int timeout);

/* Waits for the end. Returns false if kvm-stats exceeded the time limit and was killed. */
bool run_end(struct run *run);

#endif /* CLI_COMMAND_H */
