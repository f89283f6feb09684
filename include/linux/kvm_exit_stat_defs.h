/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The exit statistics of a vCPU; see linux/kvm_types.h.  asm/kvm_exit_classes.h
 * lists the classes of exits of the architecture.  This file has no include
 * guard, because it is included twice.
 */
KVM_STAT_FIELD(struct kvm_exit_class_stat exit_class[KVM_EXIT_CLASSES])
#include <asm/kvm_exit_classes.h>
KVM_STAT_HIST(exit_hist, LOG2_NS)
KVM_STAT(guest_ns, COUNTER_NS)
KVM_STAT(userspace_ns, COUNTER_NS)
KVM_STAT(halted_ns, COUNTER_NS)
