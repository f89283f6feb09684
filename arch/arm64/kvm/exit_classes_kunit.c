// SPDX-License-Identifier: GPL-2.0-only
/* KUnit suite of the classes of exits: what the table of exit_classes.c does not show. */
#include <kunit/test.h>
#include <linux/kvm_host.h>
#include <asm/esr.h>
#include <asm/kvm_arm.h>
#include <asm/kvm_asm.h>

#include "../../../virt/kvm/kvm_stats.h"

#define SERROR_PENDING	((int)BIT(ARM_EXIT_WITH_SERROR_BIT))

static u32 esr_of(u32 ec)
{
	return ec << ESR_ELx_EC_SHIFT;
}

#define EXPECT_CLASS(class, exception, esr)				\
	KUNIT_EXPECT_EQ(test, (int)kvm_arm_exit_class(exception, esr),	\
			(int)EXIT_CLASS_##class)

#define EXPECT_TRAP(class, ec, iss)					\
	EXPECT_CLASS(class, ARM_EXCEPTION_TRAP,				\
		     esr_of(ESR_ELx_EC_##ec) | (iss))

static void exceptions_are_in_their_class(struct kunit *test)
{
	const u32 hvc = esr_of(ESR_ELx_EC_HVC64);

	EXPECT_CLASS(other, 0x1000, hvc);
	EXPECT_CLASS(interrupt, ARM_EXCEPTION_IRQ, hvc);
	EXPECT_CLASS(serror, ARM_EXCEPTION_EL1_SERROR, hvc);
	EXPECT_CLASS(entry_failed, ARM_EXCEPTION_IL, hvc);
	EXPECT_CLASS(entry_failed, ARM_EXCEPTION_HYP_GONE, hvc);
	EXPECT_CLASS(hypercall, ARM_EXCEPTION_TRAP, hvc);
	EXPECT_CLASS(serror, ARM_EXCEPTION_IRQ | SERROR_PENDING, hvc);
	EXPECT_CLASS(serror, ARM_EXCEPTION_TRAP | SERROR_PENDING, hvc);
}

static void traps_are_in_their_class(struct kunit *test)
{
	EXPECT_TRAP(other, UNKNOWN, 0);
	EXPECT_TRAP(other, MAX, 0);
	EXPECT_TRAP(wfi, WFx, ESR_ELx_WFx_ISS_WFI);
	EXPECT_TRAP(wfe, WFx, ESR_ELx_WFx_ISS_WFE);
	EXPECT_TRAP(page_fault, DABT_LOW, FSC_FAULT | ESR_ELx_ISV);
	EXPECT_TRAP(page_fault, DABT_LOW, FSC_PERM | ESR_ELx_WNR);
	EXPECT_TRAP(page_fault, IABT_LOW, FSC_FAULT);
	EXPECT_TRAP(page_fault, DABT_LOW, FSC_ACCESS);
	EXPECT_TRAP(other, DABT_LOW, 0x20);
	EXPECT_TRAP(serror, DABT_LOW, FSC_SEA | ESR_ELx_ISV);
	EXPECT_TRAP(serror, IABT_LOW, FSC_SEA_TTW2);
	EXPECT_TRAP(serror, DABT_LOW, FSC_SECC_TTW1);
}

/* The ISS of a read of a register; a write has 0 there. */
#define READ_OF(op0, op1, crn, crm, op2)				\
	(ESR_ELx_SYS64_ISS_SYS_VAL(op0, op1, op2, crn, crm) |		\
	 ESR_ELx_SYS64_ISS_DIR_READ)
#define WRITE_OF(op0, op1, crn, crm, op2)				\
	ESR_ELx_SYS64_ISS_SYS_VAL(op0, op1, op2, crn, crm)

static void registers_are_in_their_class(struct kunit *test)
{
	EXPECT_TRAP(sysreg_read, SYS64, READ_OF(3, 0, 0, 4, 0)); /* ID_AA64PFR0 */
	EXPECT_TRAP(sysreg_write, SYS64, WRITE_OF(3, 0, 1, 0, 0)); /* SCTLR */
	EXPECT_TRAP(sysreg_write, SYS64, WRITE_OF(1, 0, 8, 7, 0)); /* TLBI */
	EXPECT_TRAP(sgi, SYS64, WRITE_OF(3, 0, 12, 11, 5)); /* ICC_SGI1R */
	EXPECT_TRAP(sgi, SYS64, WRITE_OF(3, 0, 12, 11, 6)); /* ICC_ASGI1R */
	EXPECT_TRAP(sgi, SYS64, WRITE_OF(3, 0, 12, 11, 7)); /* ICC_SGI0R */
	EXPECT_TRAP(sysreg_write, SYS64, WRITE_OF(3, 0, 12, 11, 1)); /* ICC_DIR */
	EXPECT_TRAP(timer, SYS64, WRITE_OF(3, 3, 14, 2, 2)); /* CNTP_CVAL */
	EXPECT_TRAP(timer, SYS64, READ_OF(3, 3, 14, 0, 1)); /* CNTPCT */
	EXPECT_TRAP(pmu, SYS64, READ_OF(3, 3, 9, 13, 0)); /* PMCCNTR */
	EXPECT_TRAP(pmu, SYS64, WRITE_OF(3, 0, 9, 14, 1)); /* PMINTENSET */
	EXPECT_TRAP(pmu, SYS64, WRITE_OF(3, 3, 14, 8, 0)); /* PMEVCNTR0 */
	EXPECT_TRAP(pmu, SYS64, READ_OF(3, 3, 14, 15, 7)); /* PMCCFILTR */
	EXPECT_TRAP(dr_access, SYS64, WRITE_OF(2, 0, 0, 2, 2)); /* MDSCR */
	EXPECT_TRAP(dr_access, SYS64, READ_OF(2, 0, 9, 0, 0));
	EXPECT_TRAP(cache, SYS64, WRITE_OF(1, 0, 7, 14, 2)); /* DC CISW */
}

static struct kunit_case exit_classes_cases[] = {
	KUNIT_CASE(exceptions_are_in_their_class),
	KUNIT_CASE(traps_are_in_their_class),
	KUNIT_CASE(registers_are_in_their_class),
	{}
};

struct kunit_suite kvm_exit_classes_suite = {
	.name = "kvm_stats_exit_classes",
	.test_cases = exit_classes_cases,
};
