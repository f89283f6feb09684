// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of nested guests, with SVM: how often a vCPU enters one,
 * and whether it runs one now.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_snapshot.h"
#include "kvm_stats_tap.h"
#include "processor.h"
#include "svm_util.h"

#define VCPU_ID		0
#define TIMES		13
#define L2_STACK_WORDS	256
#define VMMCALL_SIZE	3

static unsigned long l2_stack[L2_STACK_WORDS] __aligned(16);

/* L2 exits to L1 immediately, except once, when it makes a ucall before. */
static void guest_l2(void)
{
	int i;

	for (i = 0; i < TIMES + 1; i++)
		asm volatile("vmmcall" : : : "memory");
	GUEST_SYNC(2);
	asm volatile("vmmcall" : : : "memory");
}

static void guest_enter_l2(struct svm_test_data *svm)
{
	run_guest(svm->vmcb, svm->vmcb_gpa);
	GUEST_ASSERT(svm->vmcb->control.exit_code == SVM_EXIT_VMMCALL);
	svm->vmcb->save.rip += VMMCALL_SIZE;
}

static void guest_l1(struct svm_test_data *svm)
{
	int i;

	/* The stack pointer has the alignment that it has after a call. */
	generic_svm_setup(svm, guest_l2, &l2_stack[L2_STACK_WORDS - 1]);
	guest_enter_l2(svm);
	GUEST_SYNC(1);
	for (i = 0; i < TIMES; i++)
		guest_enter_l2(svm);
	GUEST_SYNC(1);
	guest_enter_l2(svm);
	GUEST_SYNC(1);
}

/* The VMM */

/* L1 has run L2 once. */
static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm;
	vm_vaddr_t svm;

	if (!nested_svm_supported())
		return stats_skip("the CPU or KVM of the host does not support nested SVM");
	vm = vm_create_default(VCPU_ID, 0, guest_l1);
	vcpu_set_cpuid(vm, VCPU_ID, kvm_get_supported_cpuid());
	vcpu_alloc_svm(vm, &svm);
	vcpu_args_set(vm, VCPU_ID, 1, svm);
	stats_use_guest(target, vm, VCPU_ID);
	stats_run_guest(target->machine);
	return NULL;
}

static const char *runs(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	before = stats_now(guest);
	stats_run_guest(guest);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "nested_run", TIMES },
				   { "guest_mode", 0 });
}

static const char *check_guest_mode(const struct stats_guest *guest,
				    uint64_t expected)
{
	struct stats_snapshot now = stats_now(guest);

	return stats_check_value(&now, "guest_mode", expected);
}

/* L1 does not intercept the port of the ucall, so L2 exits to the VMM. */
static const char *guest_mode(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	const char *message;

	message = check_guest_mode(guest, 0);
	stats_run_guest(guest);
	if (!message)
		message = check_guest_mode(guest, 0);
	stats_run_guest(guest);
	if (!message)
		message = check_guest_mode(guest, 1);
	stats_run_guest(guest);
	return message ? message : check_guest_mode(guest, 0);
}

static const struct stats_check checks[] = {
	STATS_CHECK("nested_run", runs),
	STATS_CHECK("guest_mode", guest_mode),
};

static const struct stats_suite suite =
	STATS_SUITE("nested", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, NULL, 0);
}
