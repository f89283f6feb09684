/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kvm-stats shows of a host: VMMs, their VMs and vCPUs, and the statistics of these. It is a
 * view of the library's struct kvmstats_host, of which it has what the filter selects.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "filter.h"
#include "kvmstats.h"
#include "message.h"
#include "proc.h"
#include "replay.h"
#include "stat.h"

#define LABEL_SIZE	48

struct vmm;

/* "file", "next", "proc" */
const char *origin_name(enum kvmstats_origin origin);

/* Describes an error of the library: -errno. The text is valid until the next call. */
const char *error_text(int err);

/* ---- targets ---- */

enum scope {
	SCOPE_VM,
	SCOPE_VCPU,
};

/* "vm", "vcpu" */
const char *scope_name(enum scope scope);

/* A VM or vCPU. Its address never changes. */
struct target {
	enum scope scope;
	uint64_t id;			/* of the VM, see kvmstats_host_vm_id() */
	int vm;				/* index of the VM in its VMM */
	int vcpu;			/* ID, -1: a VM */
	pid_t tid;			/* the thread of a vCPU, 0: not known */
	struct vmm *vmm;
	char label[LABEL_SIZE];		/* "vm", "vcpu0", "vm1", "vm1/vcpu0" */
	const struct stat_set *set;	/* empty if there are no statistics */
	const struct kvmstats_sample *now;	/* NULL: no values */
	const struct kvmstats_sample *before;	/* the previous sample, NULL: none yet */
	uint64_t waiting;		/* for a CPU now, in ns: kvmstats_host_vcpu_waiting() */
	uint64_t *baseline;		/* see sums.h */
};

/* ---- VMMs ---- */

/* A process that has VMs. Its address never changes. */
struct vmm {
	uint64_t id;			/* from 1; no later VMM has the same one */
	size_t index;			/* in monitor->vmm */
	pid_t pid;
	const char *comm;
	const char *guest;		/* see kvmstats_vmm_guest() */
	const char *uuid;		/* QEMU's -uuid, or NULL */
	const char *cgroup;		/* see kvmstats_vmm_cgroup() */
	int name_error;			/* see kvmstats_vmm_name_error() */
	bool orphan;			/* its process has ended, others keep the VM */
	size_t vms;
	size_t vcpus;
	struct target **target;		/* VMs, then vCPUs by ID: those that the filter selects */
	size_t targets;
	struct process process;		/* what /proc has, if the monitor reads it */
	const struct kvmstats_vmm *kvm;	/* the same in the library */
	char *copy[4];			/* of these texts, which the library forgets earlier */
};

/*
 * Returns what follows the name of the guest: " (provisional)" until its command line can be read.
 */
const char *vmm_name_mark(const struct vmm *vmm);

/* Returns the set of its targets with this scope, or NULL. */
const struct stat_set *vmm_set(const struct vmm *vmm, enum scope scope);

/* ---- monitors ---- */

/* The processes of which a monitor reads /proc */
enum monitor_processes {
	PROCESSES_UNREAD,
	PROCESSES_OF_VCPUS,	/* the VMMs, and their threads that run vCPUs */
	PROCESSES_ALL,		/* also their other threads */
	PROCESSES_STATES,	/* also the states of those, once per second, which costs most */
};

struct monitor_options {
	const struct filter *filter;	/* must outlive the monitor */
	/*
	 * NULL: this host. Otherwise the host file of this or of another one: a pin, a socket, a
	 * copy, or "-" for standard input.
	 */
	const char *from;
	/* If a member is set, or @from is a recording: its samples instead of those of a host. */
	struct replay_options replay;
	/*
	 * Count the exits of the selected VMMs while the monitor is open, if the host file of this
	 * host does not have them. It needs the capabilities to load BPF programs.
	 */
	bool exits;
	/* Watch the host's context switches while the monitor is open; not for copies. */
	bool switches;
	enum monitor_processes processes;
	/*
	 * Reports VMMs that appear after the first sample (@started), and those that have ended,
	 * which are freed afterwards. May be NULL.
	 */
	void (*event)(const struct vmm *vmm, bool started, void *arg);
	void *arg;
};

/* Users of a monitor may read all of it except for the last part, and may change the event. */
struct monitor {
	struct monitor_options options;
	struct kvmstats_host *host;
	struct vmm **vmm;		/* sorted by PID */
	size_t vmms;
	struct stat_sets sets;
	uint64_t time;			/* of the last sample, ns of CLOCK_MONOTONIC; 0: none */
	uint64_t time_before;		/* of the previous sample; 0: none */
	bool has_values;		/* false: the host has only what /proc shows */
	bool is_copy;			/* @time is that of another time or machine */
	uint64_t wall;			/* when a recorded sample was made, CLOCK_REALTIME; or 0 */
	/* Why the host has no values, or why the last sample failed, or "" */
	struct message problem;
	struct replay *replay;		/* or NULL */
	struct switches *switches;	/* or NULL */
	/* For model.c only: */
	size_t samples;
	struct private_host *private;	/* the host file that only this process can read, or NULL */
	struct message private_problem;	/* why it is NULL */
	uint64_t next_try;		/* when to load it again, if it is needed */
	struct processes processes;
	uint64_t states_time;		/* when PROCESSES_STATES were read last */
};

/*
 * Opens the host, or what options->from names. It is not an error if there is no VM, or no
 * statistics. Returns 0, or -errno with the reason in @why.
 */
int monitor_open(struct monitor **monitor, const struct monitor_options *options,
		 struct message *why);
void monitor_close(struct monitor *monitor);

/*
 * Reads the next sample of everything that is selected. Returns 0 or -errno, with the reason in
 * monitor->problem. -ENODATA: a copy has no more samples. After an error, everything is that of the
 * last sample, or there are no VMMs, as after -ENOMEM. The next call tries again.
 */
int monitor_sample(struct monitor *monitor);

/* Reads /proc for all VMMs: a part of monitor_sample(). Returns 0 or -ENOMEM. */
int monitor_read_processes(struct monitor *monitor);

/*
 * Writes the local time of the last sample to @buf, which has STAMP_SIZE bytes; of a copy of a host
 * file, the seconds since its host was booted. Returns @buf.
 */
const char *monitor_stamp(const struct monitor *monitor, char *buf);

/* Whether a VMM that the filter selects has this PID. */
bool monitor_has_vmm(const struct monitor *monitor, pid_t pid);

/* Whether the user selected processes by PID, and none of them exists. */
bool monitor_has_ended(const struct monitor *monitor);

/* Whether statistics are known, and the regular expression matches none of them. */
bool monitor_matches_nothing(const struct monitor *monitor);

/* The position of a loop over the targets of all VMMs, which must not change meanwhile. */
struct target_iterator {
	size_t vmm;
	size_t next;
};

/* Returns the next target, or NULL after the last one. @at is initialized with zeros. */
static inline struct target *monitor_next(const struct monitor *monitor,
					  struct target_iterator *at)
{
	for (; at->vmm < monitor->vmms; at->vmm++, at->next = 0) {
		const struct vmm *vmm = monitor->vmm[at->vmm];

		if (at->next < vmm->targets)
			return vmm->target[at->next++];
	}
	return NULL;
}

#define for_each_target(target, monitor) \
	for (struct target_iterator at_ = { 0 }; ((target) = monitor_next(monitor, &at_)); )

/* Exit statistics count for all VMs of the host, or for none. */
enum exits_state {
	EXITS_MISSING,		/* the last pass does not have them */
	EXITS_OFF,		/* they are 0, or of an earlier time */
	EXITS_ON,		/* or it is not known, because the parameter cannot be read */
};

enum exits_state monitor_exits(const struct monitor *monitor);

#endif /* MODEL_H */
