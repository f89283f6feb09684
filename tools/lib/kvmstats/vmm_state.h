/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Shared by vmm.c and vmm_files.c only. */
#ifndef KVMSTATS_VMM_STATE_H
#define KVMSTATS_VMM_STATE_H

#include <sys/stat.h>

#include "guest.h"
#include "internal.h"
#include "vm_file.h"

struct kvmstats_target {
	const struct kvmstats_vmm *vmm;
	struct kvmstats_fd from;	/* from.fd is -1 if the target has no fd of its own */
	int vm;
	uint64_t number;		/* of the VM, 0: not known */
	size_t record;			/* of a vCPU in the file of its VM */
};

/* A VM whose statistics, and those of its vCPUs, are in one file. */
struct kvmstats_vm {
	uint64_t number;		/* 0: not known */
	int vmm_fd;			/* the fd of the VM in the VMM, -1: not known */
	int fd;				/* of the file, -1: the VM has ended */
	int err;			/* of the last read; -ENODEV: the VM has ended */
	struct kvmstats_file *file;
};

/*
 * Two numbers that can be read quickly, and that usually change when VMs or vCPUs are added or
 * removed. Before Linux 6.2 the number of fds is always 0.
 */
struct glance {
	nlink_t threads;
	off_t fds;
};

struct kvmstats_vmm {
	pid_t pid;			/* 0: not known */
	int pidfd;			/* -1: the PID is not known */
	char *comm;
	struct kvmstats_guest guest;
	bool distinct;
	size_t vms;
	size_t vcpus;
	struct kvmstats_target *target;
	size_t targets;
	struct kvmstats_fds fds;	/* all KVM fds at the last scan, including duplicates */
	struct kvmstats_fds buffer;	/* for the next scan */
	struct glance glance;
	/* For files of whole VMs: */
	struct kvmstats_schemas *schemas;	/* NULL: each VM and vCPU has a file of its own */
	bool by_number;			/* opened with KVM_STATS_NEXT, not with fds of the VMM */
	struct kvmstats_vm *vm;		/* empty if the files cannot be opened */
	size_t files;
};

/* Replaces vmm->target by the VMs and vCPUs in the files. Returns 0 or -ENOMEM. */
int kvmstats_vmm_list_files(struct kvmstats_vmm *vmm);

/* The same, if vCPUs were added, or the list failed before. Returns 1 then, 0 if not. */
int kvmstats_vmm_update_files(struct kvmstats_vmm *vmm);

/*
 * Opens the files of the VM fds among @fds, which are the distinct KVM fds of the VMM, and lists
 * their targets. After -errno the VMM has the files and targets that it had before.
 */
int kvmstats_vmm_open_files(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds);

/* Removes the VMs that have ended, and their targets. */
void kvmstats_vmm_drop_ended(struct kvmstats_vmm *vmm);

void kvmstats_vmm_close_files(struct kvmstats_vmm *vmm);

#endif /* KVMSTATS_VMM_STATE_H */
