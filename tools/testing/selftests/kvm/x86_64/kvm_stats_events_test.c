// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of events that a few instructions of a guest cause:
 * interrupts, NMIs, instructions that KVM emulates, Hyper-V hypercalls; and of
 * what KVM does when a vCPU stops.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <linux/compiler.h>

#include "kvm_stats_processor.h"
#include "kvm_stats_run.h"
#include "kvm_stats_guest.h"
#include "kvm_stats_mmu.h"
#include "kvm_stats_tap.h"
#include "processor.h"

#define VCPU_ID		0
#define OTHER_VCPU_ID	1
#define TIMES		13
#define TRIES		100
#define NMI_VECTOR	2
#define VECTOR		0x40
#define MMIO		0xc0000000ul
#define FAILED_SIZE	4	/* of an instruction that KVM cannot emulate */
#define APIC		0xfee00000ul	/* without x2APIC */
#define APIC_VERSION	0x30
#define PIC_PORT	0x21		/* KVM emulates it */
#define NO_HYPERCALL	0x7777

#define HV_X64_MSR_GUEST_OS_ID			0x40000000
#define HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE	2
#define HVCALL_NOTIFY_LONG_SPIN_WAIT		8
#define HV_FLUSH_ALL_PROCESSORS			1

/* The guest */

static void (*guest_work)(void);
static uint64_t guest_apic;	/* it has one */
static uint64_t guest_is_intel;
static uint64_t guest_spins;
static uint64_t guest_stop;

static void guest_main(void)
{
	if (guest_apic)
		guest_apic_enable();
	for (;;) {
		GUEST_SYNC(0);
		READ_ONCE(guest_work)();
	}
}

static void guest_do_nothing(void)
{
}

static void guest_cpuid(void)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	asm volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
}

/* With interrupts enabled, because of Bochs; see kvm_stats_exits_test. */
static void guest_spin(void)
{
	asm volatile("sti" : : : "memory");
	while (!READ_ONCE(guest_stop))
		WRITE_ONCE(guest_spins, guest_spins + 1);
}

static void guest_exit_often(void)
{
	while (!READ_ONCE(guest_stop)) {
		guest_cpuid();
		WRITE_ONCE(guest_spins, guest_spins + 1);
	}
}

static void guest_end_interrupt(struct ex_regs *regs)
{
	guest_apic_write(APIC_EOI, 0);
}

static void guest_interrupts(void)
{
	int i;

	asm volatile("sti" : : : "memory");
	for (i = 0; i < TIMES; i++)
		guest_apic_write(APIC_SELF_IPI, VECTOR);
	asm volatile("cli" : : : "memory");
}

static void guest_one_interrupt(void)
{
	asm volatile("sti" : : : "memory");
	guest_apic_write(APIC_SELF_IPI, VECTOR);
	asm volatile("cli" : : : "memory");
}

static void guest_masked_interrupts(void)
{
	int i;

	for (i = 0; i < TIMES; i++) {
		guest_apic_write(APIC_SELF_IPI, VECTOR);
		asm volatile("sti; nop; cli" : : : "memory");
	}
}

/* First, it exits while it cannot take an interrupt. */
static void guest_accept_interrupts(void)
{
	guest_cpuid();
	asm volatile("sti; nop; cli" : : : "memory");
}

static void guest_halt(void)
{
	asm volatile("hlt");
}

static void guest_handle_nmi(struct ex_regs *regs)
{
	GUEST_SYNC(1);
}

static void guest_read_device(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		READ_ONCE(*(uint8_t *)(MMIO + i));
}

/* The VMM gets two parts of each access. */
static void guest_read_16_bytes(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		asm volatile("movdqu (%0), %%xmm0" : : "r"(MMIO) : "xmm0");
}

static void guest_read_apic(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		READ_ONCE(*(uint32_t *)(APIC + APIC_VERSION));
}

static void guest_skip_failed(struct ex_regs *regs)
{
	regs->rip += FAILED_SIZE;
}

/* KVM's emulator does not have this instruction. */
static void guest_add_device(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		asm volatile("paddb (%0), %%xmm0" : : "a"(MMIO) : "xmm0");
}

/* The emulator decodes this instruction, but cannot execute it. */
static void guest_exchange_device(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		asm volatile("cmpxchg16b (%0)" : : "D"(MMIO) : "rax", "rbx", "rcx", "rdx");
}

/* Ports */

static void guest_write_port(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		asm volatile("outb %%al, %%dx" : : "a"(0xff), "d"(PIC_PORT));
}

static uint8_t guest_string[TIMES];

static void guest_write_string(void)
{
	uint8_t *from = guest_string;
	int i;

	for (i = 0; i < TIMES; i++)
		asm volatile("outsb" : "+S"(from) : "d"(PIC_PORT) : "memory");
}

static void guest_read_string(void)
{
	uint8_t *to = guest_string;
	int i;

	for (i = 0; i < TIMES; i++)
		asm volatile("insb" : "+D"(to) : "d"(PIC_PORT) : "memory");
}

/* Hypercalls */

static uint64_t hyperv_hypercall(uint64_t code, uint64_t input)
{
	uint64_t result;

	if (guest_is_intel)
		asm volatile("vmcall" : "=a"(result) : "c"(code), "d"(input) : "memory");
	else
		asm volatile("vmmcall" : "=a"(result) : "c"(code), "d"(input) : "memory");
	return result;
}

static void guest_hyperv_hypercalls(void)
{
	int i;

	wrmsr(HV_X64_MSR_GUEST_OS_ID, 1);
	for (i = 0; i < TIMES; i++)
		GUEST_ASSERT(!hyperv_hypercall(HVCALL_NOTIFY_LONG_SPIN_WAIT, 0));
}

static void guest_unknown_hyperv_hypercalls(void)
{
	int i;

	wrmsr(HV_X64_MSR_GUEST_OS_ID, 1);
	for (i = 0; i < TIMES; i++)
		GUEST_ASSERT(hyperv_hypercall(NO_HYPERCALL, 0));
}

static void guest_unknown_hypercalls(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		GUEST_ASSERT(guest_hypercall(NO_HYPERCALL, 0));
}

static struct {
	uint64_t address_space;
	uint64_t flags;
	uint64_t processors;
} guest_flush __aligned(32) = { .flags = HV_FLUSH_ALL_PROCESSORS };
static uint64_t guest_flush_gpa;

static void guest_hyperv_flushes(void)
{
	int i;

	wrmsr(HV_X64_MSR_GUEST_OS_ID, 1);
	for (i = 0; i < TIMES; i++)
		GUEST_ASSERT(!hyperv_hypercall(HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE,
					       guest_flush_gpa));
}

/* The VMM */

static const char *use_machine(struct stats_target *target, struct kvm_vm *vm)
{
	*stats_in_guest(vm, guest_is_intel) = is_intel_cpu();
	stats_hypercall_prepare(vm);
	virt_pg_map(vm, MMIO, MMIO, 0);
	virt_pg_map(vm, APIC, APIC, 0);
	vm_init_descriptor_tables(vm);
	vcpu_init_descriptor_tables(vm, VCPU_ID);
	vm_handle_exception(vm, NMI_VECTOR, guest_handle_nmi);
	vm_handle_exception(vm, UD_VECTOR, guest_skip_failed);
	vm_handle_exception(vm, VECTOR, guest_end_interrupt);
	stats_use_guest(target, vm, VCPU_ID);
	stats_run_guest(target->machine);
	return NULL;
}

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, 0, guest_main);

	stats_apic_prepare(vm, VCPU_ID);
	*stats_in_guest(vm, guest_apic) = 1;
	return use_machine(target, vm);
}

/* The guest accesses its APIC in memory. */
static const char *set_up_xapic(struct stats_target *target)
{
	return use_machine(target, vm_create_default(VCPU_ID, 0, guest_main));
}

/* Without an interrupt controller in the kernel. */
static const char *set_up_without_apic(struct stats_target *target)
{
	struct kvm_vm *vm;

	vm = vm_create(VM_MODE_DEFAULT, DEFAULT_GUEST_PHY_PAGES, O_RDWR);
	kvm_vm_elf_load(vm, program_invocation_name, 0, 0);
	vm_vcpu_add_default(vm, VCPU_ID, guest_main);
	return use_machine(target, vm);
}

static void set_work(const struct stats_guest *guest, void (*work)(void))
{
	*stats_in_guest(guest->vm, guest_work) = work;
}

/*
 * If something else stops the vCPU while KVM injects an event, KVM injects it
 * again, and counts it again.  So only one of several tries must have @changes.
 */
static const char *check_tries(const struct stats_guest *guest,
			       void (*try)(const struct stats_guest *guest),
			       const struct stats_change *changes, size_t num)
{
	struct stats_snapshot before, after;
	const char *message = NULL;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = stats_now(guest);
		try(guest);
		after = stats_now(guest);
		message = stats_check_changes(&before, &after, changes, num);
		if (!message)
			break;
		stats_snapshot_free(&before);
		stats_snapshot_free(&after);
	}
	return message;
}

/* CHECK_TRIES(guest, try, { "NAME", BY }, ...) */
#define CHECK_TRIES(guest, try, ...)					\
	check_tries(guest, try,						\
		    (const struct stats_change[]) { __VA_ARGS__ },	\
		    ARRAY_SIZE(((const struct stats_change[]) { __VA_ARGS__ })))

static void run_work(const struct stats_guest *guest)
{
	stats_run_guest(guest);
}

static const char *check_work(const struct stats_guest *guest, void (*work)(void),
			      const struct stats_change *changes, size_t num)
{
	set_work(guest, work);
	return check_tries(guest, run_work, changes, num);
}

/* The same for what the guest does. */
#define CHECK_WORK(guest, work, ...)					\
	check_work(guest, work,						\
		   (const struct stats_change[]) { __VA_ARGS__ },	\
		   ARRAY_SIZE(((const struct stats_change[]) { __VA_ARGS__ })))

static struct kvm_run *run_of(const struct stats_guest *guest)
{
	return vcpu_state(guest->vm, guest->vcpu_id);
}

static const char *needs_no_apicv(void)
{
	if (stats_param_is_on("/sys/module/kvm_amd/parameters/avic") ||
	    stats_param_is_on("/sys/module/kvm_intel/parameters/enable_apicv"))
		return stats_skip("the CPU delivers interrupts without KVM");
	return NULL;
}

/* Interrupts */

static const char *interrupts(struct stats_target *target)
{
	const char *message = needs_no_apicv();

	return message ? message :
	       CHECK_WORK(target->machine, guest_interrupts,
			  { "irq_injections", TIMES },
			  { "irq_window_exits", 0 },
			  { "nmi_injections", 0 });
}

/*
 * An exit tells KVM that the guest accepts the interrupt.  KVM looks for events when
 * the interrupt comes, after that exit, and after the end of the interrupt.
 */
static const char *masked_interrupts(struct stats_target *target)
{
	const char *message = needs_no_apicv();

	return message ? message :
	       CHECK_WORK(target->machine, guest_masked_interrupts,
			  { "irq_injections", TIMES },
			  { "irq_window_exits", TIMES },
			  { "nmi_window_exits", 0 },
			  { "req_event", 3 * TIMES });
}

/*
 * KVM unmaps the page that has the IDT, so the CPU faults when it delivers the event.
 * KVM maps the page, and injects the event again.
 */
static void unmap_idt(const struct stats_guest *guest)
{
	struct kvm_sregs sregs;
	void *page;

	vcpu_sregs_get(guest->vm, VCPU_ID, &sregs);
	page = addr_gva2hva(guest->vm, sregs.idt.base);
	TEST_ASSERT(!mprotect(page, getpagesize(), PROT_NONE) &&
		    !mprotect(page, getpagesize(), PROT_READ | PROT_WRITE),
		    "mprotect: %s", strerror(errno));
}

static void run_interrupt(const struct stats_guest *guest)
{
	unmap_idt(guest);
	stats_run_guest(guest);
}

/*
 * The try counts if the IDT is the only page that the vCPU misses.  Other exits can
 * interrupt the delivery, too.
 */
static const char *check_interrupted(const struct stats_guest *guest,
				     void (*try)(const struct stats_guest *guest),
				     const char *name)
{
	struct stats_snapshot before, after;
	int64_t faults = 0, by = 0;
	int i, faulted = 0;

	for (i = 0; i < TRIES; i++) {
		before = stats_now(guest);
		try(guest);
		after = stats_now(guest);
		faults = stats_changed(&before, &after, "pf_taken");
		if (faults == 1) {
			faulted++;
			by = stats_changed(&before, &after, name);
			if (by == 2)
				return NULL;
		}
		stats_snapshot_free(&before);
		stats_snapshot_free(&after);
	}
	return faulted ? stats_fail("'%s' changed by %ld, expected 2", name, by) :
	       stats_skip("the vCPU took %ld page faults in the last try", faults);
}

static const char *interrupted_interrupt(struct stats_target *target)
{
	const char *message = needs_no_apicv();

	set_work(target->machine, guest_one_interrupt);
	return message ? message :
	       check_interrupted(target->machine, run_interrupt, "irq_injections");
}

static void run_windows(const struct stats_guest *guest)
{
	struct kvm_run *run = run_of(guest);
	int i;

	for (i = 0; i < TIMES; i++) {
		run->request_interrupt_window = 1;
		vcpu_run(guest->vm, VCPU_ID);
		TEST_ASSERT(run->exit_reason == KVM_EXIT_IRQ_WINDOW_OPEN,
			    "the exit reason is %u, expected an open window", run->exit_reason);
		run->request_interrupt_window = 0;
		stats_run_guest(guest);
	}
}

/*
 * The VMM asks for an exit as soon as the guest accepts an interrupt.  KVM looks for
 * events at both entries until then, and after it.
 */
static const char *window_for_vmm(struct stats_target *target)
{
	set_work(target->machine, guest_accept_interrupts);
	return CHECK_TRIES(target->machine, run_windows,
			   { "request_irq_exits", TIMES },
			   { "irq_window_exits", TIMES },
			   { "irq_injections", 0 },
			   { "req_event", 3 * TIMES });
}

/* Without an interrupt controller in the kernel, the VMM halts the vCPU. */
static const char *halt_for_vmm(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	set_work(guest, guest_halt);
	before = stats_now(guest);
	vcpu_run(guest->vm, VCPU_ID);
	after = stats_now(guest);
	if (run_of(guest)->exit_reason != KVM_EXIT_HLT)
		return stats_fail("the exit reason is %u, expected a halt",
				  run_of(guest)->exit_reason);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "halt_exits", 1 },
				   { "halt_wait_hist", 0 });
}

static void inject_nmi(const struct stats_guest *guest)
{
	vcpu_ioctl(guest->vm, VCPU_ID, KVM_NMI, NULL);
}

static void run_nmis(const struct stats_guest *guest)
{
	int i;

	for (i = 0; i < TIMES; i++) {
		inject_nmi(guest);
		stats_run_guest(guest);		/* to the handler */
		stats_run_guest(guest);
	}
}

/* With SVM, the end of each NMI handler exits. */
static const char *nmis(struct stats_target *target)
{
	set_work(target->machine, guest_do_nothing);
	return CHECK_TRIES(target->machine, run_nmis,
			   { "nmi_injections", TIMES },
			   { "nmi_window_exits", is_intel_cpu() ? 0 : TIMES },
			   { "irq_injections", 0 });
}

static void run_nmi(const struct stats_guest *guest)
{
	unmap_idt(guest);
	inject_nmi(guest);
	stats_run_guest(guest);			/* to the handler */
	stats_run_guest(guest);
}

static const char *interrupted_nmi(struct stats_target *target)
{
	set_work(target->machine, guest_do_nothing);
	return check_interrupted(target->machine, run_nmi, "nmi_injections");
}

/* The second NMI comes in the handler of the first one, and waits for its end. */
static void run_nmi_in_nmi(const struct stats_guest *guest)
{
	inject_nmi(guest);
	stats_run_guest(guest);			/* to the handler */
	inject_nmi(guest);
	stats_run_guest(guest);			/* to the handler again */
	stats_run_guest(guest);
}

static const char *nmi_in_nmi(struct stats_target *target)
{
	set_work(target->machine, guest_do_nothing);
	return CHECK_TRIES(target->machine, run_nmi_in_nmi,
			   { "nmi_injections", 2 },
			   { "nmi_window_exits", is_intel_cpu() ? 1 : 2 });
}

/* Emulated instructions */

static const char *emulation(struct stats_target *target)
{
	return CHECK_WORK(target->machine, guest_read_device,
			  { "insn_emulation", TIMES },
			  { "insn_emulation_fail", 0 },
			  { "mmio_exits", TIMES });
}

static const char *access_in_two_parts(struct stats_target *target)
{
	return CHECK_WORK(target->machine, guest_read_16_bytes,
			  { "insn_emulation", TIMES },
			  { "mmio_exits", TIMES });
}

/* KVM emulates the device. */
static const char *apic_access(struct stats_target *target)
{
	const char *message = needs_no_apicv();

	return message ? message :
	       CHECK_WORK(target->machine, guest_read_apic,
			  { "insn_emulation", TIMES },
			  { "mmio_exits", 0 });
}

/* The ucall is also an access to a port. */
static const char *port_in_kernel(struct stats_target *target)
{
	return CHECK_WORK(target->machine, guest_write_port,
			  { "io_exits", TIMES + 1 },
			  { "insn_emulation", 0 });
}

static const char *string_output(struct stats_target *target)
{
	return CHECK_WORK(target->machine, guest_write_string,
			  { "io_exits", TIMES + 1 },
			  { "insn_emulation", TIMES });
}

/* With shadow paging, any write that KVM emulates could be to a page table. */
static const char *string_input(struct stats_target *target)
{
	return CHECK_WORK(target->machine, guest_read_string,
			  { "io_exits", TIMES + 1 },
			  { "mmu_pte_write", stats_has_nested_paging() ? 0 : TIMES });
}

static const char *failed_emulation(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct kvm_run *run = run_of(guest);
	struct stats_snapshot before, after;
	int i;

	set_work(guest, target->arg ? guest_exchange_device : guest_add_device);
	before = stats_now(guest);
	for (i = 0; i < TIMES; i++) {
		do {
			vcpu_run(guest->vm, VCPU_ID);
		} while (run->exit_reason == KVM_EXIT_MMIO);
		if (run->exit_reason != KVM_EXIT_INTERNAL_ERROR)
			return stats_fail("the exit reason is %u, expected an error",
					  run->exit_reason);
	}
	stats_run_guest(guest);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "insn_emulation_fail", TIMES },
				   { "insn_emulation", TIMES },
				   { "mmio_exits", target->arg ? TIMES : 0 });
}

static const char *hyperv_hypercalls(struct stats_target *target)
{
	return CHECK_WORK(target->machine, guest_hyperv_hypercalls,
			  { "hypercalls", TIMES },
			  { "tlb_flush", 0 });
}

static const char *unknown_hypercalls(struct stats_target *target)
{
	return CHECK_WORK(target->machine, target->arg ? guest_unknown_hyperv_hypercalls :
							 guest_unknown_hypercalls,
			  { "hypercalls", TIMES });
}

static const char *hyperv_flushes(struct stats_target *target)
{
	struct stats_guest *guest = target->machine;

	*stats_in_guest(guest->vm, guest_flush_gpa) =
		addr_gva2gpa(guest->vm, (vm_vaddr_t)&guest_flush);
	return CHECK_WORK(guest, guest_hyperv_flushes,
			  { "hypercalls", TIMES },
			  { "tlb_flush", TIMES });
}

/* What KVM does when a vCPU stops */

/* If it may, this process no longer leaves its CPU to others. */
static void use_fifo(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &param);
}

static uint64_t context_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Each call of KVM_RUN loads the state of the guest once, if nobody preempts it. */
static const char *runs(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	uint64_t switches;
	int i, try;

	use_fifo();
	set_work(guest, guest_do_nothing);
	for (try = 0; try < TRIES; try++) {
		before = stats_now(guest);
		switches = context_switches();
		for (i = 0; i < TIMES; i++)
			vcpu_run(guest->vm, VCPU_ID);
		switches = context_switches() - switches;
		after = stats_now(guest);
		if (!switches)
			return STATS_CHECK_CHANGES(&before, &after,
						   { "fpu_reload", TIMES },
						   { "host_state_reload", TIMES },
						   { "io_exits", TIMES },
						   { "preemption_reported", 0 },
						   { "preemption_other", 0 });
		stats_snapshot_free(&before);
		stats_snapshot_free(&after);
	}
	return stats_skip("other threads preempted the vCPU in each of %d tries", TRIES);
}

/* Other ioctls load the state of a vCPU, but not the guest's FPU. */
static const char *ioctls(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	struct kvm_regs regs;
	uint64_t switches;
	int i, try;

	use_fifo();
	for (try = 0; try < TRIES; try++) {
		before = stats_now(guest);
		switches = context_switches();
		for (i = 0; i < TIMES; i++)
			vcpu_regs_get(guest->vm, VCPU_ID, &regs);
		switches = context_switches() - switches;
		after = stats_now(guest);
		if (!switches)
			return STATS_CHECK_CHANGES(&before, &after,
						   { "fpu_reload", 0 },
						   { "host_state_reload",
						     is_intel_cpu() ? 0 : TIMES });
		stats_snapshot_free(&before);
		stats_snapshot_free(&after);
	}
	return stats_skip("other threads preempted this one in each of %d tries", TRIES);
}

static void ignore_signal(int sig)
{
}

/* KVM_RUN returns at once, as for a signal, but there is none. */
static const char *immediate_exits(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	int i;

	before = stats_now(guest);
	run_of(guest)->immediate_exit = 1;
	for (i = 0; i < TIMES; i++)
		if (!ioctl(stats_vcpu_fd(guest->vm, VCPU_ID), KVM_RUN, NULL) || errno != EINTR)
			return stats_fail("KVM_RUN does not return EINTR");
	run_of(guest)->immediate_exit = 0;
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "signal_exits", 0 },
				   { "exits", 0 });
}

/* A signal ends the wait of a vCPU that no other one has started. */
static const char *signals(struct stats_target *target)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_UNINITIALIZED };
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } }, off = {};
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	struct stats_guest other;
	int i;

	vm_vcpu_add_default(guest->vm, OTHER_VCPU_ID, guest_main);
	other = stats_guest_of(guest->vm, OTHER_VCPU_ID);
	vcpu_set_mp_state(guest->vm, OTHER_VCPU_ID, &state);
	signal(SIGALRM, ignore_signal);
	setitimer(ITIMER_REAL, &every, NULL);
	before = stats_now(&other);
	for (i = 0; i < TIMES; i++)
		if (!ioctl(stats_vcpu_fd(guest->vm, OTHER_VCPU_ID), KVM_RUN, NULL) ||
		    errno != EINTR)
			return stats_fail("KVM_RUN has ended, but no signal has come");
	after = stats_now(&other);
	setitimer(ITIMER_REAL, &off, NULL);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "signal_exits", TIMES },
				   { "exits", 0 });
}

/* The values, and @switched: the preemptions until then.  The read itself may sleep. */
static struct stats_snapshot now_and_preemptions(const struct stats_guest *guest, pid_t tid,
						 uint64_t *switched)
{
	struct stats_snapshot now;

	for (;;) {
		*switched = stats_thread_preemption_count(tid);
		now = stats_now(guest);
		if (stats_thread_preemption_count(tid) == *switched)
			return now;
		stats_snapshot_free(&now);
	}
}

/*
 * The vCPU and this thread share a CPU.  Each time that this thread wakes, it
 * preempts the vCPU.  While it runs, the vCPU does not.
 */
static const char *check_preemptions(const struct stats_guest *guest,
				     struct stats_vcpu_thread *vcpu, const char *expected)
{
	struct stats_snapshot before, after;
	int64_t reported, other;
	uint64_t first, switched;
	int i;

	before = now_and_preemptions(guest, vcpu->tid, &first);
	for (i = 0; i < TRIES && stats_thread_preemption_count(vcpu->tid) < first + TIMES; i++)
		usleep(5000);
	after = now_and_preemptions(guest, vcpu->tid, &switched);
	switched -= first;
	reported = stats_changed(&before, &after, "preemption_reported");
	other = stats_changed(&before, &after, "preemption_other");
	if (switched < TIMES)
		return stats_skip("the vCPU was preempted only %lu times", switched);
	return reported + other == switched && stats_changed(&before, &after, expected) ? NULL :
	       stats_fail("'preemption_reported' changed by %ld and 'preemption_other' by %ld; "
			  "the vCPU was preempted %lu times", reported, other, switched);
}

static const char *preemptions(struct stats_target *target)
{
	const struct sched_param param = { .sched_priority = 1 };
	const struct stats_guest *guest = target->machine;
	struct stats_vcpu_thread vcpu;

	/* KVM reports a vCPU to its guest if it is preempted between two instructions. */
	set_work(guest, target->arg ? guest_exit_often : guest_spin);
	stats_pin(stats_nth_cpu(0));
	stats_vcpu_start(&vcpu, guest, stats_nth_cpu(0));
	while (!READ_ONCE(*stats_in_guest(guest->vm, guest_spins)))
		usleep(100);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return stats_skip("cannot change the scheduling policy: %s",
				  strerror(errno));
	stats_must(check_preemptions(guest, &vcpu,
				     target->arg ? "preemption_other" :
						   "preemption_reported"));
	WRITE_ONCE(*stats_in_guest(guest->vm, guest_stop), 1);
	stats_vcpu_join(&vcpu);
	return NULL;
}

static const struct stats_check checks[] = {
	STATS_CHECK("interrupts", interrupts),
	STATS_CHECK("masked_interrupts", masked_interrupts),
	STATS_CHECK("nmis", nmis),
	STATS_CHECK("nmi_in_nmi", nmi_in_nmi),
	STATS_CHECK("interrupted_interrupt", interrupted_interrupt),
	STATS_CHECK("interrupted_nmi", interrupted_nmi),
	STATS_CHECK("emulation", emulation),
	STATS_CHECK("access_in_two_parts", access_in_two_parts),
	STATS_CHECK("failed_emulation", failed_emulation),
	STATS_CHECK("failed_execution", failed_emulation, .arg = 1),
	STATS_CHECK("port_in_kernel", port_in_kernel),
	STATS_CHECK("string_output", string_output),
	STATS_CHECK("string_input", string_input),
	STATS_CHECK("unknown_hypercalls", unknown_hypercalls),
	STATS_CHECK("unknown_hyperv_hypercalls", unknown_hypercalls, .arg = 1),
	STATS_CHECK("hyperv_hypercalls", hyperv_hypercalls),
	STATS_CHECK("hyperv_flushes", hyperv_flushes),
	STATS_CHECK("runs", runs),
	STATS_CHECK("ioctls", ioctls),
	STATS_CHECK("immediate_exits", immediate_exits),
	STATS_CHECK("signals", signals),
	STATS_CHECK("preemptions", preemptions),
	STATS_CHECK("preemptions_in_kvm", preemptions, .arg = 1),
};

static const struct stats_check checks_of_xapic[] = {
	STATS_CHECK("access", apic_access),
};

static const struct stats_check checks_without_apic[] = {
	STATS_CHECK("window_for_vmm", window_for_vmm),
	STATS_CHECK("halt_for_vmm", halt_for_vmm),
};

static const struct stats_suite suites[] = {
	STATS_SUITE("events", VCPU_ID, checks, set_up),
	STATS_SUITE("xapic", VCPU_ID, checks_of_xapic, set_up_xapic),
	STATS_SUITE("no_apic", VCPU_ID, checks_without_apic, set_up_without_apic),
};

int main(void)
{
	stats_tap_begin();
	stats_tap_run(suites, ARRAY_SIZE(suites), NULL, 0);
}
