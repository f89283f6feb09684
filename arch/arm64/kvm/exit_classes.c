// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM exit statistics: the class of each exit reason of arm64
 *
 * Documentation/virt/kvm/stats-reference.rst lists the reasons of each class.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kvm_exit_stats.h>
#include <linux/kvm_host.h>
#include <asm/esr.h>
#include <asm/kvm_arm.h>
#include <asm/kvm_asm.h>
#include <asm/kvm_emulate.h>
#include <asm/sysreg.h>

#include "exit_classes.h"

/* Of each exception class of ESR_EL2, except those that trap_class() handles. */
static const u8 trap_classes[ESR_ELx_EC_MAX + 1] = {
	[ESR_ELx_EC_UNKNOWN]		= KVM_EXIT(other),
	[ESR_ELx_EC_CP15_32]		= KVM_EXIT(cp15),
	[ESR_ELx_EC_CP15_64]		= KVM_EXIT(cp15),
	[ESR_ELx_EC_CP14_MR]		= KVM_EXIT(dr_access),
	[ESR_ELx_EC_CP14_LS]		= KVM_EXIT(dr_access),
	[ESR_ELx_EC_FP_ASIMD]		= KVM_EXIT(fp_simd),
	[ESR_ELx_EC_CP10_ID]		= KVM_EXIT(fp_simd),
	[ESR_ELx_EC_PAC]		= KVM_EXIT(ptrauth),
	[ESR_ELx_EC_CP14_64]		= KVM_EXIT(dr_access),
	[ESR_ELx_EC_BTI]		= KVM_EXIT(other),
	[ESR_ELx_EC_ILL]		= KVM_EXIT(other),
	[ESR_ELx_EC_SVC32]		= KVM_EXIT(other),
	[ESR_ELx_EC_HVC32]		= KVM_EXIT(hypercall),
	[ESR_ELx_EC_SMC32]		= KVM_EXIT(smc),
	[ESR_ELx_EC_SVC64]		= KVM_EXIT(other),
	[ESR_ELx_EC_HVC64]		= KVM_EXIT(hypercall),
	[ESR_ELx_EC_SMC64]		= KVM_EXIT(smc),
	[ESR_ELx_EC_SVE]		= KVM_EXIT(fp_simd),
	[ESR_ELx_EC_ERET]		= KVM_EXIT(other),
	[ESR_ELx_EC_FPAC]		= KVM_EXIT(ptrauth),
	[ESR_ELx_EC_IMP_DEF]		= KVM_EXIT(other),
	[ESR_ELx_EC_IABT_CUR]		= KVM_EXIT(other),
	[ESR_ELx_EC_PC_ALIGN]		= KVM_EXIT(other),
	[ESR_ELx_EC_DABT_CUR]		= KVM_EXIT(other),
	[ESR_ELx_EC_SP_ALIGN]		= KVM_EXIT(other),
	[ESR_ELx_EC_FP_EXC32]		= KVM_EXIT(fp_simd),
	[ESR_ELx_EC_FP_EXC64]		= KVM_EXIT(fp_simd),
	[ESR_ELx_EC_SERROR]		= KVM_EXIT(serror),
	[ESR_ELx_EC_BREAKPT_LOW]	= KVM_EXIT(debug),
	[ESR_ELx_EC_BREAKPT_CUR]	= KVM_EXIT(debug),
	[ESR_ELx_EC_SOFTSTP_LOW]	= KVM_EXIT(debug),
	[ESR_ELx_EC_SOFTSTP_CUR]	= KVM_EXIT(debug),
	[ESR_ELx_EC_WATCHPT_LOW]	= KVM_EXIT(debug),
	[ESR_ELx_EC_WATCHPT_CUR]	= KVM_EXIT(debug),
	[ESR_ELx_EC_BKPT32]		= KVM_EXIT(debug),
	[ESR_ELx_EC_VECTOR32]		= KVM_EXIT(debug),
	[ESR_ELx_EC_BRK64]		= KVM_EXIT(debug),
};

static unsigned int abort_class(u32 esr)
{
	switch (esr & ESR_ELx_FSC) {
	case FSC_SEA:
	case FSC_SEA_TTW0 ... FSC_SEA_TTW3:
	case FSC_SECC:
	case FSC_SECC_TTW0 ... FSC_SECC_TTW3:
		return KVM_EXIT(serror);
	default:
		return KVM_EXIT(page_fault);
	}
}

/* In op0 == 3, CRn 9 and the upper half of CRn 14 are for performance monitors. */
static unsigned int sysreg_class(u32 esr)
{
	u32 reg = esr_sys64_to_sysreg(esr);

	if (sys_reg_Op0(reg) == 1 && sys_reg_CRn(reg) == 7)
		return KVM_EXIT(cache);
	if (sys_reg_Op0(reg) == 2)
		return KVM_EXIT(dr_access);
	if (sys_reg_Op0(reg) == 3 && sys_reg_CRn(reg) == 9)
		return KVM_EXIT(pmu);
	if (sys_reg_Op0(reg) == 3 && sys_reg_CRn(reg) == 14)
		return sys_reg_CRm(reg) < 8 ? KVM_EXIT(timer) : KVM_EXIT(pmu);

	switch (reg) {
	case SYS_ICC_SGI0R_EL1:
	case SYS_ICC_SGI1R_EL1:
	case SYS_ICC_ASGI1R_EL1:
		return KVM_EXIT(sgi);
	}
	return (esr & ESR_ELx_SYS64_ISS_DIR_MASK) == ESR_ELx_SYS64_ISS_DIR_READ ?
	       KVM_EXIT(sysreg_read) : KVM_EXIT(sysreg_write);
}

static unsigned int trap_class(u32 esr)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_WFx:
		return esr & ESR_ELx_WFx_ISS_WFE ? KVM_EXIT(wfe) : KVM_EXIT(wfi);
	case ESR_ELx_EC_SYS64:
		return sysreg_class(esr);
	case ESR_ELx_EC_IABT_LOW:
	case ESR_ELx_EC_DABT_LOW:
		return abort_class(esr);
	default:
		return trap_classes[ESR_ELx_EC(esr)];
	}
}

unsigned int kvm_arm_exit_class(int exception, u32 esr)
{
	/* KVM ignores the trap then, and the guest repeats it. */
	if (ARM_SERROR_PENDING(exception))
		return KVM_EXIT(serror);

	switch (exception) {
	case ARM_EXCEPTION_IRQ:
		return KVM_EXIT(interrupt);
	case ARM_EXCEPTION_EL1_SERROR:
		return KVM_EXIT(serror);
	case ARM_EXCEPTION_TRAP:
		return trap_class(esr);
	case ARM_EXCEPTION_IL:
	case ARM_EXCEPTION_HYP_GONE:
		return KVM_EXIT(entry_failed);
	default:
		return 0;
	}
}
EXPORT_SYMBOL_GPL(kvm_arm_exit_class);

/*
 * ESR_EL2 does not tell a device from memory that is not mapped yet.  The memory
 * slots do, and kvm_handle_guest_abort() decides in the same way.
 */
static bool is_mmio(struct kvm_vcpu *vcpu)
{
	gfn_t gfn = kvm_vcpu_get_fault_ipa(vcpu) >> PAGE_SHIFT;
	struct kvm *kvm = vcpu->kvm;
	unsigned long hva;
	bool writable;
	int idx;

	if (kvm_vcpu_trap_is_iabt(vcpu) || kvm_vcpu_abt_iss1tw(vcpu))
		return false;

	idx = srcu_read_lock(&kvm->srcu);
	hva = gfn_to_hva_prot(kvm, gfn, &writable);
	srcu_read_unlock(&kvm->srcu, idx);
	return kvm_is_error_hva(hva) || (kvm_is_write_fault(vcpu) && !writable);
}

unsigned int kvm_arm_vcpu_exit_class(struct kvm_vcpu *vcpu, int exception)
{
	unsigned int class = kvm_arm_exit_class(exception,
						kvm_vcpu_get_esr(vcpu));

	if (class == KVM_EXIT(page_fault) && is_mmio(vcpu))
		return KVM_EXIT(mmio);
	return class ?: KVM_EXIT(other);
}
