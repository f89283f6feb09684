// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of nested guests, with SVM or VMX: how often a vCPU enters
 * one, and whether it runs one now.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_processor.h"
#include "kvm_stats_guest.h"
#include "kvm_stats_tap.h"
#include "processor.h"
#include "svm_util.h"
#include "vmx.h"

#define VCPU_ID		0
#define TIMES		13
#define SPINS		500000
#define L2_STACK_WORDS	256
#define CALL_SIZE	3		/* of VMMCALL and VMCALL */
#define VMRUN_FAILED	0xffffffffu	/* exit code for an invalid VMCB */

/* The argument of a check: what the guest does. */
enum {
	GUEST_RUNS_L2,
	GUEST_REFUSED_BY_CPU,	/* KVM does not refuse this VMCB or VMCS */
	GUEST_REFUSED_BY_KVM,
	GUEST_SHUTS_DOWN,
	GUEST_SENDS_INIT,
	GUEST_SPINS_IN_L2,
};

static unsigned long l2_stack[L2_STACK_WORDS] __aligned(16);

/* L1 uses VMX, and has entered L2 before. */
static bool use_vmx, vmx_launched;

static void guest_l2_call(void)
{
	if (use_vmx)
		asm volatile("vmcall" : : : "memory");
	else
		asm volatile("vmmcall" : : : "memory");
}

/* KVM handles this exit, and L2 goes on.  With VMX, L1 gets it. */
static void guest_l2_exit(void)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	if (!use_vmx)
		asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
}

/*
 * L2 exits to L1 immediately, except once, when it makes a ucall before.  With
 * VMX, L1 changes the registers of L2, so the number of calls is in memory.
 */
static void guest_l2(void)
{
	static int calls;

	while (calls++ < TIMES + 1) {
		guest_l2_exit();
		guest_l2_call();
	}
	GUEST_SYNC(2);
	guest_l2_call();
}

static void guest_prepare_l2(void *nested, void *l2)
{
	/* The stack pointer has the alignment that it has after a call. */
	void *stack = &l2_stack[L2_STACK_WORDS - 1];

	if (use_vmx) {
		GUEST_ASSERT(prepare_for_vmx_operation(nested));
		GUEST_ASSERT(load_vmcs(nested));
		prepare_vmcs(nested, l2, stack);
	} else {
		generic_svm_setup(nested, l2, stack);
	}
}

/* Returns the exit code, or VMRUN_FAILED if VMLAUNCH or VMRESUME fails. */
static uint64_t guest_run_l2(void *nested)
{
	struct svm_test_data *svm = nested;

	if (!use_vmx) {
		run_guest(svm->vmcb, svm->vmcb_gpa);
		return svm->vmcb->control.exit_code;
	}
	if (vmx_launched ? vmresume() : vmlaunch())
		return VMRUN_FAILED;
	vmx_launched = true;
	return vmreadz(VM_EXIT_REASON);
}

static void guest_enter_l2(void *nested)
{
	struct svm_test_data *svm = nested;
	uint64_t code = guest_run_l2(nested);

	GUEST_ASSERT(code == (use_vmx ? EXIT_REASON_VMCALL : SVM_EXIT_VMMCALL));
	if (use_vmx)
		vmwrite(GUEST_RIP, vmreadz(GUEST_RIP) + CALL_SIZE);
	else
		svm->vmcb->save.rip += CALL_SIZE;
}

static void guest_l1(void *nested)
{
	int i;

	guest_prepare_l2(nested, guest_l2);
	guest_enter_l2(nested);
	GUEST_SYNC(1);
	for (i = 0; i < TIMES; i++)
		guest_enter_l2(nested);
	GUEST_SYNC(1);
	guest_enter_l2(nested);
	GUEST_SYNC(1);
}

/* CS.L and CS.D are both set, or the bit of RFLAGS that is always 1 is clear. */
static uint64_t guest_breaks_state(void *nested)
{
	struct svm_test_data *svm = nested;

	if (!use_vmx) {
		svm->vmcb->save.cs.attrib |= SVM_SELECTOR_DB_MASK;
		return VMRUN_FAILED;
	}
	vmwrite(GUEST_RFLAGS, 0);
	return EXIT_REASON_FAILED_VMENTRY | EXIT_REASON_INVALID_STATE;
}

static uint64_t guest_breaks_controls(void *nested)
{
	struct svm_test_data *svm = nested;

	if (use_vmx)
		vmwrite(PIN_BASED_VM_EXEC_CONTROL, 0);
	else
		svm->vmcb->control.asid = 0;
	return VMRUN_FAILED;
}

static void guest_l1_fails(void *nested, uint64_t what)
{
	uint64_t expected;
	int i;

	guest_prepare_l2(nested, guest_l2);
	guest_enter_l2(nested);
	GUEST_SYNC(1);
	expected = what == GUEST_REFUSED_BY_CPU ? guest_breaks_state(nested) :
						  guest_breaks_controls(nested);
	for (;;) {
		for (i = 0; i < TIMES; i++)
			GUEST_ASSERT(guest_run_l2(nested) == expected);
		GUEST_SYNC(1);
	}
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

/*
 * With SVM, L1 intercepts neither SHUTDOWN nor INIT, so it never runs again.  With
 * VMX, the triple fault is an exit to L1.
 */
static void guest_l1_ends(void *nested, uint64_t what)
{
	if (what == GUEST_SENDS_INIT)
		guest_apic_enable();
	guest_prepare_l2(nested, what == GUEST_SENDS_INIT ? guest_l2_sends_init :
							    guest_l2_shuts_down);
	GUEST_SYNC(1);
	GUEST_ASSERT(guest_run_l2(nested) == EXIT_REASON_TRIPLE_FAULT && use_vmx);
	GUEST_SYNC(1);
}

/* With interrupts enabled, as in kvm_stats_exits_test. */
static void guest_l2_spins(void)
{
	int i;

	for (;;) {
		GUEST_SYNC(2);
		asm volatile("sti");
		for (i = 0; i < SPINS; i++)
			asm volatile("" ::: "memory");
		asm volatile("cli");
	}
}

static void guest_main(void *nested, uint64_t what)
{
	if (what == GUEST_SPINS_IN_L2) {
		guest_prepare_l2(nested, guest_l2_spins);
		guest_run_l2(nested);
	}
	if (what == GUEST_RUNS_L2)
		guest_l1(nested);
	else if (what < GUEST_SHUTS_DOWN)
		guest_l1_fails(nested, what);
	else
		guest_l1_ends(nested, what);
}

/* The VMM */

/* L1 is ready to run L2. */
static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm;
	vm_vaddr_t nested;

	use_vmx = nested_vmx_supported();
	if (!use_vmx && !nested_svm_supported())
		return stats_skip("the CPU or KVM of the host does not support nested guests");
	if (use_vmx && target->arg == GUEST_SENDS_INIT)
		return stats_skip("with VMX, INIT is an exit to L1");
	vm = vm_create_default(VCPU_ID, 0, guest_main);
	stats_apic_prepare(vm, VCPU_ID);
	if (use_vmx)
		vcpu_alloc_vmx(vm, &nested);
	else
		vcpu_alloc_svm(vm, &nested);
	sync_global_to_guest(vm, use_vmx);
	vcpu_args_set(vm, VCPU_ID, 2, nested, (uint64_t)target->arg);
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

static void run(const struct stats_guest *guest)
{
	stats_run_guest(guest);
}

/* With VMX, the number of exits depends on what KVM shadows, and on its timer. */
static const char *check_exits(const struct stats_guest *guest, int64_t num, bool interrupted)
{
	return use_vmx ? stats_check_exits(guest, run, 1, INT64_MAX, interrupted) :
			 stats_check_exits(guest, run, num, num, interrupted);
}

/*
 * An entry that KVM or the CPU refuses does not count as a nested run, but as an exit.
 * VMLOAD, VMRUN and VMSAVE of L1 exit.  If the CPU refuses the VMCB, this is another
 * exit.  The ucall is the last one.
 */
static const char *refused(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	before = stats_now(guest);
	stats_run_guest(guest);
	after = stats_now(guest);
	stats_must(STATS_CHECK_CHANGES(&before, &after, { "nested_run", 0 }));
	stats_must(stats_check_value(&after, "guest_mode", 0));
	return check_exits(guest, TIMES * (target->arg == GUEST_REFUSED_BY_CPU ? 4 : 3) + 1, false);
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

	stats_must(check_guest_mode(guest, 0));
	stats_run_guest(guest);
	stats_must(check_guest_mode(guest, 0));
	stats_run_guest(guest);
	stats_must(check_guest_mode(guest, 1));
	stats_run_guest(guest);
	return check_guest_mode(guest, 0);
}

/* The vCPU leaves L2, with SVM without an exit to L1. */
static const char *end_in_l2(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	stats_run_guest(guest);
	stats_must(check_guest_mode(guest, 1));
	if (use_vmx)
		stats_run_guest(guest);
	else
		vcpu_run(guest->vm, VCPU_ID);
	return check_guest_mode(guest, 0);
}

/* The only exits of L2 are interrupts and the ucall. */
static const char *interrupts(struct stats_target *target)
{
	return check_exits(target->machine, 1, true);
}

static const struct stats_check checks[] = {
	STATS_CHECK("nested_run", runs, .arg = GUEST_RUNS_L2),
	STATS_CHECK("refused_by_cpu", refused, .arg = GUEST_REFUSED_BY_CPU),
	STATS_CHECK("refused_by_kvm", refused, .arg = GUEST_REFUSED_BY_KVM),
	STATS_CHECK("guest_mode", guest_mode, .arg = GUEST_RUNS_L2),
	STATS_CHECK("guest_mode_after_shutdown", end_in_l2, .arg = GUEST_SHUTS_DOWN),
	STATS_CHECK("interrupts", interrupts, .arg = GUEST_SPINS_IN_L2),
	STATS_CHECK("guest_mode_after_init", end_in_l2, .arg = GUEST_SENDS_INIT),
};

static const struct stats_suite suite =
	STATS_SUITE("nested", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, NULL, 0);
}
