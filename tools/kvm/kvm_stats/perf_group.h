/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of tracepoints for one thread, or for one CPU, that are read at once. */
#ifndef PERF_GROUP_H
#define PERF_GROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One tracepoint, or those hits of it that @filter lets pass. */
struct perf_counter {
	uint64_t id;			/* of the tracepoint, as tracefs says */
	const char *filter;		/* or NULL */
};

struct perf_group {
	pid_t tid;			/* -1: all threads */
	int cpu;			/* -1: any */
	int *fd;			/* the first one leads */
	size_t count;
};

/* They count from now on: 0 or -errno, after which nothing is open. */
int perf_group_open(struct perf_group *group, pid_t tid, int cpu,
		    const struct perf_counter *counter, size_t count);

/* Adds what they have counted to @values; @buf has room for count + 1: 0 or -errno. */
int perf_group_add(const struct perf_group *group, uint64_t *buf, uint64_t *values);

void perf_group_close(struct perf_group *group);

#endif /* PERF_GROUP_H */
