// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nested guests: how often a vCPU enters one, and whether it is in one, as its
 * statistics tell.  By SVM.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_events.h"
#include "processor.h"
#include "svm_util.h"

#define VCPU_ID		0
#define TIMES		13
#define L2_STACK_WORDS	256
#define VMMCALL_SIZE	3

static unsigned long l2_stack[L2_STACK_WORDS] __aligned(16);

/* The guest's guest: goes back as soon as it is entered, but once after a ucall. */
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

	/* As if it had been called. */
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

/* The guest has been in its own guest once. */
static const char *set_up(struct stats_target *target)
{
	static struct stats_guest guest;
	struct kvm_vm *vm;
	vm_vaddr_t svm;

	if (!nested_svm_supported())
		return stats_skip("the host's CPU or KVM has no nested SVM");
	vm = vm_create_default(VCPU_ID, 0, guest_l1);
	vcpu_set_cpuid(vm, VCPU_ID, kvm_get_supported_cpuid());
	vcpu_alloc_svm(vm, &svm);
	vcpu_args_set(vm, VCPU_ID, 1, svm);
	guest = stats_guest_of(vm, VCPU_ID);
	target->machine = &guest;
	stats_run_guest(&guest);
	return NULL;
}

static const char *runs(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

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
	struct stats_moment now = stats_now(guest);

	return stats_check_value(&now, "guest_mode", expected);
}

/* The nested guest's ucall goes by a port that its hypervisor leaves to it. */
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

static const struct stats_suite suite = {
	.name = "nested",
	.vcpu_id = VCPU_ID,
	.checks = checks,
	.num = ARRAY_SIZE(checks),
	.setup = set_up,
};

int main(void)
{
	stats_tap_begin();
	stats_tap_run(&suite, 1);
	stats_tap_end();
}
