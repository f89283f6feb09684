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

#include "exit_classes.h"

/* The reasons that alone decide the class. */
const u8 kvm_svm_exit_classes[KVM_SVM_EXIT_CLASSES] = {
	[SVM_EXIT_READ_CR0]		= KVM_EXIT(cr_access),
	[SVM_EXIT_READ_CR2]		= KVM_EXIT(cr_access),
	[SVM_EXIT_READ_CR3]		= KVM_EXIT(cr_access),
	[SVM_EXIT_READ_CR4]		= KVM_EXIT(cr_access),
	[SVM_EXIT_READ_CR8]		= KVM_EXIT(cr_access),
	[SVM_EXIT_WRITE_CR0]		= KVM_EXIT(cr_access),
	[SVM_EXIT_WRITE_CR2]		= KVM_EXIT(cr_access),
	[SVM_EXIT_WRITE_CR3]		= KVM_EXIT(cr_access),
	[SVM_EXIT_WRITE_CR4]		= KVM_EXIT(cr_access),
	[SVM_EXIT_WRITE_CR8]		= KVM_EXIT(cr_access),
	[SVM_EXIT_READ_DR0 ... SVM_EXIT_READ_DR7] = KVM_EXIT(dr_access),
	[SVM_EXIT_WRITE_DR0 ... SVM_EXIT_WRITE_DR7] = KVM_EXIT(dr_access),
	[SVM_EXIT_EXCP_BASE ... SVM_EXIT_EXCP_BASE + PF_VECTOR - 1] = KVM_EXIT(exception),
	[SVM_EXIT_EXCP_BASE + PF_VECTOR + 1 ... SVM_EXIT_LAST_EXCP] = KVM_EXIT(exception),
	[SVM_EXIT_INTR]			= KVM_EXIT(interrupt),
	[SVM_EXIT_NMI]			= KVM_EXIT(interrupt),
	[SVM_EXIT_SMI]			= KVM_EXIT(interrupt),
	[SVM_EXIT_INIT]			= KVM_EXIT(shutdown),
	[SVM_EXIT_VINTR]		= KVM_EXIT(interrupt_window),
	[SVM_EXIT_CR0_SEL_WRITE]	= KVM_EXIT(cr_access),
	[SVM_EXIT_IDTR_READ]		= KVM_EXIT(other),
	[SVM_EXIT_GDTR_READ]		= KVM_EXIT(other),
	[SVM_EXIT_LDTR_READ]		= KVM_EXIT(other),
	[SVM_EXIT_TR_READ]		= KVM_EXIT(other),
	[SVM_EXIT_IDTR_WRITE]		= KVM_EXIT(other),
	[SVM_EXIT_GDTR_WRITE]		= KVM_EXIT(other),
	[SVM_EXIT_LDTR_WRITE]		= KVM_EXIT(other),
	[SVM_EXIT_TR_WRITE]		= KVM_EXIT(other),
	[SVM_EXIT_RDTSC]		= KVM_EXIT(rdtsc),
	[SVM_EXIT_RDPMC]		= KVM_EXIT(rdtsc),
	[SVM_EXIT_PUSHF]		= KVM_EXIT(other),
	[SVM_EXIT_POPF]			= KVM_EXIT(other),
	[SVM_EXIT_CPUID]		= KVM_EXIT(cpuid),
	[SVM_EXIT_RSM]			= KVM_EXIT(other),
	[SVM_EXIT_IRET]			= KVM_EXIT(interrupt_window),
	[SVM_EXIT_SWINT]		= KVM_EXIT(other),
	[SVM_EXIT_INVD]			= KVM_EXIT(cache),
	[SVM_EXIT_PAUSE]		= KVM_EXIT(pause),
	[SVM_EXIT_HLT]			= KVM_EXIT(hlt),
	[SVM_EXIT_INVLPG]		= KVM_EXIT(tlb),
	[SVM_EXIT_INVLPGA]		= KVM_EXIT(nested),
	[SVM_EXIT_IOIO]			= KVM_EXIT(io),
	[SVM_EXIT_TASK_SWITCH]		= KVM_EXIT(other),
	[SVM_EXIT_FERR_FREEZE]		= KVM_EXIT(other),
	[SVM_EXIT_SHUTDOWN]		= KVM_EXIT(shutdown),
	[SVM_EXIT_VMRUN]		= KVM_EXIT(nested),
	[SVM_EXIT_VMMCALL]		= KVM_EXIT(hypercall),
	[SVM_EXIT_VMLOAD]		= KVM_EXIT(nested),
	[SVM_EXIT_VMSAVE]		= KVM_EXIT(nested),
	[SVM_EXIT_STGI]			= KVM_EXIT(nested),
	[SVM_EXIT_CLGI]			= KVM_EXIT(nested),
	[SVM_EXIT_SKINIT]		= KVM_EXIT(nested),
	[SVM_EXIT_RDTSCP]		= KVM_EXIT(rdtsc),
	[SVM_EXIT_ICEBP]		= KVM_EXIT(other),
	[SVM_EXIT_WBINVD]		= KVM_EXIT(cache),
	[SVM_EXIT_MONITOR]		= KVM_EXIT(mwait),
	[SVM_EXIT_MWAIT]		= KVM_EXIT(mwait),
	[SVM_EXIT_MWAIT_COND]		= KVM_EXIT(mwait),
	[SVM_EXIT_XSETBV]		= KVM_EXIT(other),
	[SVM_EXIT_RDPRU]		= KVM_EXIT(other),
	[SVM_EXIT_INVPCID]		= KVM_EXIT(tlb),
};
EXPORT_SYMBOL_GPL(kvm_svm_exit_classes);

static const u8 vmx_classes[] = {
	[EXIT_REASON_EXCEPTION_NMI]		= KVM_EXIT(exception),
	[EXIT_REASON_EXTERNAL_INTERRUPT]	= KVM_EXIT(interrupt),
	[EXIT_REASON_TRIPLE_FAULT]		= KVM_EXIT(shutdown),
	[EXIT_REASON_INIT_SIGNAL]		= KVM_EXIT(shutdown),
	[EXIT_REASON_INTERRUPT_WINDOW]		= KVM_EXIT(interrupt_window),
	[EXIT_REASON_NMI_WINDOW]		= KVM_EXIT(interrupt_window),
	[EXIT_REASON_TASK_SWITCH]		= KVM_EXIT(other),
	[EXIT_REASON_CPUID]			= KVM_EXIT(cpuid),
	[EXIT_REASON_HLT]			= KVM_EXIT(hlt),
	[EXIT_REASON_INVD]			= KVM_EXIT(cache),
	[EXIT_REASON_INVLPG]			= KVM_EXIT(tlb),
	[EXIT_REASON_RDPMC]			= KVM_EXIT(rdtsc),
	[EXIT_REASON_RDTSC]			= KVM_EXIT(rdtsc),
	[EXIT_REASON_VMCALL]			= KVM_EXIT(hypercall),
	[EXIT_REASON_VMCLEAR]			= KVM_EXIT(nested),
	[EXIT_REASON_VMLAUNCH]			= KVM_EXIT(nested),
	[EXIT_REASON_VMPTRLD]			= KVM_EXIT(nested),
	[EXIT_REASON_VMPTRST]			= KVM_EXIT(nested),
	[EXIT_REASON_VMREAD]			= KVM_EXIT(nested),
	[EXIT_REASON_VMRESUME]			= KVM_EXIT(nested),
	[EXIT_REASON_VMWRITE]			= KVM_EXIT(nested),
	[EXIT_REASON_VMOFF]			= KVM_EXIT(nested),
	[EXIT_REASON_VMON]			= KVM_EXIT(nested),
	[EXIT_REASON_CR_ACCESS]			= KVM_EXIT(cr_access),
	[EXIT_REASON_DR_ACCESS]			= KVM_EXIT(dr_access),
	[EXIT_REASON_IO_INSTRUCTION]		= KVM_EXIT(io),
	[EXIT_REASON_MSR_READ]			= KVM_EXIT(msr_read),
	[EXIT_REASON_MSR_WRITE]			= KVM_EXIT(msr_write),
	[EXIT_REASON_INVALID_STATE]		= KVM_EXIT(entry_failed),
	[EXIT_REASON_MSR_LOAD_FAIL]		= KVM_EXIT(entry_failed),
	[EXIT_REASON_MWAIT_INSTRUCTION]		= KVM_EXIT(mwait),
	[EXIT_REASON_MONITOR_TRAP_FLAG]		= KVM_EXIT(other),
	[EXIT_REASON_MONITOR_INSTRUCTION]	= KVM_EXIT(mwait),
	[EXIT_REASON_PAUSE_INSTRUCTION]		= KVM_EXIT(pause),
	[EXIT_REASON_MCE_DURING_VMENTRY]	= KVM_EXIT(entry_failed),
	[EXIT_REASON_TPR_BELOW_THRESHOLD]	= KVM_EXIT(apic),
	[EXIT_REASON_APIC_ACCESS]		= KVM_EXIT(apic),
	[EXIT_REASON_EOI_INDUCED]		= KVM_EXIT(apic),
	[EXIT_REASON_GDTR_IDTR]			= KVM_EXIT(other),
	[EXIT_REASON_LDTR_TR]			= KVM_EXIT(other),
	[EXIT_REASON_EPT_VIOLATION]		= KVM_EXIT(page_fault),
	[EXIT_REASON_EPT_MISCONFIG]		= KVM_EXIT(mmio),
	[EXIT_REASON_INVEPT]			= KVM_EXIT(nested),
	[EXIT_REASON_RDTSCP]			= KVM_EXIT(rdtsc),
	[EXIT_REASON_PREEMPTION_TIMER]		= KVM_EXIT(preemption_timer),
	[EXIT_REASON_INVVPID]			= KVM_EXIT(nested),
	[EXIT_REASON_WBINVD]			= KVM_EXIT(cache),
	[EXIT_REASON_XSETBV]			= KVM_EXIT(other),
	[EXIT_REASON_APIC_WRITE]		= KVM_EXIT(apic),
	[EXIT_REASON_RDRAND]			= KVM_EXIT(other),
	[EXIT_REASON_INVPCID]			= KVM_EXIT(tlb),
	[EXIT_REASON_VMFUNC]			= KVM_EXIT(nested),
	[EXIT_REASON_ENCLS]			= KVM_EXIT(other),
	[EXIT_REASON_RDSEED]			= KVM_EXIT(other),
	[EXIT_REASON_PML_FULL]			= KVM_EXIT(dirty_log),
	[EXIT_REASON_XSAVES]			= KVM_EXIT(other),
	[EXIT_REASON_XRSTORS]			= KVM_EXIT(other),
	[EXIT_REASON_UMWAIT]			= KVM_EXIT(mwait),
	[EXIT_REASON_TPAUSE]			= KVM_EXIT(mwait),
};

/* KVM marks pages that are known to be MMIO with reserved bits. */
static unsigned int page_fault_class(u64 error_code)
{
	return error_code & PFERR_RSVD_MASK ? KVM_EXIT(mmio) :
					      KVM_EXIT(page_fault);
}

unsigned int kvm_svm_detailed_exit_class(u32 exit_code, u64 exit_info_1)
{
	switch (exit_code) {
	case SVM_EXIT_MSR:
		return exit_info_1 ? KVM_EXIT(msr_write) : KVM_EXIT(msr_read);
	case SVM_EXIT_NPF:
	case SVM_EXIT_EXCP_BASE + PF_VECTOR:
		return page_fault_class(exit_info_1);
	case SVM_EXIT_AVIC_INCOMPLETE_IPI:
	case SVM_EXIT_AVIC_UNACCELERATED_ACCESS:
		return KVM_EXIT(apic);
	case (u32)SVM_EXIT_ERR:
		return KVM_EXIT(entry_failed);
	default:
		return 0;
	}
}
EXPORT_SYMBOL_GPL(kvm_svm_detailed_exit_class);

static unsigned int vmx_event_class(u32 intr_info, u32 error_code)
{
	switch (intr_info & INTR_INFO_INTR_TYPE_MASK) {
	case INTR_TYPE_NMI_INTR:
		return KVM_EXIT(interrupt);
	case INTR_TYPE_HARD_EXCEPTION:
		if ((intr_info & INTR_INFO_VECTOR_MASK) == PF_VECTOR)
			return page_fault_class(error_code);
		fallthrough;
	default:
		return KVM_EXIT(exception);
	}
}

/* @intr_info and @error_code matter only for EXIT_REASON_EXCEPTION_NMI. */
unsigned int kvm_vmx_exit_class(u16 reason, u32 intr_info, u32 error_code)
{
	if (reason == EXIT_REASON_EXCEPTION_NMI)
		return vmx_event_class(intr_info, error_code);
	return reason < ARRAY_SIZE(vmx_classes) ? vmx_classes[reason] : 0;
}
EXPORT_SYMBOL_GPL(kvm_vmx_exit_class);
