/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by classes.c. x86: the guest is in real mode. */
#include <cpuid.h>

#define CPUID_MONITOR	(1U << 3)	/* of leaf 1, in %ecx */
#define CR0_PE		1ULL
#define CR0_PG		(1ULL << 31)
#define CR4_PAE		(1ULL << 5)
#define EFER_LME	(1ULL << 8)
#define EFER_LMA	(1ULL << 10)

static bool create(struct guest *guest)
{
	return create_guest(guest, 0);
}

static bool has_ended(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_IO && run->io.port == 0x11;
}

static bool is_completed(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO ||
	       (run->exit_reason == KVM_EXIT_IO && run->io.port == 0x10);
}

static size_t jump(instruction *code, size_t back)
{
	code[0] = 0xeb;
	code[1] = -(back + 2);
	return 2;
}

static const struct exit io = { "exit_io", { 0xe6, 0x10 }, 2, 1 };	/* out %al, $0x10 */
static const struct exit cpuid = { "exit_cpuid", { 0x0f, 0xa2 }, 2, 1 };

static const struct exit msr_read = {
	"exit_msr_read", {
		0x66, 0xb9, 0x1b, 0x00, 0x00, 0x00,	/* mov $0x1b, %ecx: APIC_BASE */
		0x0f, 0x32,				/* rdmsr */
	}, 8, 1
};

/* SVM and VMX handle these exits in a fast path. */
static const struct exit msr_write = {
	"exit_msr_write", {
		0x66, 0xb9, 0xe0, 0x06, 0x00, 0x00,	/* mov $0x6e0, %ecx: TSC_DEADLINE */
		0x66, 0x31, 0xc0,			/* xor %eax, %eax */
		0x66, 0x31, 0xd2,			/* xor %edx, %edx */
		0x0f, 0x30,				/* wrmsr */
	}, 14, 1
};

static const struct exit hypercall = { "exit_hypercall", { 0x0f, 0x01, 0xd9 }, 3, 1 };
static const struct exit cache = { "exit_cache", { 0x0f, 0x09 }, 2, 1 };	/* wbinvd */

static const struct exit cr_access = {
	"exit_cr_access", {
		0x0f, 0x20, 0xe0,			/* mov %cr4, %eax */
		0x0f, 0x22, 0xe0,			/* mov %eax, %cr4 */
	}, 6, 2
};

static const struct exit mmio = {
	"exit_mmio", {
		0xb8, 0xff, 0xff,			/* mov $0xffff, %ax */
		0x8e, 0xd8,				/* mov %ax, %ds */
		0xa0, 0x10, 0x10,			/* mov 0x1010, %al: address 0x101000 */
	}, 8, 1
};

/* KVM lets the guest access the debug registers until the next exit, which is that of CPUID. */
static const struct exit dr_access = {
	"exit_dr_access", {
		0x0f, 0x23, 0xc0,			/* mov %eax, %dr0 */
		0x0f, 0xa2,				/* cpuid */
	}, 5, 1
};

/* An undefined instruction on SVM, which KVM replaces by VMMCALL. */
static const struct exit exception = {
	"exit_exception", { 0x0f, 0x01, 0xc1 }, 3, 1, "exit_hypercall"
};

static const struct exit tlb = { "exit_tlb", { 0x0f, 0x01, 0x3f }, 3, 1 };	/* invlpg (%bx) */

static const struct exit mwait = {
	"exit_mwait", {
		0x0f, 0x01, 0xc8,			/* monitor */
		0x0f, 0x01, 0xc9,			/* mwait */
	}, 6, 2
};

static const struct exit hlt = { "exit_hlt", { 0xf4 }, 1, 1 };

/* ---- what some exits need ---- */

static bool get_sregs(struct guest *guest, struct kvm_sregs *sregs)
{
	return !ioctl(guest->vcpu, KVM_GET_SREGS, sregs) ||
	       fail("KVM_GET_SREGS: %s", strerror(errno));
}

static bool set_sregs(struct guest *guest, const struct kvm_sregs *sregs)
{
	return !ioctl(guest->vcpu, KVM_SET_SREGS, sregs) ||
	       fail("KVM_SET_SREGS: %s", strerror(errno));
}

/* Protected mode without paging, with the segments of real mode. */
static bool enter_protected_mode(struct guest *guest)
{
	struct kvm_sregs sregs;

	if (!get_sregs(guest, &sregs))
		return false;
	sregs.cr0 |= CR0_PE;
	return set_sregs(guest, &sregs);
}

static const struct exit nested = {
	"exit_nested", { 0x0f, 0x01, 0xdf }, 3, 1,	/* invlpga */
	.prepare = enter_protected_mode
};

DEFINE_CHECK(check, io)
DEFINE_CHECK(check, cpuid)
DEFINE_CHECK(check, msr_read)
DEFINE_CHECK(check, msr_write)
DEFINE_CHECK(check, hypercall)
DEFINE_CHECK(check, cache)
DEFINE_CHECK(check, cr_access)
DEFINE_CHECK(check, mmio)
DEFINE_CHECK(check, exception)
DEFINE_CHECK(check, tlb)
DEFINE_CHECK(check, mwait)
DEFINE_CHECK(check, nested)

/* Each page is 32 KiB after the previous one, so that KVM does not map it in advance. */
static bool check_page_fault(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest);
	unsigned int i;

	ok = ok && append(&guest, cpuid.code, cpuid.size, 1);
	for (i = 0; ok && i < TIMES; i++) {
		uint16_t segment = 0x1000 + i * 0x800;
		const uint8_t touch[] = { 0xb8, segment, segment >> 8, 0x8e, 0xd8, 0xa0, 0, 0 };
		uint8_t *page = guest.memory + segment * 16;

		*(volatile uint8_t *)page = 1;
		guest.end -= i ? 2 : 0;		/* overwrite the exit after the previous code */
		append(&guest, touch, sizeof(touch), 1);
	}
	ok = ok && run(&guest) && read_stats(guest.vcpu, &outcome.before) && run(&guest) &&
	     read_stats(guest.vcpu, &outcome.after) &&
	     expect_exits(&outcome, "exit_page_fault", TIMES);
	guest_destroy(&guest);
	return ok;
}

static bool check_hlt(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest) && append(&guest, hlt.code, hlt.size, TIMES + 1) &&
		  run_until_signal(&guest, 1) && read_stats(guest.vcpu, &outcome.before) &&
		  run_until_signal(&guest, TIMES) && read_stats(guest.vcpu, &outcome.after) &&
		  expect_growth(&outcome, "exit_hlt", TIMES) &&
		  expect_time(&outcome, "exit_hlt") && sums_agree(&outcome);

	guest_destroy(&guest);
	return ok;
}

/* If the host interrupts the guest before it has repeated the instruction, this exits again. */
static bool check_dr_access(void)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		if (check(&dr_access))
			return true;
	return false;
}

#define VECTORS		0x8000
#define HANDLER		0x8400

/* The guest has a handler for one interrupt or exception, or, without @code, none. */
static bool set_handler(struct guest *guest, unsigned int vector, const void *code, size_t size)
{
	const uint16_t entry[] = { HANDLER, 0 };	/* and its segment */
	struct kvm_sregs sregs;

	if (!get_sregs(guest, &sregs))
		return false;
	sregs.idt.base = VECTORS;
	sregs.idt.limit = size ? HANDLER - VECTORS - 1 : 0;
	memcpy(guest->memory + VECTORS + vector * sizeof(entry), entry, sizeof(entry));
	if (size)
		memcpy(guest->memory + HANDLER, code, size);
	return set_sregs(guest, &sregs);
}

/* The handler of NMIs only returns. On SVM, this exits. */
static bool check_interrupt_window(void)
{
	static const uint8_t iret = 0xcf;
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest) && set_handler(&guest, 2, &iret, 1);
	unsigned int i;

	for (i = 0; ok && i <= TIMES; i++) {
		ok = append(&guest, cpuid.code, cpuid.size, 1) && !ioctl(guest.vcpu, KVM_NMI, 0) &&
		     run(&guest) && (i || read_stats(guest.vcpu, &outcome.before));
	}
	ok = ok && read_stats(guest.vcpu, &outcome.after) &&
	     expect_exits(&outcome, "exit_interrupt_window", TIMES);
	guest_destroy(&guest);
	return ok;
}

/* The handler of an exception skips the instruction, which has two bytes. */
static const uint8_t skip[] = {
	0x55, 0x89, 0xe5,			/* push %bp; mov %sp, %bp */
	0x83, 0x46, 0x02, 0x02,			/* addw $2, 2(%bp) */
	0x5d, 0xcf,				/* pop %bp; iret */
};

static bool skip_undefined(struct guest *guest)
{
	return set_handler(guest, 6, skip, sizeof(skip));
}

static const struct exit other = {
	"exit_other", { 0x0f, 0xaa }, 2, 1, .prepare = skip_undefined	/* rsm */
};

static bool skip_protected(struct guest *guest)
{
	return set_handler(guest, 13, skip, sizeof(skip));
}

/* There is no such counter, and the guest gets a general protection fault. */
static const struct exit rdtsc = {
	"exit_rdtsc", {
		0x66, 0x83, 0xc9, 0xff,			/* or $-1, %ecx */
		0x0f, 0x33,				/* rdpmc */
	}, 6, 1, .prepare = skip_protected
};

DEFINE_CHECK(check, other)
DEFINE_CHECK(check, rdtsc)

/* Without a handler, an exception ends in a triple fault. */
static bool append_shutdown(struct guest *guest)
{
	static const uint8_t int3 = 0xcc;

	return append(guest, &int3, 1, 1) && set_handler(guest, 0, NULL, 0);
}

static bool check_shutdown(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest) && append(&guest, cpuid.code, cpuid.size, 1) &&
		  append_shutdown(&guest) && run(&guest) && read_stats(guest.vcpu, &outcome.before);

	if (ok && (ioctl(guest.vcpu, KVM_RUN, 0) || guest.run->exit_reason != KVM_EXIT_SHUTDOWN))
		ok = fail("KVM_RUN ends with exit reason %u", guest.run->exit_reason);
	ok = ok && read_stats(guest.vcpu, &outcome.after) &&
	     expect_growth(&outcome, "exit_shutdown", 1) && sums_agree(&outcome);
	guest_destroy(&guest);
	return ok;
}

/* The guest computes long enough to be interrupted. */
static bool check_interrupt(void)
{
	static const struct exit count_down = {
		"exit_interrupt", {
			0xfb,					/* sti, see interrupt_loop */
			0x66, 0xb9, 0x40, 0x42, 0x0f, 0x00,	/* mov $1000000, %ecx */
			0x66, 0x49, 0x75, 0xfc,			/* dec %ecx; jnz to dec */
			0xfa,					/* cli */
		}, 12, 0
	};
	static struct outcome outcome;
	uint64_t count, irqs;

	return measure(&count_down, &outcome) && change_of(&outcome, "exit_interrupt", &count) &&
	       change_of(&outcome, "irq_exits", &irqs) &&
	       ((count && count == irqs) ||
		fail("exit_interrupt grew by %llu, irq_exits by %llu", (unsigned long long)count,
		     (unsigned long long)irqs)) &&
	       expect_exits(&outcome, "exit_interrupt", irqs);
}

/* ---- exits that only VMX has ---- */

/* In real mode, a segment that the VMM sets has any base. */
static bool use_apic_segment(struct guest *guest)
{
	struct kvm_sregs sregs;

	if (!get_sregs(guest, &sregs))
		return false;
	sregs.ds.base = 0xfee00000;
	return set_sregs(guest, &sregs);
}

static const struct exit apic = {
	"exit_apic", { 0x66, 0xa1, 0x30, 0x00 }, 4, 1,	/* mov 0x30, %eax: version */
	.prepare = use_apic_segment
};

DEFINE_CHECK(check, apic)

/*
 * All exits are of the class, except interrupts, the last one, and those of the timer that KVM
 * uses.
 */
static bool check_others(const struct exit *exit)
{
	static const char timer[] = "exit_preemption_timer";
	static struct outcome outcome;
	uint64_t count, irqs, timers, exits;

	if (!measure(exit, &outcome) || !change_of(&outcome, exit->class, &count) ||
	    !change_of(&outcome, "irq_exits", &irqs) || !change_of(&outcome, timer, &timers) ||
	    !change_of(&outcome, "exits", &exits))
		return false;
	if (strcmp(exit->class, timer))
		exits -= timers;
	if (!count || count + irqs + 1 != exits)
		return fail("%s grew by %llu, irq_exits by %llu, other exits by %llu", exit->class,
			    (unsigned long long)count, (unsigned long long)irqs,
			    (unsigned long long)(exits - count - irqs));
	return expect_time(&outcome, exit->class) && sums_agree(&outcome);
}

#define APIC_SPIV	0xf0
#define APIC_LVTT	0x320
#define APIC_TMICT	0x380
#define APIC_TDCR	0x3e0

/* A timer that expires every millisecond, without an interrupt. */
static bool start_timer(struct guest *guest)
{
	static const uint32_t values[][2] = {
		{ APIC_SPIV, 0x1ff }, { APIC_LVTT, 0x30020 },
		{ APIC_TDCR, 0xb }, { APIC_TMICT, 1000000 },
	};
	struct kvm_lapic_state state;
	size_t i;

	if (ioctl(guest->vcpu, KVM_GET_LAPIC, &state))
		return fail("KVM_GET_LAPIC: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(values); i++)
		memcpy(state.regs + values[i][0], &values[i][1], sizeof(values[i][1]));
	return !ioctl(guest->vcpu, KVM_SET_LAPIC, &state) ||
	       fail("KVM_SET_LAPIC: %s", strerror(errno));
}

static const struct exit timer_loop = {
	"exit_preemption_timer", {
		0x66, 0xb9, 0x40, 0x42, 0x0f, 0x00,	/* mov $1000000, %ecx */
		0x66, 0x49, 0x75, 0xfc,			/* dec %ecx; jnz to dec */
	}, 10, .prepare = start_timer
};

static const struct exit pause_loop = {
	"exit_pause", {
		0x66, 0xb9, 0xa0, 0x86, 0x01, 0x00,	/* mov $100000, %ecx */
		0xf3, 0x90,				/* pause */
		0x66, 0x49, 0x75, 0xfa,			/* dec %ecx; jnz to pause */
	}, 12
};

DEFINE_CHECK(check_others, timer_loop)
DEFINE_CHECK(check_others, pause_loop)

/* Long mode with a code segment of both 64 and 32 bits. */
static bool set_invalid_state(struct guest *guest)
{
	struct kvm_sregs sregs;

	if (!get_sregs(guest, &sregs))
		return false;
	sregs.cr0 |= CR0_PE | CR0_PG;
	sregs.cr4 |= CR4_PAE;
	sregs.efer |= EFER_LME | EFER_LMA;
	sregs.cs.l = 1;
	sregs.cs.db = 1;
	return set_sregs(guest, &sregs);
}

static bool fail_entry(struct guest *guest)
{
	struct kvm_sregs sregs;

	if (!get_sregs(guest, &sregs) || !set_invalid_state(guest))
		return false;
	if (ioctl(guest->vcpu, KVM_RUN, 0))
		return fail("KVM_RUN: %s", strerror(errno));
	if (guest->run->exit_reason != KVM_EXIT_FAIL_ENTRY)
		return fail("KVM_RUN ends with exit reason %u", guest->run->exit_reason);
	return set_sregs(guest, &sregs);
}

static bool fail_entries(struct guest *guest, unsigned int times)
{
	bool ok = true;

	while (ok && times--)
		ok = fail_entry(guest);
	return ok;
}

static bool check_entry_failed(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest) && append(&guest, cpuid.code, cpuid.size, 1) && run(&guest) &&
		  fail_entries(&guest, WARM_UP) &&
		  read_stats(guest.vcpu, &outcome.before) && fail_entries(&guest, TIMES) &&
		  read_stats(guest.vcpu, &outcome.after) &&
		  expect_exits(&outcome, "exit_entry_failed", TIMES);

	guest_destroy(&guest);
	return ok;
}

static const char *has_no_mwait(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & CPUID_MONITOR) ?
	       NULL : "the host does not have MWAIT";
}

/* With nested paging, KVM does not see INVLPG. */
static const char *has_nested_paging(void)
{
	char value = 0;
	FILE *file = fopen("/sys/module/kvm_amd/parameters/npt", "r");

	if (!file)
		return "the host does not have SVM";
	value = fgetc(file);
	fclose(file);
	return value == '0' || value == 'N' ? NULL : "the host has nested paging";
}

/* VMX does not exit for all of these, and some have another reason there. */
static const char *needs_svm(void)
{
	return access("/sys/module/kvm_amd", F_OK) ? "the host does not have SVM" : NULL;
}

/* After an error, the check reports it. */
static const char *needs_exit_of_rsm(void)
{
	static struct outcome outcome;
	uint64_t exceptions;

	if (needs_svm())
		return needs_svm();
	return measure(&other, &outcome) &&
	       change_of(&outcome, "exit_exception", &exceptions) && exceptions ?
	       "RSM is an exception, which comes before the exit" : NULL;
}

/* Has KVM loaded the module of Intel's CPUs, and is its parameter on? */
static bool intel_has(const char *parameter)
{
	char path[80], value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kvm_intel/parameters/%s", parameter);
	file = fopen(path, "r");
	if (!file)
		return false;
	value = fgetc(file);
	fclose(file);
	return value != 'N' && value != '0';
}

static const char *needs_apic_access(void)
{
	return intel_has("flexpriority") && !intel_has("enable_apicv") ? NULL :
	       "the CPU has no exits for accesses to the APIC, or virtualizes them";
}

static const char *needs_preemption_timer(void)
{
	return intel_has("preemption_timer") ? NULL : "the CPU has no preemption timer of VMX";
}

static const char *needs_pause_loops(void)
{
	return intel_has("ple_gap") ? NULL : "the CPU does not detect loops of PAUSE";
}

static const char *needs_64_bit_svm(void)
{
	return sizeof(long) < 8 ? "the host is not a 64-bit host" : needs_svm();
}

const struct check class_checks[] = {
	{ "io", check_io },
	{ "cpuid", check_cpuid },
	{ "msr_read", check_msr_read },
	{ "msr_write", check_msr_write },
	{ "hypercall", check_hypercall, needs_svm },
	{ "cache", check_cache, needs_svm },
	{ "cr_access", check_cr_access, needs_svm },
	{ "mmio", check_mmio },
	{ "page_fault", check_page_fault },
	{ "hlt", check_hlt },
	{ "dr_access", check_dr_access },
	{ "exception", check_exception, needs_svm },
	{ "interrupt", check_interrupt },
	{ "interrupt_window", check_interrupt_window, needs_svm },
	{ "apic", check_apic, needs_apic_access },
	{ "preemption_timer", check_others_timer_loop, needs_preemption_timer },
	{ "pause", check_others_pause_loop, needs_pause_loops },
	{ "mwait", check_mwait, has_no_mwait },
	{ "rdtsc", check_rdtsc },
	{ "shutdown", check_shutdown },
	{ "tlb", check_tlb, has_nested_paging },
	{ "other", check_other, needs_exit_of_rsm },
	{ "nested", check_nested, needs_svm },
	{ "entry_failed", check_entry_failed, needs_64_bit_svm },
	{}
};

/* ---- the time until KVM_RUN returns, and until the next entry ---- */

/* KVM knows that the address is a device after the first access, see page_fault_step. */
static const struct exit mmio_step = {
	"exit_mmio", {
		0xb8, 0xff, 0xff,			/* mov $0xffff, %ax */
		0x8e, 0xd8,				/* mov %ax, %ds */
		0xa0, 0x10, 0x10, 0xa0, 0x10, 0x10,	/* mov 0x1010, %al, twice */
	}, 11
};

static const struct exit page_fault_step = {
	"exit_page_fault", { 0xb8, 0xff, 0xff, 0x8e, 0xd8, 0xa0, 0x10, 0x10 }, 8
};

/* KVM ignores the write, and there is no fast path for it. */
static const struct exit msr_write_step = {
	"exit_msr_write", {
		0x66, 0xb9, 0x8b, 0x00, 0x00, 0x00,	/* mov $0x8b, %ecx: UCODE_REV */
		0x0f, 0x30,				/* wrmsr */
	}, 8
};

static const struct exit rdtsc_step = {
	"exit_rdtsc", {
		0x66, 0x31, 0xc9,			/* xor %ecx, %ecx */
		0x0f, 0x33,				/* rdpmc */
	}, 5
};

static const struct exit cr_step = { "exit_cr_access", { 0x0f, 0x20, 0xe0 }, 3 };
static const struct exit mwait_step = { "exit_mwait", { 0x0f, 0x01, 0xc8 }, 3 }; /* monitor */
static const struct exit nop = { "exit_exception", { 0x90 }, 1 };	/* and the trap after it */

/* Most executions end before the timer. */
static const struct exit short_timer_loop = {
	"exit_preemption_timer", {
		0xb9, 0x10, 0x27,			/* mov $10000, %cx */
		0x49, 0x75, 0xfd,			/* dec %cx; jnz to dec */
	}, 6, .prepare = start_timer
};

/* With interrupts enabled, because Bochs delivers the host's interrupts only then. */
static const struct exit interrupt_loop = {
	"exit_interrupt", {
		0xfb,					/* sti */
		0xb9, 0x10, 0x27,			/* mov $10000, %cx */
		0x49, 0x75, 0xfd,			/* dec %cx; jnz to dec */
	}, 7
};

DEFINE_CHECK(check_step, io)
DEFINE_CHECK(check_step, mmio_step)
DEFINE_CHECK(check_step, page_fault_step)
DEFINE_CHECK(check_step, cpuid)
DEFINE_CHECK(check_step, msr_read)
DEFINE_CHECK(check_step, msr_write_step)
DEFINE_CHECK(check_step, cr_step)
DEFINE_CHECK(check_step, dr_access)
DEFINE_CHECK(check_step, nop)
DEFINE_CHECK(check_step, hypercall)
DEFINE_CHECK(check_step, mwait_step)
DEFINE_CHECK(check_step, nested)
DEFINE_CHECK(check_step, tlb)
DEFINE_CHECK(check_step, cache)
DEFINE_CHECK(check_step, rdtsc_step)
DEFINE_CHECK(check_step, apic)
DEFINE_CHECK(check_caught, other)
DEFINE_CHECK(check_signal, hlt)
DEFINE_CHECK(check_caught, interrupt_loop)
DEFINE_CHECK(check_caught, short_timer_loop)

static bool check_shutdown_time(void)
{
	struct guest guest;
	bool ok = create(&guest) && append_shutdown(&guest) && time_counts(&guest, "exit_shutdown");

	guest_destroy(&guest);
	return ok;
}

static bool check_entry_failed_time(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create(&guest) && append(&guest, cpuid.code, cpuid.size, 1) && run(&guest) &&
		  read_stats(guest.vcpu, &outcome.before) && fail_entry(&guest) &&
		  read_stats(guest.vcpu, &outcome.after) &&
		  expect_growth(&outcome, "exit_entry_failed", 1) &&
		  expect_time(&outcome, "exit_entry_failed") &&
		  time_counts_at_entry(&guest, "exit_entry_failed");

	guest_destroy(&guest);
	return ok;
}

/* The VMM waits for the moment when the guest can take an interrupt. */
static bool check_interrupt_window_time(void)
{
	struct kvm_regs regs = { .rflags = 0x202 };
	struct guest guest;
	bool ok = create_guest(&guest, GUEST_WITHOUT_IRQCHIP) &&
		  append(&guest, cpuid.code, cpuid.size, 1);

	if (ok && ioctl(guest.vcpu, KVM_SET_REGS, &regs))
		ok = fail("KVM_SET_REGS: %s", strerror(errno));
	if (ok) {
		guest.run->request_interrupt_window = 1;
		ok = time_counts_at_return(&guest, "exit_interrupt_window");
		guest.run->request_interrupt_window = 0;
	}
	ok = ok && time_counts_at_entry(&guest, "exit_interrupt_window");
	guest_destroy(&guest);
	return ok;
}

const struct check class_time_checks[] = {
	{ "exit_io_ns", check_step_io },
	{ "exit_mmio_ns", check_step_mmio_step },
	{ "exit_page_fault_ns", check_step_page_fault_step },
	{ "exit_cpuid_ns", check_step_cpuid },
	{ "exit_msr_read_ns", check_step_msr_read },
	{ "exit_msr_write_ns", check_step_msr_write_step },
	{ "exit_cr_access_ns", check_step_cr_step, needs_svm },
	{ "exit_dr_access_ns", check_step_dr_access },
	{ "exit_exception_ns", check_step_nop },
	{ "exit_hypercall_ns", check_step_hypercall, needs_svm },
	{ "exit_mwait_ns", check_step_mwait_step, has_no_mwait },
	{ "exit_nested_ns", check_step_nested, needs_svm },
	{ "exit_tlb_ns", check_step_tlb, has_nested_paging },
	{ "exit_cache_ns", check_step_cache, needs_svm },
	{ "exit_rdtsc_ns", check_step_rdtsc_step, needs_svm },
	{ "exit_apic_ns", check_step_apic, needs_apic_access },
	{ "exit_preemption_timer_ns", check_caught_short_timer_loop, needs_preemption_timer },
	{ "exit_other_ns", check_caught_other, needs_exit_of_rsm },
	{ "exit_hlt_ns", check_signal_hlt },
	{ "exit_interrupt_ns", check_caught_interrupt_loop },
	{ "exit_interrupt_window_ns", check_interrupt_window_time },
	{ "exit_shutdown_ns", check_shutdown_time, needs_svm },
	{ "exit_entry_failed_ns", check_entry_failed_time, needs_64_bit_svm },
	{}
};
