/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VMM and its targets.
 *
 * When a VMM may have changed, targets_begin() sets the current targets aside. The sources then
 * register every target that exists now: target_keep() for known ones, target_add() for new
 * ones. targets_end() frees the targets that no source registered.
 */
#ifndef TARGETS_VMM_H
#define TARGETS_VMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kvmstats.h"
#include "targets/target.h"

/* Paths of QMP sockets are cut to this size in messages. */
#define QMP_PATH_SIZE	128

struct target_list {
	struct target **target;
	size_t count;
	size_t capacity;
};

struct vmm {
	pid_t pid;			/* 0: not known, or the whole machine */
	uint64_t number;		/* of the VM if @pid is not known, or 0 */
	const char *comm;
	const char *guest;		/* see kvmstats_vmm_guest() */
	const char *uuid;		/* QEMU's -uuid, or NULL */
	size_t vms;
	size_t vcpus;
	struct target **target;		/* VMs, then vCPUs by ID; of all sources */
	size_t targets;
	size_t missing;			/* number of VMs and vCPUs that cannot be read */
	size_t missing_vcpus;		/* how many of them are vCPUs */
	char missing_label[LABEL_SIZE];	/* label of the first of them */
	int fd_error;			/* why fds are missing: -errno, or 0 */
	int qmp_error;			/* the same for QMP, if it is used */
	char qmp_path[QMP_PATH_SIZE];	/* the socket of this error, or "" */
	uint64_t qmp_retry;		/* when QMP may be tried again, in ns of CLOCK_MONOTONIC */
	int debugfs_error;		/* the same for debugfs, if it is used */
	int tracepoints_error;
	const struct kvmstats_vmm *kvm;	/* NULL: the whole machine */
	const struct kvmstats_watch *watch;	/* the same VMM in the monitor of the library */
	/* For vmm.c only: */
	struct target_list list;	/* @target points to its array */
	struct target_list old;		/* the targets set aside; kept ones are NULL */
	size_t cursor;			/* index in @old at which the next search starts */
	bool changed;
};

/* Identifies a VMM, and is the order of VMMs. 0: the whole machine. PIDs have 22 bits. */
static inline uint64_t vmm_key(const struct vmm *vmm)
{
	return vmm->number ? vmm->number + (1ull << 32) : (uint64_t)vmm->pid;
}

/* @watch is NULL for the whole machine. Returns NULL if memory is exhausted. */
struct vmm *vmm_new(const struct kvmstats_watch *watch);
void vmm_free(struct vmm *vmm);

/* Updates the numbers of VMs and vCPUs from vmm->kvm. */
void vmm_count(struct vmm *vmm);

/* Whether some statistics of @vmm come from @origin. */
bool vmm_has_origin(const struct vmm *vmm, enum origin origin);

/*
 * Whether the statistics of the VMs include the sums over their vCPUs, as in debugfs. Then fds that
 * cannot be opened are not missing.
 */
bool vmm_has_sums(const struct vmm *vmm);

/*
 * Whether only statistics of the VM itself are missing, because only the VMM can open them and
 * keeps no fd of them, as QEMU 8.1 and later. debugfs can have some of them.
 */
bool vmm_lacks_only_vm(const struct vmm *vmm);

/*
 * The same, if the user did not ask for them: by --vm, by --qmp, or by an expression that matches
 * no other statistic of the VMM. Then this is not a failure, because the user cannot change it.
 */
bool vmm_may_lack_vm(const struct vmm *vmm, const struct filter *filter);

/* Writes the names of all sources of @vmm, such as "taken+debugfs" or "none", and returns @buf. */
const char *vmm_sources(const struct vmm *vmm, char *buf, size_t size);

void targets_begin(struct vmm *vmm);
/* Returns whether targets were added or removed. */
bool targets_end(struct vmm *vmm);

/*
 * Updates vmm->missing and vmm->fd_error from the statistics fds that cannot be opened, and that no
 * other source replaces.
 */
void vmm_count_missing(struct vmm *vmm);

/*
 * Returns why the statistics of a VM or vCPU are missing, or 0: another source may have them, or it
 * has ended, and the monitor is about to release it.
 */
int vmm_reader_error(const struct vmm *vmm, const struct kvmstats_reader *reader);

/* Keeps the target with this key and returns it, or NULL if no target has the key. */
struct target *target_keep(struct vmm *vmm, const struct target_key *key);

/*
 * Adds a target. The caller must set its fd, origin and private at once. Returns NULL if memory
 * is exhausted.
 */
struct target *target_add(struct vmm *vmm, const struct target_key *key,
			  const struct stat_set *set);

/* Frees all targets, and the memory of the lists. */
void targets_free(struct vmm *vmm);

/* Reads a new sample of each target. Frees those that fail, and returns whether any did. */
bool targets_read(struct vmm *vmm);

#endif /* TARGETS_VMM_H */
