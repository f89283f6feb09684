/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups of threads: limits of CPU time, for how long they throttled, and the freezer. Both
 * versions of cgroups are read, also side by side, at the usual places below /sys/fs/cgroup. All
 * users can read these files, and reading them waits for no process.
 */
#ifndef CGROUP_H
#define CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads files from this directory instead of /sys/fs/cgroup, for tests. @root must stay valid. */
void cgroup_set_root(const char *root);

/*
 * Begins a pass: which hierarchies there are is read once for each. A recording needs it in each of
 * its samples, because a replay can begin with any of them.
 */
void cgroups_begin(void);

/* What the kernel counts about a cgroup that has a limit. Times are in ns. */
struct cgroup_cpu {
	uint64_t time;			/* when it was read */
	uint64_t quota;			/* CPU time in each period; 0: no limit */
	uint64_t period;
	uint64_t usage;			/* UINT64_MAX: not known */
	uint64_t periods;
	uint64_t throttled_periods;
	uint64_t throttled;		/* sum over the run queues of all CPUs */
};

/* A cgroup in the hierarchy that has the controller cpu */
struct cgroup {
	const char *hierarchy;		/* its folder: "cpu" for version 1; "" or "unified" */
	char *path;			/* "/machine.slice/vm.scope" */
	struct cgroup *parent;		/* NULL: the root, which has no limit */
	unsigned int refs;
	uint64_t checked;		/* when its limit was read */
	uint64_t marked;		/* for users: the last pass in which they counted it */
	struct cgroup_cpu now;
	struct cgroup_cpu before;
};

/* The cgroups of one or more threads, one for each hierarchy. */
struct membership {
	char *text;			/* of /proc/PID/task/TID/cgroup */
	unsigned int refs;		/* threads that have it */
	struct cgroup *cpu;		/* NULL: the root, or not known */
	char *unified;			/* path in version 2, or NULL */
	char *freezer;			/* path in the freezer of version 1, or NULL */
};

/* Returns the cgroups that @text, of /proc/PID/task/TID/cgroup, describes. NULL: no memory */
struct membership *membership_get(const char *text);
void membership_put(struct membership *membership);

/*
 * Reads whether the cgroups of the threads, or some above them, are frozen. Returns the folder of
 * the hierarchy that says so, "freezer" for version 1, or NULL.
 */
const char *membership_frozen_in(const struct membership *membership);

/*
 * Reads for how long tasks of a cgroup of version 2 have waited for memory, or for a CPU, according
 * to memory.pressure or cpu.pressure: the sum, in ns, and the averages of the last 10, 60 and 300
 * seconds, in percent. Returns false if the kernel does not count it, and for the root, which is
 * the whole host.
 */
struct pressure {
	uint64_t total;
	double average[3];
};

bool cgroup_pressure(struct pressure *pressure, const char *path, const char *file);

/* "cpu.shares" for version 1, or "cpu.weight" */
const char *cgroup_weight_name(const struct cgroup *cgroup);

/* Reads this file. Returns 0 if the weight is not known. */
uint64_t cgroup_weight(const struct cgroup *cgroup);

/*
 * Reads the limits of the cgroup and of those above it, once for each @time, which is that of a
 * pass. New limits are noticed within ten seconds.
 */
void cgroup_update(struct cgroup *cgroup, uint64_t time);

/* Whether the cgroup itself has a limit. */
bool cgroup_is_limited(const struct cgroup *cgroup);

/* Writes it to @buf: "cpu.max 50000 100000", with times in us as in the files. */
void cgroup_limit_text(char *buf, size_t size, const struct cgroup *cgroup);

/* Returns for how long it was throttled between the last two updates. */
uint64_t cgroup_throttled(const struct cgroup *cgroup);

/*
 * Whether the limit kept threads from running between the last two updates: at least 10 % of the
 * periods were throttled, and at least 95 % of the CPU time that is permitted was used, if that is
 * known.
 */
bool cgroup_limit_binds(const struct cgroup *cgroup);

#endif /* CGROUP_H */
