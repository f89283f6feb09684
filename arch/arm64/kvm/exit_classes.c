// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM exit statistics: the class of each exit reason of arm64
 *
 * Documentation/virt/kvm/stats-reference.rst lists the reasons of each class.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kvm_host.h>
#include <asm/esr.h>
#include <asm/kvm_arm.h>
#include <asm/kvm_asm.h>
#include <asm/kvm_emulate.h>
#include <asm/sysreg.h>

/* Of each exception class of ESR_EL2, except those that trap_class() handles. */
static const u8 trap_classes[ESR_ELx_EC_MAX + 1] = {
	[ESR_ELx_EC_CP15_32]		= EXIT_CLASS_cp15,
	[ESR_ELx_EC_CP15_64]		= EXIT_CLASS_cp15,
	[ESR_ELx_EC_CP14_MR]		= EXIT_CLASS_dr_access,
	[ESR_ELx_EC_CP14_LS]		= EXIT_CLASS_dr_access,
	[ESR_ELx_EC_FP_ASIMD]		= EXIT_CLASS_fp_simd,
	[ESR_ELx_EC_CP10_ID]		= EXIT_CLASS_fp_simd,
	[ESR_ELx_EC_PAC]		= EXIT_CLASS_ptrauth,
	[ESR_ELx_EC_CP14_64]		= EXIT_CLASS_dr_access,
	[ESR_ELx_EC_HVC32]		= EXIT_CLASS_hypercall,
	[ESR_ELx_EC_SMC32]		= EXIT_CLASS_smc,
	[ESR_ELx_EC_HVC64]		= EXIT_CLASS_hypercall,
	[ESR_ELx_EC_SMC64]		= EXIT_CLASS_smc,
	[ESR_ELx_EC_SVE]		= EXIT_CLASS_fp_simd,
	[ESR_ELx_EC_FPAC]		= EXIT_CLASS_ptrauth,
	[ESR_ELx_EC_FP_EXC32]		= EXIT_CLASS_fp_simd,
	[ESR_ELx_EC_FP_EXC64]		= EXIT_CLASS_fp_simd,
	[ESR_ELx_EC_SERROR]		= EXIT_CLASS_serror,
	[ESR_ELx_EC_BREAKPT_LOW]	= EXIT_CLASS_debug,
	[ESR_ELx_EC_BREAKPT_CUR]	= EXIT_CLASS_debug,
	[ESR_ELx_EC_SOFTSTP_LOW]	= EXIT_CLASS_debug,
	[ESR_ELx_EC_SOFTSTP_CUR]	= EXIT_CLASS_debug,
	[ESR_ELx_EC_WATCHPT_LOW]	= EXIT_CLASS_debug,
	[ESR_ELx_EC_WATCHPT_CUR]	= EXIT_CLASS_debug,
	[ESR_ELx_EC_BKPT32]		= EXIT_CLASS_debug,
	[ESR_ELx_EC_VECTOR32]		= EXIT_CLASS_debug,
	[ESR_ELx_EC_BRK64]		= EXIT_CLASS_debug,
};

/* kvm_handle_guest_abort() handles the faults, and nothing else. */
static enum kvm_exit_class abort_class(u32 esr)
{
	switch (esr & ESR_ELx_FSC) {
	case FSC_SEA:
	case FSC_SEA_TTW0 ... FSC_SEA_TTW3:
	case FSC_SECC:
	case FSC_SECC_TTW0 ... FSC_SECC_TTW3:
		return EXIT_CLASS_serror;
	}

	switch (esr & ESR_ELx_FSC_TYPE) {
	case FSC_FAULT:
	case FSC_ACCESS:
	case FSC_PERM:
		return EXIT_CLASS_page_fault;
	default:
		return EXIT_CLASS_other;
	}
}

/* In op0 == 3, CRn 9 and the upper half of CRn 14 are for performance monitors. */
static enum kvm_exit_class sysreg_class(u32 esr)
{
	u32 reg = esr_sys64_to_sysreg(esr);

	if (sys_reg_Op0(reg) == 1 && sys_reg_CRn(reg) == 7)
		return EXIT_CLASS_cache;
	if (sys_reg_Op0(reg) == 2)
		return EXIT_CLASS_dr_access;
	if (sys_reg_Op0(reg) == 3 && sys_reg_CRn(reg) == 9)
		return EXIT_CLASS_pmu;
	if (sys_reg_Op0(reg) == 3 && sys_reg_CRn(reg) == 14)
		return sys_reg_CRm(reg) < 8 ? EXIT_CLASS_timer : EXIT_CLASS_pmu;

	switch (reg) {
	case SYS_ICC_SGI0R_EL1:
	case SYS_ICC_SGI1R_EL1:
	case SYS_ICC_ASGI1R_EL1:
		return EXIT_CLASS_sgi;
	}
	return (esr & ESR_ELx_SYS64_ISS_DIR_MASK) == ESR_ELx_SYS64_ISS_DIR_READ ?
	       EXIT_CLASS_sysreg_read : EXIT_CLASS_sysreg_write;
}

static enum kvm_exit_class trap_class(u32 esr)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_WFx:
		return esr & ESR_ELx_WFx_ISS_WFE ? EXIT_CLASS_wfe : EXIT_CLASS_wfi;
	case ESR_ELx_EC_SYS64:
		return sysreg_class(esr);
	case ESR_ELx_EC_IABT_LOW:
	case ESR_ELx_EC_DABT_LOW:
		return abort_class(esr);
	default:
		return trap_classes[ESR_ELx_EC(esr)];
	}
}

/**
 * kvm_arm_exit_class - find the class of an exit
 * @exception: what __kvm_vcpu_run() returned
 * @esr: ESR_EL2, which matters only for traps
 *
 * An access to a device is in the class page_fault.  Only kvm_handle_guest_abort()
 * can see that it is one.
 *
 * Return: the class.
 */
enum kvm_exit_class kvm_arm_exit_class(int exception, u32 esr)
{
	/* KVM ignores the trap then, and the guest repeats it. */
	if (ARM_SERROR_PENDING(exception))
		return EXIT_CLASS_serror;

	switch (exception) {
	case ARM_EXCEPTION_IRQ:
		return EXIT_CLASS_interrupt;
	case ARM_EXCEPTION_EL1_SERROR:
		return EXIT_CLASS_serror;
	case ARM_EXCEPTION_TRAP:
		return trap_class(esr);
	case ARM_EXCEPTION_IL:
	case ARM_EXCEPTION_HYP_GONE:
		return EXIT_CLASS_entry_failed;
	default:
		return EXIT_CLASS_other;
	}
}
EXPORT_SYMBOL_GPL(kvm_arm_exit_class);
