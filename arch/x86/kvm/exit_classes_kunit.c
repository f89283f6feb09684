// SPDX-License-Identifier: GPL-2.0-only
/* KUnit suite of the classes of exits: each exit reason is in the right class. */
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

static void svm_exits_are_in_their_class(struct kunit *test)
{
	EXPECT_SVM(cr_access, SVM_EXIT_READ_CR0, 0);
	EXPECT_SVM(cr_access, SVM_EXIT_WRITE_CR8, 0);
	EXPECT_SVM(dr_access, SVM_EXIT_READ_DR0, 0);
	EXPECT_SVM(dr_access, SVM_EXIT_WRITE_DR7, 0);
	EXPECT_SVM(exception, SVM_EXIT_EXCP_BASE, 0);
	EXPECT_SVM(exception, SVM_EXIT_LAST_EXCP, 0);
	EXPECT_SVM(interrupt, SVM_EXIT_INTR, 0);
	EXPECT_SVM(interrupt, SVM_EXIT_NMI, 0);
	EXPECT_SVM(interrupt_window, SVM_EXIT_VINTR, 0);
	EXPECT_SVM(interrupt_window, SVM_EXIT_IRET, 0);
	EXPECT_SVM(rdtsc, SVM_EXIT_RDTSC, 0);
	EXPECT_SVM(cpuid, SVM_EXIT_CPUID, 0);
	EXPECT_SVM(cache, SVM_EXIT_WBINVD, 0);
	EXPECT_SVM(pause, SVM_EXIT_PAUSE, 0);
	EXPECT_SVM(hlt, SVM_EXIT_HLT, 0);
	EXPECT_SVM(tlb, SVM_EXIT_INVLPG, 0);
	EXPECT_SVM(tlb, SVM_EXIT_INVPCID, 0);
	EXPECT_SVM(io, SVM_EXIT_IOIO, 0);
	EXPECT_SVM(shutdown, SVM_EXIT_SHUTDOWN, 0);
	EXPECT_SVM(nested, SVM_EXIT_VMRUN, 0);
	EXPECT_SVM(hypercall, SVM_EXIT_VMMCALL, 0);
	EXPECT_SVM(mwait, SVM_EXIT_MWAIT, 0);
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

static void vmx_exits_are_in_their_class(struct kunit *test)
{
	const u16 event = EXIT_REASON_EXCEPTION_NMI;
	const u32 exception = INTR_INFO_VALID_MASK | INTR_TYPE_HARD_EXCEPTION;

	EXPECT_VMX(interrupt, event, INTR_INFO_VALID_MASK |
		   INTR_TYPE_NMI_INTR | NMI_VECTOR, 0);
	EXPECT_VMX(page_fault, event, exception | PF_VECTOR, 0);
	EXPECT_VMX(mmio, event, exception | PF_VECTOR, PFERR_RSVD_MASK);
	EXPECT_VMX(exception, event, exception | UD_VECTOR, PFERR_RSVD_MASK);
	EXPECT_VMX(exception, event, INTR_INFO_VALID_MASK |
		   INTR_TYPE_SOFT_EXCEPTION | BP_VECTOR, 0);
	EXPECT_VMX(interrupt, EXIT_REASON_EXTERNAL_INTERRUPT, 0, 0);
	EXPECT_VMX(shutdown, EXIT_REASON_TRIPLE_FAULT, 0, 0);
	EXPECT_VMX(interrupt_window, EXIT_REASON_NMI_WINDOW, 0, 0);
	EXPECT_VMX(cpuid, EXIT_REASON_CPUID, 0, 0);
	EXPECT_VMX(hlt, EXIT_REASON_HLT, 0, 0);
	EXPECT_VMX(tlb, EXIT_REASON_INVLPG, 0, 0);
	EXPECT_VMX(rdtsc, EXIT_REASON_RDTSCP, 0, 0);
	EXPECT_VMX(hypercall, EXIT_REASON_VMCALL, 0, 0);
	EXPECT_VMX(nested, EXIT_REASON_VMLAUNCH, 0, 0);
	EXPECT_VMX(cr_access, EXIT_REASON_CR_ACCESS, 0, 0);
	EXPECT_VMX(dr_access, EXIT_REASON_DR_ACCESS, 0, 0);
	EXPECT_VMX(io, EXIT_REASON_IO_INSTRUCTION, 0, 0);
	EXPECT_VMX(msr_read, EXIT_REASON_MSR_READ, 0, 0);
	EXPECT_VMX(msr_write, EXIT_REASON_MSR_WRITE, 0, 0);
	EXPECT_VMX(entry_failed, EXIT_REASON_INVALID_STATE, 0, 0);
	EXPECT_VMX(mwait, EXIT_REASON_TPAUSE, 0, 0);
	EXPECT_VMX(pause, EXIT_REASON_PAUSE_INSTRUCTION, 0, 0);
	EXPECT_VMX(apic, EXIT_REASON_APIC_WRITE, 0, 0);
	EXPECT_VMX(preemption_timer, EXIT_REASON_PREEMPTION_TIMER, 0, 0);
	EXPECT_VMX(cache, EXIT_REASON_WBINVD, 0, 0);
	EXPECT_VMX(dirty_log, EXIT_REASON_PML_FULL, 0, 0);
	EXPECT_VMX(page_fault, EXIT_REASON_EPT_VIOLATION, 0, 0);
	EXPECT_VMX(mmio, EXIT_REASON_EPT_MISCONFIG, 0, 0);
}

static struct kunit_case exit_classes_cases[] = {
	KUNIT_CASE(svm_exits_are_in_their_class),
	KUNIT_CASE(vmx_exits_are_in_their_class),
	KUNIT_CASE(other_reasons_are_in_other),
	{}
};

struct kunit_suite kvm_exit_classes_suite = {
	.name = "kvm_stats_exit_classes",
	.test_cases = exit_classes_cases,
};
