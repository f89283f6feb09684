/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoint counters of one thread or of one CPU, read with one system call. */
#ifndef SOURCE_PERF_GROUP_H
#define SOURCE_PERF_GROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Counts a tracepoint, or only the hits that match @filter. */
struct perf_counter {
	uint64_t id;			/* from the file "id" in tracefs */
	char *filter;			/* or NULL */
	size_t index;			/* of its count in an array of counts */
};

struct perf_group {
	pid_t tid;			/* -1: all threads */
	int cpu;			/* -1: any */
	int *fd;			/* fd[0] is the group leader */
	size_t count;
};

/* Starts the counters at 0. Returns 0, or -errno with all fds closed. */
int perf_group_open(struct perf_group *group, pid_t tid, int cpu,
		    const struct perf_counter *counter, size_t count);

/*
 * Adds the count of each @counter to its entry of @values. @buf is scratch space for
 * group->count + 1 values. Returns 0 or -errno.
 */
int perf_group_add(const struct perf_group *group, const struct perf_counter *counter,
		   uint64_t *buf, uint64_t *values);

void perf_group_close(struct perf_group *group);

#endif /* SOURCE_PERF_GROUP_H */
