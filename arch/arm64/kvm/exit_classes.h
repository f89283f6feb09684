/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of exits; see asm/kvm_exit_classes.h. */
#ifndef __KVM_ARM64_EXIT_CLASSES_H
#define __KVM_ARM64_EXIT_CLASSES_H

#include <linux/kvm_types.h>

enum kvm_exit_class kvm_arm_exit_class(int exception, u32 esr);

#endif /* __KVM_ARM64_EXIT_CLASSES_H */
