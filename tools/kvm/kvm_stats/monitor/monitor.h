/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches VMMs, and reads samples of their VMs and vCPUs.
 *
 *	struct monitor_options options = { .filter = &filter, .sources = SOURCES_AUTO };
 *	struct monitor *monitor;
 *
 *	err = monitor_open(&monitor, &options);
 *	for (;;) {
 *		err = monitor_sample(monitor);
 *		(read monitor->vmm[i]->target[j] with the functions of values/row.h and values/total.h)
 *		err = monitor_wait(monitor, deadline);
 *	}
 *
 * A new VMM is found within two seconds. A VMM that ends is released at once: by
 * monitor_wait(), or by the first monitor_sample() or monitor_refresh() after monitor_fd() has
 * become readable. A new vCPU is found within one second if the VMM starts a thread for it,
 * other changes within five seconds. On machines with thousands of vCPUs this takes longer,
 * because the CPU time for scans is limited.
 *
 * The monitor prints nothing. It reports what happens to options.event().
 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kvmstats.h"
#include "targets/filter.h"
#include "targets/source.h"
#include "targets/stat_set.h"

#define LABEL_SIZE	48

enum scope {
	SCOPE_VM,	/* debugfs: includes the sums over its vCPUs */
	SCOPE_VCPU,
	SCOPE_VMM,	/* tracepoints of all threads of a VMM */
	SCOPE_HOST,	/* tracepoints of the whole machine */
};

/* A VM, a vCPU, or another thing that has statistics. Its address never changes. */
struct target {
	struct vmm *vmm;
	enum scope scope;
	int vm;				/* index of the VM in its VMM, -1: unknown */
	int vcpu;			/* ID, -1: not a vCPU */
	char label[LABEL_SIZE];		/* "vm", "vcpu0", "vm1", "vm?/vcpu0#12", "vmm", "host" */
	enum origin origin;
	const struct source *source;
	const struct stat_set *set;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;	/* the previous sample; empty at first */
	/* For the source only: */
	int vmm_fd;			/* number of the fd of the VM or vCPU in the VMM, or -1 */
	int fd;
	void *private;
};

struct vmm {
	pid_t pid;			/* 0: the whole machine */
	const char *comm;
	const char *guest;		/* QEMU's -name, or NULL */
	size_t vms;
	size_t vcpus;
	struct target **target;		/* VMs, then vCPUs by ID; of all sources */
	size_t targets;
	size_t missing;			/* number of VMs and vCPUs that cannot be read */
	char missing_label[LABEL_SIZE];	/* label of the first of them */
	int fd_error;			/* why fds are missing: -errno, or 0 */
	int debugfs_error;		/* the same for debugfs, if it is used */
	int tracepoints_error;
	struct kvmstats_vmm *kvm;	/* NULL: the whole machine */
	struct vmm_state *state;	/* see targets/target.h */
};

struct tracepoints;

/* A process that the user selected by PID. */
struct named_process {
	pid_t pid;
	int err;			/* why it is not watched: -errno; -ENODEV: it has no VM */
	bool ended;
};

enum monitor_event {
	MONITOR_APPEARED,
	MONITOR_CHANGED,	/* VMs or vCPUs were added or removed */
	MONITOR_ENDED,		/* the process or its last VM; @vmm is freed after the call */
	MONITOR_SEARCH_FAILED,		/* see monitor->search_error; @vmm is NULL */
	MONITOR_SEARCH_WORKS,		/* it no longer fails; @vmm is NULL */
};

struct monitor_options {
	const struct filter *filter;	/* must outlive the monitor */
	enum sources sources;
	/* May be NULL. */
	void (*event)(enum monitor_event event, const struct vmm *vmm, void *arg);
	void *arg;
};

struct monitor {
	struct vmm **vmm;		/* sorted by PID */
	size_t vmms;
	size_t denied;			/* processes that kvm-stats may not examine */
	int search_error;			/* why the search for new VMMs fails, or 0 */
	struct named_process *named;
	size_t named_count;
	uint64_t generation;		/* changes whenever VMMs or targets change */
	uint64_t time;			/* of the last sample, ns of CLOCK_MONOTONIC; 0: none */
	uint64_t time_before;		/* of the previous sample; 0: none */
	struct stat_sets sets;
	unsigned int selections;	/* how often the regular expression changed */
	struct tracepoints *tracepoints;	/* NULL if they are not used */
	const struct stat_set *tracepoint_set;
	struct monitor_options options;
	struct monitor_state *state;
};

/*
 * Starts to watch what the filter selects. It is not an error if that does not exist. Returns 0,
 * or -errno if nothing can be watched: no /proc, no memory, or an unusable source.
 */
int monitor_open(struct monitor **monitor, const struct monitor_options *options);
void monitor_close(struct monitor *monitor);

/*
 * Updates the list of VMMs. monitor_sample() does this, too. A failed search for new VMMs is not
 * an error: it is reported as MONITOR_SEARCH_FAILED and repeated one second later. Returns 0 or
 * -errno.
 */
int monitor_refresh(struct monitor *monitor);

/* Reads a new sample of each target, and keeps the previous one. Returns 0 or -errno. */
int monitor_sample(struct monitor *monitor);

/*
 * Waits until @deadline (ns of CLOCK_MONOTONIC), and releases VMMs that end in the meantime.
 * Returns 0, -EINTR after a signal, or -ESRCH if the user selected processes by PID and all of
 * them have ended.
 */
int monitor_wait(struct monitor *monitor, uint64_t deadline);

/*
 * For callers that use poll(). The fd is readable when a VMM has ended. Call monitor_refresh()
 * at once then: open statistics fds keep the memory of the VMs allocated in the kernel.
 */
int monitor_fd(const struct monitor *monitor);

/* Whether the user selected processes by PID, and all of them have ended. */
bool monitor_has_ended(const struct monitor *monitor);

/*
 * Call it after the regular expression of the filter changed. Tracepoints are counted from 0
 * again, in new targets.
 */
void monitor_select(struct monitor *monitor);

/* Returns the number of targets of all VMMs. */
size_t monitor_targets(const struct monitor *monitor);

/* Returns the current time in ns of CLOCK_MONOTONIC. */
uint64_t monitor_now(void);

#endif /* MONITOR_MONITOR_H */
