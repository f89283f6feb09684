// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM exit statistics: the class of each exit reason of SVM and VMX
 *
 * Documentation/virt/kvm/stats-reference.rst lists the reasons of each class.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kvm_exit_stats.h>
#include <asm/svm.h>
#include <asm/vmx.h>

#include "x86.h"

/* The reasons that alone decide the class, except for the class "other". */
static const u8 svm_classes[] = {
	[SVM_EXIT_READ_CR0]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_READ_CR2]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_READ_CR3]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_READ_CR4]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_READ_CR8]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_WRITE_CR0]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_WRITE_CR2]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_WRITE_CR3]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_WRITE_CR4]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_WRITE_CR8]		= EXIT_CLASS_cr_access,
	[SVM_EXIT_READ_DR0 ... SVM_EXIT_READ_DR7] = EXIT_CLASS_dr_access,
	[SVM_EXIT_WRITE_DR0 ... SVM_EXIT_WRITE_DR7] = EXIT_CLASS_dr_access,
	[SVM_EXIT_EXCP_BASE ... SVM_EXIT_EXCP_BASE + PF_VECTOR - 1] = EXIT_CLASS_exception,
	[SVM_EXIT_EXCP_BASE + PF_VECTOR + 1 ... SVM_EXIT_LAST_EXCP] = EXIT_CLASS_exception,
	[SVM_EXIT_INTR]			= EXIT_CLASS_interrupt,
	[SVM_EXIT_NMI]			= EXIT_CLASS_interrupt,
	[SVM_EXIT_SMI]			= EXIT_CLASS_interrupt,
	[SVM_EXIT_INIT]			= EXIT_CLASS_shutdown,
	[SVM_EXIT_VINTR]		= EXIT_CLASS_interrupt_window,
	[SVM_EXIT_CR0_SEL_WRITE]	= EXIT_CLASS_cr_access,
	[SVM_EXIT_RDTSC]		= EXIT_CLASS_rdtsc,
	[SVM_EXIT_RDPMC]		= EXIT_CLASS_rdtsc,
	[SVM_EXIT_CPUID]		= EXIT_CLASS_cpuid,
	[SVM_EXIT_IRET]			= EXIT_CLASS_interrupt_window,
	[SVM_EXIT_INVD]			= EXIT_CLASS_cache,
	[SVM_EXIT_PAUSE]		= EXIT_CLASS_pause,
	[SVM_EXIT_HLT]			= EXIT_CLASS_hlt,
	[SVM_EXIT_INVLPG]		= EXIT_CLASS_tlb,
	[SVM_EXIT_INVLPGA]		= EXIT_CLASS_nested,
	[SVM_EXIT_IOIO]			= EXIT_CLASS_io,
	[SVM_EXIT_SHUTDOWN]		= EXIT_CLASS_shutdown,
	[SVM_EXIT_VMRUN]		= EXIT_CLASS_nested,
	[SVM_EXIT_VMMCALL]		= EXIT_CLASS_hypercall,
	[SVM_EXIT_VMLOAD]		= EXIT_CLASS_nested,
	[SVM_EXIT_VMSAVE]		= EXIT_CLASS_nested,
	[SVM_EXIT_STGI]			= EXIT_CLASS_nested,
	[SVM_EXIT_CLGI]			= EXIT_CLASS_nested,
	[SVM_EXIT_SKINIT]		= EXIT_CLASS_nested,
	[SVM_EXIT_RDTSCP]		= EXIT_CLASS_rdtsc,
	[SVM_EXIT_WBINVD]		= EXIT_CLASS_cache,
	[SVM_EXIT_MONITOR]		= EXIT_CLASS_mwait,
	[SVM_EXIT_MWAIT]		= EXIT_CLASS_mwait,
	[SVM_EXIT_MWAIT_COND]		= EXIT_CLASS_mwait,
	[SVM_EXIT_INVPCID]		= EXIT_CLASS_tlb,
};

static const u8 vmx_classes[] = {
	[EXIT_REASON_EXCEPTION_NMI]		= EXIT_CLASS_exception,
	[EXIT_REASON_EXTERNAL_INTERRUPT]	= EXIT_CLASS_interrupt,
	[EXIT_REASON_TRIPLE_FAULT]		= EXIT_CLASS_shutdown,
	[EXIT_REASON_INIT_SIGNAL]		= EXIT_CLASS_shutdown,
	[EXIT_REASON_INTERRUPT_WINDOW]		= EXIT_CLASS_interrupt_window,
	[EXIT_REASON_NMI_WINDOW]		= EXIT_CLASS_interrupt_window,
	[EXIT_REASON_CPUID]			= EXIT_CLASS_cpuid,
	[EXIT_REASON_HLT]			= EXIT_CLASS_hlt,
	[EXIT_REASON_INVD]			= EXIT_CLASS_cache,
	[EXIT_REASON_INVLPG]			= EXIT_CLASS_tlb,
	[EXIT_REASON_RDPMC]			= EXIT_CLASS_rdtsc,
	[EXIT_REASON_RDTSC]			= EXIT_CLASS_rdtsc,
	[EXIT_REASON_VMCALL]			= EXIT_CLASS_hypercall,
	[EXIT_REASON_VMCLEAR]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMLAUNCH]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMPTRLD]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMPTRST]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMREAD]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMRESUME]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMWRITE]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMOFF]			= EXIT_CLASS_nested,
	[EXIT_REASON_VMON]			= EXIT_CLASS_nested,
	[EXIT_REASON_CR_ACCESS]			= EXIT_CLASS_cr_access,
	[EXIT_REASON_DR_ACCESS]			= EXIT_CLASS_dr_access,
	[EXIT_REASON_IO_INSTRUCTION]		= EXIT_CLASS_io,
	[EXIT_REASON_MSR_READ]			= EXIT_CLASS_msr_read,
	[EXIT_REASON_MSR_WRITE]			= EXIT_CLASS_msr_write,
	[EXIT_REASON_INVALID_STATE]		= EXIT_CLASS_entry_failed,
	[EXIT_REASON_MSR_LOAD_FAIL]		= EXIT_CLASS_entry_failed,
	[EXIT_REASON_MWAIT_INSTRUCTION]		= EXIT_CLASS_mwait,
	[EXIT_REASON_MONITOR_INSTRUCTION]	= EXIT_CLASS_mwait,
	[EXIT_REASON_PAUSE_INSTRUCTION]		= EXIT_CLASS_pause,
	[EXIT_REASON_MCE_DURING_VMENTRY]	= EXIT_CLASS_entry_failed,
	[EXIT_REASON_TPR_BELOW_THRESHOLD]	= EXIT_CLASS_apic,
	[EXIT_REASON_APIC_ACCESS]		= EXIT_CLASS_apic,
	[EXIT_REASON_EOI_INDUCED]		= EXIT_CLASS_apic,
	[EXIT_REASON_EPT_VIOLATION]		= EXIT_CLASS_page_fault,
	[EXIT_REASON_EPT_MISCONFIG]		= EXIT_CLASS_mmio,
	[EXIT_REASON_INVEPT]			= EXIT_CLASS_nested,
	[EXIT_REASON_RDTSCP]			= EXIT_CLASS_rdtsc,
	[EXIT_REASON_PREEMPTION_TIMER]		= EXIT_CLASS_preemption_timer,
	[EXIT_REASON_INVVPID]			= EXIT_CLASS_nested,
	[EXIT_REASON_WBINVD]			= EXIT_CLASS_cache,
	[EXIT_REASON_APIC_WRITE]		= EXIT_CLASS_apic,
	[EXIT_REASON_INVPCID]			= EXIT_CLASS_tlb,
	[EXIT_REASON_VMFUNC]			= EXIT_CLASS_nested,
	[EXIT_REASON_PML_FULL]			= EXIT_CLASS_dirty_log,
	[EXIT_REASON_UMWAIT]			= EXIT_CLASS_mwait,
	[EXIT_REASON_TPAUSE]			= EXIT_CLASS_mwait,
};

/* KVM marks pages that are known to be MMIO with reserved bits. */
static enum kvm_exit_class page_fault_class(u64 error_code)
{
	return error_code & PFERR_RSVD_MASK ? EXIT_CLASS_mmio :
					      EXIT_CLASS_page_fault;
}

/**
 * kvm_svm_exit_class - find the class of an exit of SVM
 * @exit_code: the reason of the exit
 * @exit_info_1: the field of the VMCB
 *
 * Return: the class.
 */
enum kvm_exit_class kvm_svm_exit_class(u32 exit_code, u64 exit_info_1)
{
	switch (exit_code) {
	case SVM_EXIT_MSR:
		return exit_info_1 ? EXIT_CLASS_msr_write : EXIT_CLASS_msr_read;
	case SVM_EXIT_NPF:
	case SVM_EXIT_EXCP_BASE + PF_VECTOR:
		return page_fault_class(exit_info_1);
	case SVM_EXIT_AVIC_INCOMPLETE_IPI:
	case SVM_EXIT_AVIC_UNACCELERATED_ACCESS:
		return EXIT_CLASS_apic;
	case (u32)SVM_EXIT_ERR:
		return EXIT_CLASS_entry_failed;
	}
	return exit_code < ARRAY_SIZE(svm_classes) ? svm_classes[exit_code] :
						     EXIT_CLASS_other;
}
EXPORT_SYMBOL_GPL(kvm_svm_exit_class);

static enum kvm_exit_class vmx_event_class(u32 intr_info, u32 error_code)
{
	switch (intr_info & INTR_INFO_INTR_TYPE_MASK) {
	case INTR_TYPE_NMI_INTR:
		return EXIT_CLASS_interrupt;
	case INTR_TYPE_HARD_EXCEPTION:
		if ((intr_info & INTR_INFO_VECTOR_MASK) == PF_VECTOR)
			return page_fault_class(error_code);
		fallthrough;
	default:
		return EXIT_CLASS_exception;
	}
}

/**
 * kvm_vmx_exit_class - find the class of an exit of VMX
 * @reason: the basic reason of the exit
 * @intr_info: information on the interrupt, for EXIT_REASON_EXCEPTION_NMI
 * @error_code: error code of the exception, for EXIT_REASON_EXCEPTION_NMI
 *
 * Return: the class.
 */
enum kvm_exit_class kvm_vmx_exit_class(u16 reason, u32 intr_info,
				       u32 error_code)
{
	if (reason == EXIT_REASON_EXCEPTION_NMI)
		return vmx_event_class(intr_info, error_code);
	return reason < ARRAY_SIZE(vmx_classes) ? vmx_classes[reason] :
						  EXIT_CLASS_other;
}
EXPORT_SYMBOL_GPL(kvm_vmx_exit_class);
