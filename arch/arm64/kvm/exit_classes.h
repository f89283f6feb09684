/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of exits; see asm/kvm_exit_classes.h. */
#ifndef __KVM_ARM64_EXIT_CLASSES_H
#define __KVM_ARM64_EXIT_CLASSES_H

#include <linux/types.h>

struct kvm_vcpu;

/*
 * Return the number of the class of an exit, or 0 if its reason is not known.
 * @exception is what __kvm_vcpu_run() returned.  @esr matters only for traps.
 * Accesses to addresses without memory are in the class page_fault.
 */
unsigned int kvm_arm_exit_class(int exception, u32 esr);

/* Return the number of the class of the vCPU's last exit. */
unsigned int kvm_arm_vcpu_exit_class(struct kvm_vcpu *vcpu, int exception);

#endif /* __KVM_ARM64_EXIT_CLASSES_H */
