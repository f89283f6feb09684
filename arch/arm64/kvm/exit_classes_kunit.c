// SPDX-License-Identifier: GPL-2.0-only
/* KUnit suite of the classes of exits: each exit reason is in the right class. */
#include <kunit/test.h>
#include <linux/kvm_exit_stats.h>
#include <asm/esr.h>
#include <asm/kvm_arm.h>
#include <asm/kvm_asm.h>

#include "exit_classes.h"
#include "../../../virt/kvm/kvm_stats.h"

#define SERROR_PENDING	((int)BIT(ARM_EXIT_WITH_SERROR_BIT))

struct reason {
	u32 code;
	const char *name;
};

/* The names of trace_kvm_exit, and those that it does not have. */
static const struct reason exceptions[] = {
	kvm_arm_exception_type,
	{ ARM_EXCEPTION_IL, "IL" },
};

static const struct reason traps[] = {
	kvm_arm_exception_class,
	ECN(BTI), ECN(ILL), ECN(SVC32), ECN(HVC32), ECN(SMC32), ECN(ERET),
	ECN(FPAC),
};

static u32 esr_of(u32 ec)
{
	return ec << ESR_ELx_EC_SHIFT;
}

static void expect_class(struct kunit *test, const struct reason *reason,
			 unsigned int class)
{
	const size_t first = KVM_EXIT(wfi), last = KVM_EXIT(other);

	KUNIT_EXPECT_TRUE_MSG(test, class >= first && class <= last &&
			      (class - first) % 2 == 0,
			      "%s (%#x) is in class %u", reason->name,
			      reason->code, class);
}

static void each_exception_has_a_class(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(exceptions); i++)
		expect_class(test, &exceptions[i],
			     kvm_arm_exit_class(exceptions[i].code, 0));
}

static void each_trap_has_a_class(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(traps); i++)
		expect_class(test, &traps[i],
			     kvm_arm_exit_class(ARM_EXCEPTION_TRAP,
						esr_of(traps[i].code)));
}

static bool is_listed(const struct reason *reasons, size_t num, u32 code)
{
	while (num--)
		if (reasons[num].code == code)
			return true;
	return false;
}

static void unknown_reasons_have_no_class(struct kunit *test)
{
	u32 code;

	for (code = 0; code <= 0x1000; code++)
		if (!is_listed(exceptions, ARRAY_SIZE(exceptions), code))
			KUNIT_EXPECT_EQ_MSG(test, kvm_arm_exit_class(code, 0),
					    0u, "exception %#x", code);

	for (code = 0; code <= ESR_ELx_EC_MAX; code++)
		if (!is_listed(traps, ARRAY_SIZE(traps), code))
			KUNIT_EXPECT_EQ_MSG(test,
					    kvm_arm_exit_class(ARM_EXCEPTION_TRAP,
							       esr_of(code)),
					    0u, "EC %#x", code);
}

#define EXPECT_CLASS(class, exception, esr)				\
	KUNIT_EXPECT_EQ(test, kvm_arm_exit_class(exception, esr),	\
			(unsigned int)KVM_EXIT(class))

#define EXPECT_TRAP(class, ec, iss)					\
	EXPECT_CLASS(class, ARM_EXCEPTION_TRAP,				\
		     esr_of(ESR_ELx_EC_##ec) | (iss))

static void exceptions_are_told_apart(struct kunit *test)
{
	const u32 hvc = esr_of(ESR_ELx_EC_HVC64);

	EXPECT_CLASS(interrupt, ARM_EXCEPTION_IRQ, hvc);
	EXPECT_CLASS(serror, ARM_EXCEPTION_EL1_SERROR, hvc);
	EXPECT_CLASS(entry_failed, ARM_EXCEPTION_IL, hvc);
	EXPECT_CLASS(entry_failed, ARM_EXCEPTION_HYP_GONE, hvc);
	EXPECT_CLASS(hypercall, ARM_EXCEPTION_TRAP, hvc);
	EXPECT_CLASS(serror, ARM_EXCEPTION_IRQ | SERROR_PENDING, hvc);
	EXPECT_CLASS(serror, ARM_EXCEPTION_TRAP | SERROR_PENDING, hvc);
}

static void details_of_traps_count(struct kunit *test)
{
	EXPECT_TRAP(wfi, WFx, ESR_ELx_WFx_ISS_WFI);
	EXPECT_TRAP(wfe, WFx, ESR_ELx_WFx_ISS_WFE);
	EXPECT_TRAP(page_fault, DABT_LOW, FSC_FAULT | ESR_ELx_ISV);
	EXPECT_TRAP(page_fault, DABT_LOW, FSC_PERM | ESR_ELx_WNR);
	EXPECT_TRAP(page_fault, IABT_LOW, FSC_FAULT);
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

static void registers_are_told_apart(struct kunit *test)
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
	EXPECT_TRAP(cp15, CP15_32, 0);
	EXPECT_TRAP(dr_access, CP14_MR, 0);
}

static struct kunit_case exit_classes_cases[] = {
	KUNIT_CASE(each_exception_has_a_class),
	KUNIT_CASE(each_trap_has_a_class),
	KUNIT_CASE(unknown_reasons_have_no_class),
	KUNIT_CASE(exceptions_are_told_apart),
	KUNIT_CASE(details_of_traps_count),
	KUNIT_CASE(registers_are_told_apart),
	{}
};

struct kunit_suite kvm_exit_classes_suite = {
	.name = "kvm_stats_exit_classes",
	.test_cases = exit_classes_cases,
};
