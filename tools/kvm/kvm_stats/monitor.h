/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The VMMs that are being watched, their VMs and vCPUs, and the last two samples of each.
 *
 *	struct monitor_options options = { .filter = &filter, .sources = SOURCES_AUTO };
 *	struct monitor *monitor;
 *
 *	err = monitor_open(&monitor, &options);
 *	for (;;) {
 *		err = monitor_sample(monitor);
 *		(look at monitor->vmm[i]->target[j] with the functions of row.h and total.h)
 *		err = monitor_wait(monitor, deadline);
 *	}
 *
 * VMMs that appear are found within a second or two, ones that end are let go at once:
 * by monitor_wait(), or by the next monitor_sample() or monitor_refresh() after
 * monitor_fd() has become readable.  A vCPU that is added is found within a second if the
 * VMM got a thread with it, other changes within five, or later on machines with thousands of
 * vCPUs, where looking at all fds takes its time.
 *
 * Nothing is printed here: who wants to tell what happens gives a function for it.
 */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "filter.h"
#include "kvmstats.h"
#include "source.h"
#include "stat_set.h"

#define LABEL_SIZE	48

enum scope {
	SCOPE_VM,	/* from debugfs it has the sums of its vCPUs as well */
	SCOPE_VCPU,
	SCOPE_VMM,	/* all threads of a VMM: tracepoints */
	SCOPE_HOST,	/* the whole machine: tracepoints */
};

/* What has numbers, and the numbers.  It stays where it is for as long as it lives. */
struct target {
	struct vmm *vmm;
	enum scope scope;
	int vm;				/* number of the VM in its VMM, -1: not known */
	int vcpu;			/* ID, -1: not a vCPU */
	char label[LABEL_SIZE];		/* "vm", "vcpu0", "vm1", "vm?/vcpu0#12", "vmm", "host" */
	enum origin origin;
	const struct source *source;
	const struct stat_set *set;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;	/* nothing read yet in the first round */
	/* The source's: */
	int vmm_fd;			/* number of the VM's or vCPU's fd in the VMM, or -1 */
	int fd;
	void *private;
};

struct vmm {
	pid_t pid;			/* 0: the whole machine */
	const char *comm;
	const char *guest;		/* QEMU's -name, or NULL */
	size_t vms;
	size_t vcpus;
	struct target **target;		/* VMs, vCPUs by ID; of all sources */
	size_t targets;
	size_t missing;			/* VMs and vCPUs whose numbers cannot be had */
	char missing_label[LABEL_SIZE];	/* one of them */
	int fd_error;			/* the reason, -errno, for fds */
	int debugfs_error;		/* for debugfs where it was tried as well, or 0 */
	int tracepoints_error;
	struct kvmstats_vmm *kvm;	/* NULL: the whole machine */
	struct vmm_state *state;	/* the monitor's */
};

struct tracepoints;

/* A process that the filter names by PID. */
struct named_process {
	pid_t pid;
	int err;			/* why it is not watched: -errno, -ENODEV: it has no VM */
	bool ended;
};

enum monitor_event {
	MONITOR_APPEARED,
	MONITOR_CHANGED,	/* other VMs or vCPUs than before */
	MONITOR_ENDED,		/* the process, or its last VM; @vmm goes away after the call */
	MONITOR_SEARCH_FAILED,		/* see monitor->search_error; @vmm is NULL */
	MONITOR_SEARCH_WORKS,		/* no longer so; @vmm is NULL */
};

struct monitor_options {
	const struct filter *filter;	/* has to outlive the monitor */
	enum sources sources;
	/* May be NULL. */
	void (*event)(enum monitor_event event, const struct vmm *vmm, void *arg);
	void *arg;
};

struct monitor {
	struct vmm **vmm;		/* by PID */
	size_t vmms;
	size_t denied;			/* processes that may not be looked into */
	int search_error;			/* why VMMs that appear are not found: -errno, or 0 */
	struct named_process *named;
	size_t named_count;
	uint64_t generation;		/* another one when VMMs or targets are others than before */
	uint64_t time;			/* of the last sample: ns of CLOCK_MONOTONIC, 0: none */
	uint64_t time_before;		/* of the one before it, 0: none */
	struct stat_sets sets;
	unsigned int selections;	/* how often the filter's regular expression changed */
	struct tracepoints *tracepoints;	/* of the kernel, NULL if they are not used */
	const struct stat_set *tracepoint_set;
	struct monitor_options options;
	struct monitor_state *state;
};

/*
 * Starts to watch what the filter names.  That there is nothing is no error, only what makes
 * watching impossible: no /proc, no memory, or options->sources that cannot be had at all.
 * 0 or -errno.
 */
int monitor_open(struct monitor **monitor, const struct monitor_options *options);
void monitor_close(struct monitor *monitor);

/*
 * Who appeared, who is gone.  monitor_sample() does it as well.  That a look for new VMMs fails
 * is no error: it is told as MONITOR_SEARCH_FAILED, and tried again a second later.
 */
int monitor_refresh(struct monitor *monitor);

/* Makes the last sample of each target the one before, and reads a new one: 0 or -errno. */
int monitor_sample(struct monitor *monitor);

/*
 * Until @deadline (ns of CLOCK_MONOTONIC): 0.  Lets VMMs that end in between go at once.
 * -EINTR: a signal came.  -ESRCH: the filter names processes by PID, and the last of them
 * has ended.
 */
int monitor_wait(struct monitor *monitor, uint64_t deadline);

/*
 * For a poll() of one's own: readable when a VMM has ended, and monitor_refresh() should be
 * called at once, because statistics fds keep the memory of its VMs in the kernel.
 */
int monitor_fd(const struct monitor *monitor);

/* Whether the filter names PIDs, and none of them lives any more. */
bool monitor_has_ended(const struct monitor *monitor);

/*
 * After the filter's regular expression has changed.  Tracepoints start anew from 0, under new
 * targets.
 */
void monitor_select(struct monitor *monitor);

size_t monitor_targets(const struct monitor *monitor);

/* Now, in ns of CLOCK_MONOTONIC. */
uint64_t monitor_now(void);

#endif /* MONITOR_H */
