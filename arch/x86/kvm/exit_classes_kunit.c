// SPDX-License-Identifier: GPL-2.0-only
/* KUnit suite of the classes of exits: each exit reason is in the right class. */
#include <kunit/test.h>
#include <linux/kvm_exit_stats.h>
#include <asm/svm.h>
#include <asm/vmx.h>

#include "exit_classes.h"
#include "../../../virt/kvm/kvm_stats.h"

struct reason {
	u32 code;
	const char *name;
};

/* The names of trace_kvm_exit. */
static const struct reason svm_reasons[] = {
	SVM_EXIT_REASONS,
	{ SVM_EXIT_MWAIT_COND, "mwait_cond" },
	{ SVM_EXIT_RDPRU, "rdpru" },
};

static const struct reason vmx_reasons[] = { VMX_EXIT_REASONS };

static void expect_class(struct kunit *test, const struct reason *reason,
			 unsigned int class)
{
	const size_t first = KVM_EXIT(hlt), last = KVM_EXIT(other);

	KUNIT_EXPECT_TRUE_MSG(test, class >= first && class <= last &&
			      (class - first) % 2 == 0,
			      "%s (%#x) is in class %u", reason->name,
			      reason->code, class);
}

static void each_svm_reason_has_a_class(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(svm_reasons); i++)
		expect_class(test, &svm_reasons[i],
			     kvm_svm_exit_class(svm_reasons[i].code, 0));
}

static void each_vmx_reason_has_a_class(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vmx_reasons); i++)
		expect_class(test, &vmx_reasons[i],
			     kvm_vmx_exit_class(vmx_reasons[i].code, 0, 0));
}

static bool is_listed(const struct reason *reasons, size_t num, u32 code)
{
	while (num--)
		if (reasons[num].code == code)
			return true;
	return false;
}

/* The exceptions that KVM does not name are exceptions, too. */
static bool is_svm_reason(u32 code)
{
	return is_listed(svm_reasons, ARRAY_SIZE(svm_reasons), code) ||
	       (code >= SVM_EXIT_EXCP_BASE && code <= SVM_EXIT_LAST_EXCP);
}

static void unknown_reasons_have_no_class(struct kunit *test)
{
	u32 code;

	for (code = 0; code <= 0x1000; code++) {
		if (!is_svm_reason(code))
			KUNIT_EXPECT_EQ_MSG(test, kvm_svm_exit_class(code, 0),
					    0u, "SVM %#x", code);
		if (!is_listed(vmx_reasons, ARRAY_SIZE(vmx_reasons), code))
			KUNIT_EXPECT_EQ_MSG(test,
					    kvm_vmx_exit_class(code, 0, 0), 0u,
					    "VMX %#x", code);
	}
}

#define EXPECT_SVM(class, code, info)					\
	KUNIT_EXPECT_EQ(test, kvm_svm_exit_class(code, info),		\
			(unsigned int)KVM_EXIT(class))

static void details_of_svm_exits_count(struct kunit *test)
{
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
			kvm_vmx_exit_class(reason, intr_info, error),	\
			(unsigned int)KVM_EXIT(class))

static void details_of_vmx_exits_count(struct kunit *test)
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
	EXPECT_VMX(page_fault, EXIT_REASON_EPT_VIOLATION, 0, 0);
	EXPECT_VMX(mmio, EXIT_REASON_EPT_MISCONFIG, 0, 0);
}

static struct kunit_case exit_classes_cases[] = {
	KUNIT_CASE(each_svm_reason_has_a_class),
	KUNIT_CASE(each_vmx_reason_has_a_class),
	KUNIT_CASE(unknown_reasons_have_no_class),
	KUNIT_CASE(details_of_svm_exits_count),
	KUNIT_CASE(details_of_vmx_exits_count),
	{}
};

struct kunit_suite kvm_exit_classes_suite = {
	.name = "kvm_stats_exit_classes",
	.test_cases = exit_classes_cases,
};
