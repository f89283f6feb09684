/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of exits; see asm/kvm_exit_classes.h. */
#ifndef __KVM_X86_EXIT_CLASSES_H
#define __KVM_X86_EXIT_CLASSES_H

#include <linux/kvm_types.h>

enum kvm_exit_class kvm_svm_exit_class(u32 exit_code, u64 exit_info_1);
enum kvm_exit_class kvm_vmx_exit_class(u16 reason, u32 intr_info,
				       u32 error_code);

#endif /* __KVM_X86_EXIT_CLASSES_H */
