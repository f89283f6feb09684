/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of exits; see asm/kvm_exit_classes.h. */
#ifndef __KVM_X86_EXIT_CLASSES_H
#define __KVM_X86_EXIT_CLASSES_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/svm.h>

#define KVM_SVM_EXIT_CLASSES	(SVM_EXIT_INVPCID + 1)

extern const u8 kvm_svm_exit_classes[KVM_SVM_EXIT_CLASSES];

/* The class of an exit that is not in the table. */
unsigned int kvm_svm_detailed_exit_class(u32 exit_code, u64 exit_info_1);

/* Return the number of the class, or 0 if the reason of the exit is not known. */
static inline unsigned int kvm_svm_exit_class(u32 exit_code, u64 exit_info_1)
{
	if (likely(exit_code < KVM_SVM_EXIT_CLASSES &&
		   kvm_svm_exit_classes[exit_code]))
		return kvm_svm_exit_classes[exit_code];

	return kvm_svm_detailed_exit_class(exit_code, exit_info_1);
}

unsigned int kvm_vmx_exit_class(u16 reason, u32 intr_info, u32 error_code);

#endif /* __KVM_X86_EXIT_CLASSES_H */
