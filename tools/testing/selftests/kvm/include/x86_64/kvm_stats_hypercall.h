/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hypercalls with the instruction of the CPU, VMCALL or VMMCALL.  With the other
 * one KVM would patch the guest code, and count more than the hypercall.
 */
#ifndef SELFTEST_KVM_STATS_HYPERCALL_H
#define SELFTEST_KVM_STATS_HYPERCALL_H

#include "kvm_util.h"

/* For the VMM, before the guest runs. */
void stats_hypercall_prepare(struct kvm_vm *vm);

/* For the guest. */
uint64_t guest_hypercall(uint64_t nr, uint64_t argument);

#endif /* SELFTEST_KVM_STATS_HYPERCALL_H */
