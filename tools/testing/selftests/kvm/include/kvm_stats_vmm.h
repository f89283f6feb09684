/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VMs for checks that run no guest code.  Either this process creates the VM, or
 * a separate VMM process does, which then passes its fds to this process.
 *
 * A program that needs <linux/kvm.h> must include it before this file.  Other
 * programs need not include it: the <linux/kvm.h> of the build host may define
 * a struct kvm_stats_header of its own.
 */
#ifndef SELFTEST_KVM_STATS_VMM_H
#define SELFTEST_KVM_STATS_VMM_H

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "kvm_stats_run.h"

#ifndef KVM_CREATE_VM
#define KVM_CREATE_VM		_IO(0xAE, 0x01)
#define KVM_CHECK_EXTENSION	_IO(0xAE, 0x03)
#define KVM_CREATE_VCPU		_IO(0xAE, 0x41)
#define KVM_RUN			_IO(0xAE, 0x80)
#endif

#ifndef SYS_pidfd_open
#define SYS_pidfd_open		434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd		438
#endif

/* The id differs from the index, so that a test notices if KVM mixes them up. */
#define STATS_VCPU_ID		3

enum {
	STATS_FD_VM,
	STATS_FD_VCPU,
	STATS_FD_VM_STATS,
	STATS_FD_VCPU_STATS,
	STATS_NUM_FDS,
};

struct stats_vmm {
	pid_t pid;
	int remote[STATS_NUM_FDS];	/* numbers of the fds in the VMM */
	int fds[STATS_NUM_FDS];		/* the same files in this process */
};

/* Creates a VM with one vCPU and opens the statistics of both. */
const char *stats_bare_vm(int fds[STATS_NUM_FDS]);
void stats_close_fds(int fds[STATS_NUM_FDS]);

/* Starts a VMM process, which lives until it is killed. */
const char *stats_vmm_start(struct stats_vmm *vmm);
void stats_vmm_kill(struct stats_vmm *vmm);

/* Duplicates an fd of the VMM, with pidfd_getfd(). */
const char *stats_vmm_take(const struct stats_vmm *vmm, int which, int *fd);

bool stats_send_fds(int socket, const int fds[STATS_NUM_FDS]);
bool stats_receive_fds(int socket, struct stats_vmm *vmm);

/*
 * What checks of a statistics fd have in common: compare a read with the loaded
 * file, expect an error, and open the fd.
 */

/* Returns @vm if the target is a VM, @vcpu if it is a vCPU. */
int stats_target_kind(const struct stats_target *target, int vm, int vcpu);

/* Formats the id that the file has if the process @vmm created the VM. */
void stats_target_id(const struct stats_target *target, pid_t vmm,
		     char id[STATS_NAME_SIZE]);

/*
 * Checks that a read at @offset, which returned @got and has written to @buf,
 * delivered @expected bytes that are equal to those of the loaded file.
 */
const char *stats_same(const struct stats_target *target, const void *buf,
		       ssize_t got, size_t offset, size_t expected);

/* Checks that @what failed: @result is negative and errno is @expected. */
const char *stats_refused(const char *what, long result, int expected);

const char *stats_getfd(int getfd_fd, int *fd);

/* Checks that @fd, opened from a VM of the process @vmm, is a complete file. */
const char *stats_still_reads(struct stats_target *target, int fd, pid_t vmm);

#endif /* SELFTEST_KVM_STATS_VMM_H */
