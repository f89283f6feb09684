/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by exits.bpf.c: what its programs see of an exit on arm64. */
#ifndef EXITS_ARM64_H
#define EXITS_ARM64_H

/* What the table uses of the kernel's headers. The architecture defines the values. */
#define ESR_ELx_EC_MAX		0x3f
#define ESR_ELx_EC(esr)		((esr) >> 26 & ESR_ELx_EC_MAX)
#define ESR_ELx_EC_WFx		0x01
#define ESR_ELx_EC_CP15_32	0x03
#define ESR_ELx_EC_CP15_64	0x04
#define ESR_ELx_EC_CP14_MR	0x05
#define ESR_ELx_EC_CP14_LS	0x06
#define ESR_ELx_EC_FP_ASIMD	0x07
#define ESR_ELx_EC_CP10_ID	0x08
#define ESR_ELx_EC_PAC		0x09
#define ESR_ELx_EC_CP14_64	0x0c
#define ESR_ELx_EC_HVC32	0x12
#define ESR_ELx_EC_SMC32	0x13
#define ESR_ELx_EC_HVC64	0x16
#define ESR_ELx_EC_SMC64	0x17
#define ESR_ELx_EC_SYS64	0x18
#define ESR_ELx_EC_SVE		0x19
#define ESR_ELx_EC_FPAC		0x1c
#define ESR_ELx_EC_IABT_LOW	0x20
#define ESR_ELx_EC_DABT_LOW	0x24
#define ESR_ELx_EC_FP_EXC32	0x28
#define ESR_ELx_EC_FP_EXC64	0x2c
#define ESR_ELx_EC_SERROR	0x2f
#define ESR_ELx_EC_BREAKPT_LOW	0x30
#define ESR_ELx_EC_BREAKPT_CUR	0x31
#define ESR_ELx_EC_SOFTSTP_LOW	0x32
#define ESR_ELx_EC_SOFTSTP_CUR	0x33
#define ESR_ELx_EC_WATCHPT_LOW	0x34
#define ESR_ELx_EC_WATCHPT_CUR	0x35
#define ESR_ELx_EC_BKPT32	0x38
#define ESR_ELx_EC_VECTOR32	0x3a
#define ESR_ELx_EC_BRK64	0x3c
#define ESR_ELx_WFx_ISS_WFE	0x01
#define ESR_ELx_FSC		0x3f
#define ESR_ELx_FSC_TYPE	0x3c
#define FSC_FAULT		0x04
#define FSC_ACCESS		0x08
#define FSC_PERM		0x0c
#define FSC_SEA			0x10
#define FSC_SEA_TTW0		0x14
#define FSC_SEA_TTW3		0x17
#define FSC_SECC		0x18
#define FSC_SECC_TTW0		0x1c
#define FSC_SECC_TTW3		0x1f

/* A system register is encoded as in the instructions that access it. */
#define ESR_ELx_SYS64_ISS_DIR_MASK	1
#define ESR_ELx_SYS64_ISS_DIR_READ	1
#define sys_reg(op0, op1, crn, crm, op2) \
	((op0) << 19 | (op1) << 16 | (crn) << 12 | (crm) << 8 | (op2) << 5)
#define sys_reg_Op0(reg)		((reg) >> 19 & 3)
#define sys_reg_CRn(reg)		((reg) >> 12 & 15)
#define sys_reg_CRm(reg)		((reg) >> 8 & 15)
#define esr_sys64_to_sysreg(esr) \
	sys_reg((esr) >> 20 & 3, (esr) >> 14 & 7, (esr) >> 10 & 15, (esr) >> 1 & 15, \
		(esr) >> 17 & 7)
#define SYS_ICC_SGI1R_EL1		sys_reg(3, 0, 12, 11, 5)
#define SYS_ICC_ASGI1R_EL1		sys_reg(3, 0, 12, 11, 6)
#define SYS_ICC_SGI0R_EL1		sys_reg(3, 0, 12, 11, 7)

/* KVM's own values, which are the same in Linux 5.10, 6.12 and 7.2 */
#define ARM_EXCEPTION_IRQ		0
#define ARM_EXCEPTION_EL1_SERROR	1
#define ARM_EXCEPTION_TRAP		2
#define ARM_EXCEPTION_IL		3
#define ARM_EXCEPTION_HYP_GONE		0xbadca11
#define ARM_SERROR_PENDING(exception)	((exception) >> 31 & 1)

/* arch/arm64/kvm/exit_classes.c without what only the kernel can compile */
#include "exit_classes.h"

/* The vCPU of each CPU. KVM is at the tracepoints without preemption. */
extern struct kvm_vcpu *kvm_running_vcpu __ksym;

/* The arguments of kvm_entry and kvm_exit do not have the vCPU. */
static __always_inline __u64 vcpu_of_event(__u64 argument)
{
	struct kvm_vcpu **vcpu = bpf_this_cpu_ptr(&kvm_running_vcpu);

	(void)argument;
	return (__u64)*vcpu;
}

/* The first argument of kvm_exit is what the exception was. */
#define EXIT_ARGUMENT	0

static __always_inline enum kvm_exit_class exit_class(__u64 vcpu, __u64 exception,
						      bool before_5_16)
{
	(void)before_5_16;
	return kvm_arm_exit_class((int)exception, (u32)read_field(vcpu, &layout.arm_esr));
}

/* An access to a device begins as a page fault. KVM finds the device when it handles the exit. */
static __always_inline bool is_undecided(__u32 class)
{
	return class == EXIT_CLASS_page_fault;
}

static __always_inline __u32 device_exits(__u64 vcpu)
{
	return read_field(vcpu, &layout.arm_mmio_user) + read_field(vcpu, &layout.arm_mmio_kernel);
}

#endif /* EXITS_ARM64_H */
