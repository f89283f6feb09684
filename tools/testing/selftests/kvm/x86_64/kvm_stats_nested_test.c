// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of nested guests, with SVM: how often a vCPU enters one,
 * and whether it runs one now.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_apic.h"
#include "kvm_stats_snapshot.h"
#include "kvm_stats_tap.h"
#include "processor.h"
#include "svm_util.h"

#define VCPU_ID		0
#define TIMES		13
#define L2_STACK_WORDS	256
#define VMMCALL_SIZE	3
#define VMRUN_FAILED	0xffffffffu	/* exit code for an invalid VMCB */

/* The argument of a check: what the guest does. */
enum {
	GUEST_RUNS_L2,
	GUEST_SETS_CS_L_AND_D,	/* the CPU refuses this VMCB, but KVM does not */
	GUEST_SETS_NO_ASID,	/* KVM refuses this VMCB */
	GUEST_SHUTS_DOWN,
	GUEST_SENDS_INIT,
};

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

static void guest_l1_fails(struct svm_test_data *svm, uint64_t what)
{
	int i;

	generic_svm_setup(svm, guest_l2, &l2_stack[L2_STACK_WORDS - 1]);
	guest_enter_l2(svm);
	GUEST_SYNC(1);
	if (what == GUEST_SETS_CS_L_AND_D)
		svm->vmcb->save.cs.attrib |= SVM_SELECTOR_DB_MASK;
	else
		svm->vmcb->control.asid = 0;
	for (i = 0; i < TIMES; i++) {
		run_guest(svm->vmcb, svm->vmcb_gpa);
		GUEST_ASSERT(svm->vmcb->control.exit_code == VMRUN_FAILED);
	}
	GUEST_SYNC(1);
}

/* An exception without an IDT is a triple fault. */
static void guest_l2_shuts_down(void)
{
	const struct desc_ptr no_idt = {};

	GUEST_SYNC(2);
	asm volatile("lidt %0; ud2" : : "m"(no_idt));
}

static void guest_l2_sends_init(void)
{
	GUEST_SYNC(2);
	guest_apic_write(APIC_ICR, (uint64_t)VCPU_ID << 32 | APIC_DEST_PHYSICAL |
				   APIC_INT_ASSERT | APIC_DM_INIT);
	for (;;)
		;
}

/* L1 intercepts neither SHUTDOWN nor INIT, so it never runs again. */
static void guest_l1_ends(struct svm_test_data *svm, uint64_t what)
{
	void *l2 = what == GUEST_SENDS_INIT ? guest_l2_sends_init :
					      guest_l2_shuts_down;

	guest_apic_enable();
	generic_svm_setup(svm, l2, &l2_stack[L2_STACK_WORDS - 1]);
	GUEST_SYNC(1);
	run_guest(svm->vmcb, svm->vmcb_gpa);
	GUEST_ASSERT(false);
}

static void guest_main(struct svm_test_data *svm, uint64_t what)
{
	if (what == GUEST_RUNS_L2)
		guest_l1(svm);
	else if (what < GUEST_SHUTS_DOWN)
		guest_l1_fails(svm, what);
	else
		guest_l1_ends(svm, what);
}

/* The VMM */

/* L1 is ready to run L2. */
static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm;
	vm_vaddr_t svm;

	if (!nested_svm_supported())
		return stats_skip("the CPU or KVM of the host does not support nested SVM");
	vm = vm_create_default(VCPU_ID, 0, guest_main);
	stats_apic_prepare(vm, VCPU_ID);
	vcpu_alloc_svm(vm, &svm);
	vcpu_args_set(vm, VCPU_ID, 2, svm, (uint64_t)target->arg);
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

/* An entry that KVM or the CPU refuses does not count. */
static const char *refused(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	const char *message;

	before = stats_now(guest);
	stats_run_guest(guest);
	after = stats_now(guest);
	message = STATS_CHECK_CHANGES(&before, &after, { "nested_run", 0 });
	return message ? message : stats_check_value(&after, "guest_mode", 0);
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

/* The vCPU leaves L2 without an exit to L1. */
static const char *end_in_l2(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	const char *message;

	stats_run_guest(guest);
	message = check_guest_mode(guest, 1);
	if (message)
		return message;
	vcpu_run(guest->vm, VCPU_ID);
	return check_guest_mode(guest, 0);
}

static const struct stats_check checks[] = {
	STATS_CHECK("nested_run", runs, .arg = GUEST_RUNS_L2),
	STATS_CHECK("refused_by_cpu", refused, .arg = GUEST_SETS_CS_L_AND_D),
	STATS_CHECK("refused_by_kvm", refused, .arg = GUEST_SETS_NO_ASID),
	STATS_CHECK("guest_mode", guest_mode, .arg = GUEST_RUNS_L2),
	STATS_CHECK("guest_mode_after_shutdown", end_in_l2, .arg = GUEST_SHUTS_DOWN),
	STATS_CHECK("guest_mode_after_init", end_in_l2, .arg = GUEST_SENDS_INIT),
};

static const struct stats_suite suite =
	STATS_SUITE("nested", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, NULL, 0);
}
