/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kvm-stats knows about the machine: VMMs, their VMs and vCPUs, the statistics of these, and
 * what cannot be read.
 *
 * A monitor of the library finds the VMMs and reads their statistics fds, see kvmstats.h. This
 * monitor adds the targets of other sources to each VMM. It prints nothing, and reports what
 * happens to options.event().
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "filter.h"
#include "kvmstats.h"
#include "stat.h"

#define LABEL_SIZE	48

/* Paths of QMP sockets are cut to this size in messages. */
#define QMP_PATH_SIZE	128

struct monitor;
struct target;
struct vmm;

/* ---- sources: where statistics come from ---- */

enum origin {
	ORIGIN_OPENED = KVMSTATS_ORIGIN_OPENED,	/* statistics fds that kvm-stats opened */
	ORIGIN_TAKEN = KVMSTATS_ORIGIN_DUPLICATED,	/* copies of those that the VMM holds */
	ORIGIN_NEXT = KVMSTATS_ORIGIN_NEXT,	/* files of whole VMs, of KVM_STATS_NEXT */
	ORIGIN_OPEN = KVMSTATS_ORIGIN_OPEN,	/* the same, of KVM_STATS_OPEN */
	ORIGIN_QMP,				/* statistics fds that QEMU reads */
	ORIGIN_DEBUGFS,
	ORIGIN_TRACEPOINTS,
	ORIGINS,
};

/* "opened", "taken", "next", "open", "qmp", "debugfs", "tracepoints" */
const char *origin_name(enum origin origin);

/*
 * Returns "statistics fds opened by kvm-stats and KVM tracepoints", or "none". Text that functions
 * of this file return is valid until the function is called again.
 */
const char *origins_text(unsigned int origins);

/* Describes an error of the library: -errno. */
const char *error_text(int err);

/*
 * A source adds targets to a VMM, reads them, and releases them. The sources are in the folder
 * source/, except for that of statistics fds.
 */
struct source {
	/* Called once at the start. Returns 0, or -errno if the source is unusable. May be NULL. */
	int (*open)(struct monitor *monitor);
	void (*close)(struct monitor *monitor);
	/*
	 * Registers all current targets of @vmm with target_keep() and target_add(). Returns 0,
	 * or -errno if some or all of them are missing.
	 */
	int (*attach)(struct monitor *monitor, struct vmm *vmm);
	/* Called once before the targets of all VMMs are read. May be NULL. */
	void (*sample)(struct monitor *monitor);
	/*
	 * Reads all values into target->values. On error (-errno) the caller drops the target. A
	 * source that has samples of its own lets target->now and target->before point to them.
	 */
	int (*read)(struct target *target);
	bool has_samples;
	bool replaces_fds;	/* has the statistics of fds that cannot be opened */
	bool has_sums;		/* VMs have the sums over their vCPUs; vCPUs are not targets */
	void (*detach)(struct target *target);	/* may be NULL */
};

/*
 * QEMU's answers to query-stats, for VMs and vCPUs whose statistics fds cannot be opened. It needs
 * json-c (HAVE_JSON is 1).
 */
extern const struct source source_qmp;

/* All files in debugfs: the sums over the vCPUs of each VM, and the statistics of the VM. */
extern const struct source source_debugfs;

/* Only the statistics of the VM, for VMMs whose vCPUs other sources read. */
extern const struct source source_debugfs_vm;

/* How often tracepoints were hit. */
extern const struct source source_tracepoints;

/* Describes why QMP has no statistics. @err is -errno. */
const char *qmp_error_text(int err);

/* Writes the path of a QMP socket that the VMM listens on to @buf, or "". */
void qmp_find_path(const struct vmm *vmm, char *buf, size_t size);

/* ---- targets ---- */

enum scope {
	SCOPE_VM,	/* debugfs: includes the sums over its vCPUs */
	SCOPE_VCPU,
	SCOPE_VMM,	/* tracepoints of all threads of a VMM */
	SCOPE_HOST,	/* tracepoints of the whole machine */
};

/* "vm", "vcpu", "vmm", "host" */
const char *scope_name(enum scope scope);

/* A VM, a vCPU, or another thing that has statistics. Its address never changes. */
struct target {
	/* Which one it is, together with vmm_fd and number below */
	const struct source *source;
	enum scope scope;
	int vm;				/* index of the VM in its VMM, -1: unknown */
	int vcpu;			/* ID, -1: not a vCPU */

	struct vmm *vmm;
	char label[LABEL_SIZE];		/* "vm", "vcpu0", "vm1", "vm1/vcpu0", "vm?/vcpu0#12", ... */
	enum origin origin;
	const struct stat_set *set;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;	/* the previous sample; empty at first */
	uint64_t *baseline;		/* see sums.h */
	/* For the source only: */
	int vmm_fd;			/* number of the fd of the VM or vCPU in the VMM, or -1 */
	uint64_t number;		/* the kernel's number of the VM, 0: unknown */
	int fd;
	int err;			/* why it does not have all statistics: -errno, or 0 */
	uint64_t *values;		/* one for each value of @set, unless it has samples */
	void *private;
};

/* Returns which target represents the VM or vCPU @from in @source, for target_keep(). */
struct target target_of(const struct source *source, const struct kvmstats_target *from);

/*
 * When a VMM may have changed, targets_begin() sets its targets aside. The sources then register
 * each target that exists now. targets_end() frees those that no source has registered, and
 * returns whether targets were added or removed.
 */
void targets_begin(struct vmm *vmm);
bool targets_end(struct vmm *vmm);

/*
 * Keeps the target that @key identifies, and that has its set unless that is NULL. Returns NULL if
 * the target does not exist.
 */
struct target *target_keep(struct vmm *vmm, const struct target *key);

/* Adds a copy of @target, which has a set. Returns NULL if memory is exhausted. */
struct target *target_add(struct vmm *vmm, const struct target *target);

/* Frees all targets. */
void targets_free(struct vmm *vmm);

/* Reads a new sample, and keeps the previous one. Returns 0 or -errno. */
int target_read(struct target *target);

/* Reads a new sample of each target. Frees those that fail, and returns whether any did. */
bool targets_read(struct vmm *vmm);

/* ---- VMMs ---- */

/* What cannot be read of a VMM, and why: -errno, or 0. */
struct unread {
	size_t count;			/* number of VMs and vCPUs */
	size_t vcpus;			/* how many of them are vCPUs */
	char label[LABEL_SIZE];		/* the first of them with @fd_error */
	int fd_error;			/* if they differ, the first that the user can change */
	int qmp_error;			/* if QMP is used */
	int debugfs_error;		/* if debugfs is used */
	int tracepoints_error;
	int name_error;			/* see kvmstats_vmm_name_error() */
};

struct vmm {
	uint64_t id;			/* from 1; no later VMM has the same one */
	pid_t pid;			/* 0: not known, or the whole machine */
	uint64_t number;		/* of the VM if @pid is not known, or 0 */
	const char *comm;
	const char *guest;		/* see kvmstats_vmm_guest() */
	const char *uuid;		/* QEMU's -uuid, or NULL */
	const char *cgroup;		/* see kvmstats_vmm_cgroup() */
	size_t vms;
	size_t vcpus;
	struct target **target;		/* VMs, then vCPUs by ID; of all sources */
	size_t targets;
	struct unread unread;
	struct unread reported;		/* what unread.c has printed of it */
	char *qmp_socket;		/* that answers, or of unread.qmp_error; or NULL */
	uint64_t qmp_retry;		/* when QMP may be tried again, in ns of CLOCK_MONOTONIC */
	const struct kvmstats_vmm *kvm;	/* the same in the library; NULL: the whole machine */
	/* For model.c only: */
	size_t capacity;		/* of @target */
	struct target **old;		/* the targets set aside; kept ones are NULL */
	size_t olds;
	size_t cursor;			/* index in @old at which the next search starts */
	bool changed;
};

/* Identifies a VMM, and is the order of VMMs. 0: the whole machine. PIDs have 22 bits. */
static inline uint64_t vmm_key(const struct vmm *vmm)
{
	return vmm->number ? vmm->number + (1ull << 32) : (uint64_t)vmm->pid;
}

/*
 * Writes the IDs of all vCPUs in ascending order, also of those that the filter does not select.
 * @id has room for vmm->vcpus. Returns their number.
 */
size_t vmm_vcpu_ids(const struct vmm *vmm, int *id);

/*
 * Returns what follows the name of the guest: " (provisional)" until its command line can be read.
 */
const char *vmm_name_mark(const struct vmm *vmm);

/* Returns the set of its targets with this scope, or NULL. On one kernel, all have the same. */
const struct stat_set *vmm_set(const struct vmm *vmm, enum scope scope);

/* Returns the origins of its targets, as bits. */
unsigned int vmm_origins(const struct vmm *vmm);

/* Returns the names of all sources of @vmm, such as "taken+debugfs" or "none". */
const char *vmm_sources(const struct vmm *vmm);

/*
 * Whether the statistics of the VMs include the sums over their vCPUs, as in debugfs. Then fds that
 * cannot be opened are not missing.
 */
bool vmm_has_sums(const struct vmm *vmm);

/* Returns why statistics are missing, except for QMP: -errno of the first source, or 0. */
int vmm_error(const struct vmm *vmm);

/*
 * Whether only statistics of the VM itself are missing, because only the VMM can open them and
 * keeps no fd of them, as QEMU 8.1 and later. debugfs can have some of them.
 */
bool vmm_lacks_only_vm(const struct vmm *vmm);

/*
 * Whether statistics that the user selected cannot be read, see EXIT STATUS in kvm-stats(1): the
 * user cannot change that those of the VM itself are missing.
 */
bool vmm_fails(const struct vmm *vmm, const struct filter *filter);

/* ---- monitors ---- */

/* The sources to use: a bit mask. */
enum sources {
	SOURCES_AUTO = 0,	/* fds, and debugfs for VMMs whose fds cannot be opened */
	SOURCES_FD = 1,
	SOURCES_DEBUGFS = 2,
	SOURCES_TRACEPOINTS = 4,
};

struct monitor_options {
	const struct filter *filter;	/* must outlive the monitor */
	enum sources sources;
	bool spares_fds;		/* leave some fds to the terminal, HTTP clients and /proc */
	/*
	 * Reports all events of the library except for KVMSTATS_EVENT_SCANNED. @vmm is NULL for
	 * those of the search, and is freed after KVMSTATS_EVENT_ENDED. May be NULL.
	 */
	void (*event)(enum kvmstats_event event, const struct vmm *vmm, void *arg);
	void *arg;
};

/* Users of a monitor may read all of it except for the last part. */
struct monitor {
	struct monitor_options options;
	struct vmm **vmm;		/* sorted by vmm_key() */
	size_t vmms;
	struct stat_sets sets;
	size_t denied;			/* processes that kvm-stats may not examine */
	int search_error;		/* why the search for new VMMs fails, or 0 */
	uint64_t generation;		/* changes whenever VMMs or targets change */
	uint64_t time;			/* of the last sample, ns of CLOCK_MONOTONIC; 0: none */
	uint64_t time_before;		/* of the previous sample; 0: none */
	struct kvmstats_monitor *library;	/* finds VMMs, and reads statistics fds */
	/* For model.c and the sources: */
	size_t capacity;		/* of @vmm */
	int error;			/* of the handling of an event: -errno, or 0 */
	unsigned int selections;	/* how often the regular expression changed */
	void *tracepoints;		/* for source/tracepoints.c */
	void *qmp;			/* for source/qmp.c; NULL: not used */
};

/*
 * Starts to watch what the filter selects. It is not an error if that does not exist. Returns 0,
 * or -errno if nothing can be watched: no /proc, no memory, or an unusable source.
 */
int monitor_open(struct monitor **monitor, const struct monitor_options *options);
void monitor_close(struct monitor *monitor);

/*
 * Updates the list of VMMs. monitor_sample() does this, too. A failed search for new VMMs is not
 * an error: it is reported as an event and repeated one second later. Returns 0 or -errno.
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

/* Whether the user selected processes by PID, and all of them have ended. */
bool monitor_has_ended(const struct monitor *monitor);

/*
 * Call it after the regular expression of the filter changed. Tracepoints are counted from 0
 * again, in new targets.
 */
void monitor_select(struct monitor *monitor);

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

bool monitor_has_targets(const struct monitor *monitor);

/* Exit statistics count for all VMs of the host, or for none. */
enum exits_state {
	EXITS_MISSING,		/* the kernel does not have them, or no VM is known */
	EXITS_OFF,		/* they are 0, or of an earlier time */
	EXITS_ON,		/* or it is not known, because the parameter cannot be read */
};

enum exits_state monitor_exits(const struct monitor *monitor);

#endif /* MODEL_H */
