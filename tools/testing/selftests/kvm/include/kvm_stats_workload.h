/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that exits once, or keeps its vCPU busy.
 */
#ifndef SELFTEST_KVM_STATS_WORKLOAD_H
#define SELFTEST_KVM_STATS_WORKLOAD_H

#include "kvm_util.h"
#include "kvm_stats_guest.h"

#define IDLE_VCPU_ID	0	/* never runs */
#define VCPU_ID		STATS_VCPU_ID

/* What the guest does: exit once, or one of the others for ever. */
enum { GUEST_EXIT, GUEST_SPIN, GUEST_WAIT };

struct kvm_vm *stats_create_vm(void);

/* Runs the guest until it has exited. */
void stats_run_once(struct kvm_vm *vm);

/*
 * Runs GUEST_SPIN or GUEST_WAIT in a thread.  Returns when the vCPU is known to
 * spin in guest mode, or to block in the kernel.  It does so until the process
 * ends.
 */
const char *stats_keep_busy(struct kvm_vm *vm, unsigned int work);

#endif /* SELFTEST_KVM_STATS_WORKLOAD_H */
