// SPDX-License-Identifier: GPL-2.0-only
/* KUnit suite of the classes of exits: what the tables of exit_classes.c do not show. */
#include <kunit/test.h>
#include <linux/kvm_host.h>
#include <asm/svm.h>
#include <asm/vmx.h>

#include "x86.h"
#include "../../../virt/kvm/kvm_stats.h"

/* Reasons that KVM does not know, and those that have no class of their own. */
static void other_reasons_are_in_other(struct kunit *test)
{
	static const u32 svm[] = { SVM_EXIT_TASK_SWITCH, SVM_EXIT_XSETBV,
				   SVM_EXIT_INVPCID + 1, 0x1000, U32_MAX - 1 };
	static const u16 vmx[] = { EXIT_REASON_TASK_SWITCH, EXIT_REASON_XSETBV,
				   EXIT_REASON_TPAUSE + 1, 0x1000, U16_MAX };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(svm); i++)
		KUNIT_EXPECT_EQ(test, (int)kvm_svm_exit_class(svm[i], 0),
				(int)EXIT_CLASS_other);
	for (i = 0; i < ARRAY_SIZE(vmx); i++)
		KUNIT_EXPECT_EQ(test, (int)kvm_vmx_exit_class(vmx[i], 0, 0),
				(int)EXIT_CLASS_other);
}

#define EXPECT_SVM(class, code, info)					\
	KUNIT_EXPECT_EQ(test, (int)kvm_svm_exit_class(code, info),	\
			(int)EXIT_CLASS_##class)

static void svm_exits_depend_on_details(struct kunit *test)
{
	EXPECT_SVM(hlt, SVM_EXIT_HLT, 0);
	EXPECT_SVM(apic, SVM_EXIT_AVIC_INCOMPLETE_IPI, 0);
	EXPECT_SVM(msr_read, SVM_EXIT_MSR, 0);
	EXPECT_SVM(msr_write, SVM_EXIT_MSR, 1);
	EXPECT_SVM(page_fault, SVM_EXIT_NPF, PFERR_WRITE_MASK);
	EXPECT_SVM(mmio, SVM_EXIT_NPF, PFERR_WRITE_MASK | PFERR_RSVD_MASK);
	EXPECT_SVM(page_fault, SVM_EXIT_EXCP_BASE + PF_VECTOR, 0);
	EXPECT_SVM(mmio, SVM_EXIT_EXCP_BASE + PF_VECTOR, PFERR_RSVD_MASK);
	EXPECT_SVM(exception, SVM_EXIT_EXCP_BASE + UD_VECTOR, PFERR_RSVD_MASK);
	EXPECT_SVM(entry_failed, SVM_EXIT_ERR, 0);
}

#define EXPECT_VMX(class, reason, intr_info, error)			\
	KUNIT_EXPECT_EQ(test,						\
			(int)kvm_vmx_exit_class(reason, intr_info, error), \
			(int)EXIT_CLASS_##class)

static void vmx_exits_depend_on_details(struct kunit *test)
{
	const u16 event = EXIT_REASON_EXCEPTION_NMI;
	const u32 exception = INTR_INFO_VALID_MASK | INTR_TYPE_HARD_EXCEPTION;

	EXPECT_VMX(hlt, EXIT_REASON_HLT, 0, 0);
	EXPECT_VMX(interrupt, event, INTR_INFO_VALID_MASK |
		   INTR_TYPE_NMI_INTR | NMI_VECTOR, 0);
	EXPECT_VMX(page_fault, event, exception | PF_VECTOR, 0);
	EXPECT_VMX(mmio, event, exception | PF_VECTOR, PFERR_RSVD_MASK);
	EXPECT_VMX(exception, event, exception | UD_VECTOR, PFERR_RSVD_MASK);
	EXPECT_VMX(exception, event, INTR_INFO_VALID_MASK |
		   INTR_TYPE_SOFT_EXCEPTION | BP_VECTOR, 0);
}

static struct kunit_case exit_classes_cases[] = {
	KUNIT_CASE(svm_exits_depend_on_details),
	KUNIT_CASE(vmx_exits_depend_on_details),
	KUNIT_CASE(other_reasons_are_in_other),
	{}
};

struct kunit_suite kvm_exit_classes_suite = {
	.name = "kvm_stats_exit_classes",
	.test_cases = exit_classes_cases,
};
