/* SPDX-License-Identifier: GPL-2.0-only */
/* Running kvm-stats: /bin/kvm-stats, or what KVM_STATS in the environment names. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TIME_LIMIT	90	/* seconds, for each run of the command */
#define NOBODY		65534

struct run {
	pid_t pid;
	int out;
	int status;	/* as from exit(), or -1 */
	size_t len;
	char text[65536];
};

/*
 * To its end, with arguments that have no spaces in them.  Both of its outputs go to @to, or if
 * that is -1 to run->text.  @uid: as that user, without capabilities, or 0.
 */
void run_command(struct run *run, int to, uid_t uid, const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

void run_in_background(struct run *run, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* The build machine's kvm-stats, which has HTTP, in its root. */
void run_in_host(struct run *run, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Becomes kvm-stats: to be called in a child. */
void command_exec(uid_t uid, const char *arguments) __attribute__((__noreturn__));

/* Waits for more of its output: false if there is none within @timeout ms, or no more at all. */
bool run_more(struct run *run, int timeout);

/* Waits for its end.  False if it took too long and had to be killed. */
bool run_end(struct run *run);

#endif /* CLI_COMMAND_H */
