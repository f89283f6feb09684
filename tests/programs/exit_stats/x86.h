/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by classes.c. x86: the guest is in real mode. */
#include <cpuid.h>

#define CPUID_MONITOR	(1U << 3)	/* of leaf 1, in %ecx */
#define CR0_PE		1ULL
#define CR0_PG		(1ULL << 31)
#define CR4_PAE		(1ULL << 5)
#define EFER_LME	(1ULL << 8)
#define EFER_LMA	(1ULL << 10)

static void create(void)
{
	create_with(0);
}

static bool has_ended(void)
{
	return guest.run->exit_reason == KVM_EXIT_IO && guest.run->io.port == 0x11;
}

static bool is_completed(void)
{
	return guest.run->exit_reason == KVM_EXIT_MMIO ||
	       (guest.run->exit_reason == KVM_EXIT_IO && guest.run->io.port == 0x10);
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

static struct kvm_sregs get_sregs(void)
{
	struct kvm_sregs sregs;

	VCPU_IOCTL(KVM_GET_SREGS, &sregs);
	return sregs;
}

/* Protected mode without paging, with the segments of real mode. */
static void enter_protected_mode(void)
{
	struct kvm_sregs sregs = get_sregs();

	sregs.cr0 |= CR0_PE;
	VCPU_IOCTL(KVM_SET_SREGS, &sregs);
}

static const struct exit nested = {
	"exit_nested", { 0x0f, 0x01, 0xdf }, 3, 1,	/* invlpga */
	.prepare = enter_protected_mode
};

/* Each page is 32 KiB after the previous one, so that KVM does not map it in advance. */
static void check_page_fault(void)
{
	unsigned int i;

	create();
	append_exit(&cpuid, 1);
	for (i = 0; i < TIMES; i++) {
		uint16_t segment = 0x1000 + i * 0x800;
		const uint8_t touch[] = { 0xb8, segment, segment >> 8, 0x8e, 0xd8, 0xa0, 0, 0 };
		uint8_t *page = guest.memory + segment * 16;

		*(volatile uint8_t *)page = 1;
		guest.end -= i ? 2 : 0;		/* overwrite the exit after the previous code */
		append(touch, sizeof(touch), 1);
	}
	run();
	read_before();
	run();
	read_after();
	expect_exits("exit_page_fault", TIMES);
}

static void check_hlt(void)
{
	create();
	append_exit(&hlt, WARM_UP + TIMES);
	measure_calls(run_until_signal);
	expect("exit_hlt", TIMES);
	expect_time("exit_hlt");
	sums_agree();
}

#define VECTORS		0x8000
#define HANDLER		0x8400

/* The guest has a handler for one interrupt or exception, or, without @code, none. */
static void set_handler(unsigned int vector, const void *code, size_t size)
{
	const uint16_t entry[] = { HANDLER, 0 };	/* and its segment */
	struct kvm_sregs sregs = get_sregs();

	sregs.idt.base = VECTORS;
	sregs.idt.limit = size ? HANDLER - VECTORS - 1 : 0;
	memcpy(guest.memory + VECTORS + vector * sizeof(entry), entry, sizeof(entry));
	if (size)
		memcpy(guest.memory + HANDLER, code, size);
	VCPU_IOCTL(KVM_SET_SREGS, &sregs);
}

static void run_with_nmi(void)
{
	append_exit(&cpuid, 1);
	VCPU_IOCTL(KVM_NMI, NULL);
	run();
}

/* The handler of NMIs only returns. On SVM, this exits. */
static void check_interrupt_window(void)
{
	static const uint8_t iret = 0xcf;

	create();
	set_handler(2, &iret, 1);
	measure_calls(run_with_nmi);
	expect_exits("exit_interrupt_window", TIMES);
}

/* The handler of an exception skips the instruction, which has two bytes. */
static const uint8_t skip[] = {
	0x55, 0x89, 0xe5,			/* push %bp; mov %sp, %bp */
	0x83, 0x46, 0x02, 0x02,			/* addw $2, 2(%bp) */
	0x5d, 0xcf,				/* pop %bp; iret */
};

static void skip_undefined(void)
{
	set_handler(6, skip, sizeof(skip));
}

static const struct exit other = {
	"exit_other", { 0x0f, 0xaa }, 2, 1, .prepare = skip_undefined	/* rsm */
};

static void skip_protected(void)
{
	set_handler(13, skip, sizeof(skip));
}

/* There is no such counter, and the guest gets a general protection fault. */
static const struct exit rdtsc = {
	"exit_rdtsc", {
		0x66, 0x83, 0xc9, 0xff,			/* or $-1, %ecx */
		0x0f, 0x33,				/* rdpmc */
	}, 6, 1, .prepare = skip_protected
};

/* Without a handler, an exception ends in a triple fault. */
static void append_shutdown(void)
{
	static const uint8_t int3 = 0xcc;

	append(&int3, 1, 1);
	set_handler(0, NULL, 0);
}

static void check_shutdown(void)
{
	create();
	append_exit(&cpuid, 1);
	append_shutdown();
	run();
	read_before();
	run_to(KVM_EXIT_SHUTDOWN);
	read_after();
	expect("exit_shutdown", 1);
	sums_agree();
}

/* The guest computes long enough to be interrupted. */
static void check_interrupt(void)
{
	static const struct exit count_down = {
		"exit_interrupt", {
			0xfb,					/* sti, see interrupt_loop */
			0x66, 0xb9, 0x40, 0x42, 0x0f, 0x00,	/* mov $1000000, %ecx */
			0x66, 0x49, 0x75, 0xfc,			/* dec %ecx; jnz to dec */
			0xfa,					/* cli */
		}, 12, 0
	};
	uint64_t count, irqs;

	measure(&count_down);
	count = grown_by("exit_interrupt");
	irqs = grown_by("irq_exits");
	if (!count || count != irqs)
		fail("exit_interrupt grew by %llu, irq_exits by %llu", (unsigned long long)count,
		     (unsigned long long)irqs);
	expect_exits("exit_interrupt", irqs);
}

/* ---- exits that only VMX has ---- */

/* In real mode, a segment that the VMM sets has any base. */
static void use_apic_segment(void)
{
	struct kvm_sregs sregs = get_sregs();

	sregs.ds.base = 0xfee00000;
	VCPU_IOCTL(KVM_SET_SREGS, &sregs);
}

static const struct exit apic = {
	"exit_apic", { 0x66, 0xa1, 0x30, 0x00 }, 4, 1,	/* mov 0x30, %eax: version */
	.prepare = use_apic_segment
};

/*
 * All exits are of the class, except interrupts, the last one, and those of the timer that KVM
 * uses.
 */
static void check_others(void)
{
	static const char timer[] = "exit_preemption_timer";
	const struct exit *exit = current_check->arg;
	uint64_t count, irqs, exits;

	measure(exit);
	count = grown_by(exit->class);
	irqs = grown_by("irq_exits");
	exits = grown_by("exits");
	if (strcmp(exit->class, timer))
		exits -= grown_by(timer);
	if (!count || count + irqs + 1 != exits)
		fail("%s grew by %llu, irq_exits by %llu, other exits by %llu", exit->class,
		     (unsigned long long)count, (unsigned long long)irqs,
		     (unsigned long long)(exits - count - irqs));
	expect_time(exit->class);
	sums_agree();
}

#define APIC_SPIV	0xf0
#define APIC_LVTT	0x320
#define APIC_TMICT	0x380
#define APIC_TDCR	0x3e0

/* A timer that expires every millisecond, without an interrupt. */
static void start_timer(void)
{
	static const uint32_t values[][2] = {
		{ APIC_SPIV, 0x1ff }, { APIC_LVTT, 0x30020 },
		{ APIC_TDCR, 0xb }, { APIC_TMICT, 1000000 },
	};
	struct kvm_lapic_state state;
	size_t i;

	VCPU_IOCTL(KVM_GET_LAPIC, &state);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		memcpy(state.regs + values[i][0], &values[i][1], sizeof(values[i][1]));
	VCPU_IOCTL(KVM_SET_LAPIC, &state);
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

/* Long mode with a code segment of both 64 and 32 bits. */
static struct kvm_sregs invalid_sregs(void)
{
	struct kvm_sregs invalid = get_sregs();

	invalid.cr0 |= CR0_PE | CR0_PG;
	invalid.cr4 |= CR4_PAE;
	invalid.efer |= EFER_LME | EFER_LMA;
	invalid.cs.l = 1;
	invalid.cs.db = 1;
	return invalid;
}

static void fail_entry(void)
{
	struct kvm_sregs sregs = get_sregs(), invalid = invalid_sregs();

	VCPU_IOCTL(KVM_SET_SREGS, &invalid);
	run_to(KVM_EXIT_FAIL_ENTRY);
	VCPU_IOCTL(KVM_SET_SREGS, &sregs);
}

static void create_and_run(void)
{
	create();
	append_exit(&cpuid, 1);
	run();
}

static void check_entry_failed(void)
{
	create_and_run();
	measure_calls(fail_entry);
	expect_exits("exit_entry_failed", TIMES);
}

static const char *has_no_mwait(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & CPUID_MONITOR) ?
	       NULL : "the host does not have MWAIT";
}

/* Has KVM loaded a module with a parameter that is on? */
static bool is_on(const char *module, const char *parameter)
{
	char path[80], value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, parameter);
	file = fopen(path, "r");
	if (!file)
		return false;
	value = fgetc(file);
	fclose(file);
	return value != 'N' && value != '0';
}

/* VMX does not exit for all of these, and some have another reason there. */
static const char *needs_svm(void)
{
	return access("/sys/module/kvm_amd", F_OK) ? "the host does not have SVM" : NULL;
}

static const char *needs_exit_of_rsm(void)
{
	if (needs_svm())
		return needs_svm();
	measure(&other);
	return grown_by("exit_exception") ?
	       "RSM is an exception, which comes before the exit" : NULL;
}

/* With nested paging, KVM does not see INVLPG. */
static const char *has_nested_paging(void)
{
	if (needs_svm())
		return needs_svm();
	return is_on("kvm_amd", "npt") ? "the host has nested paging" : NULL;
}

/* With Linux 6.12 under Bochs, the guests of these two test cases had none of the exits. */
static const char *not_in_host_file(void)
{
	return is_host_file() ? "it is not known whether the guest causes the exit on this kernel" :
				NULL;
}

static const char *needs_apic_access(void)
{
	if (not_in_host_file())
		return not_in_host_file();
	return is_on("kvm_intel", "flexpriority") && !is_on("kvm_intel", "enable_apicv") ? NULL :
	       "the CPU has no exits for accesses to the APIC, or virtualizes them";
}

static const char *needs_preemption_timer(void)
{
	if (not_in_host_file())
		return not_in_host_file();
	return is_on("kvm_intel", "preemption_timer") ? NULL :
	       "the CPU has no preemption timer of VMX";
}

static const char *needs_pause_loops(void)
{
	return is_on("kvm_intel", "ple_gap") ? NULL : "the CPU does not detect loops of PAUSE";
}

/* Later kernels check the state of the guest. */
static const char *needs_failing_entry(void)
{
	struct kvm_sregs invalid;

	if (needs_svm())
		return needs_svm();
	if (sizeof(long) < 8)
		return "the host is not a 64-bit host";
	create();
	invalid = invalid_sregs();
	return ioctl(guest.vcpu, KVM_SET_SREGS, &invalid) ? "KVM refuses the invalid state" : NULL;
}

/* In later kernels, INVLPGA needs a guest that can use SVM. */
static const char *needs_invlpga(void)
{
	if (needs_svm())
		return needs_svm();
	create_for(&nested);
	append_exit(&nested, 1);
	ioctl(guest.vcpu, KVM_RUN, 0);
	return has_ended() ? NULL : "INVLPGA is an exception for this guest";
}

const struct check class_checks[] = {
	{ "io", check_count, .arg = &io },
	{ "cpuid", check_count, .arg = &cpuid },
	{ "msr_read", check_count, .arg = &msr_read },
	{ "msr_write", check_count, .arg = &msr_write },
	{ "hypercall", check_count, needs_svm, &hypercall },
	{ "cache", check_count, needs_svm, &cache },
	{ "cr_access", check_count, needs_svm, &cr_access },
	{ "mmio", check_count, .arg = &mmio },
	{ "page_fault", check_page_fault },
	{ "hlt", check_hlt },
	/* If the host interrupts the guest before it repeats the instruction, this exits again. */
	{ "dr_access", check_count, .arg = &dr_access, .attempts = 10 },
	{ "exception", check_count, needs_svm, &exception },
	/* NMIs of the host are exits, too. */
	{ "interrupt", check_interrupt, .attempts = 10 },
	{ "interrupt_window", check_interrupt_window, needs_svm },
	{ "apic", check_count, needs_apic_access, &apic },
	{ "preemption_timer", check_others, needs_preemption_timer, &timer_loop, 10 },
	{ "pause", check_others, needs_pause_loops, &pause_loop, 10 },
	{ "mwait", check_count, has_no_mwait, &mwait },
	{ "rdtsc", check_count, .arg = &rdtsc },
	{ "shutdown", check_shutdown },
	{ "tlb", check_count, has_nested_paging, &tlb },
	{ "other", check_count, needs_exit_of_rsm, &other },
	{ "nested", check_count, needs_invlpga, &nested },
	{ "entry_failed", check_entry_failed, needs_failing_entry },
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

static void check_shutdown_time(void)
{
	create();
	append_shutdown();
	time_counts("exit_shutdown");
}

static void check_entry_failed_time(void)
{
	create_and_run();
	read_before();
	fail_entry();
	read_after();
	expect("exit_entry_failed", 1);
	expect_time("exit_entry_failed");
	time_counts_at_entry("exit_entry_failed");
}

/* The VMM waits for the moment when the guest can take an interrupt. */
static void check_interrupt_window_time(void)
{
	struct kvm_regs regs = { .rflags = 0x202 };

	create_with(GUEST_WITHOUT_IRQCHIP);
	append_exit(&cpuid, 1);
	VCPU_IOCTL(KVM_SET_REGS, &regs);
	guest.run->request_interrupt_window = 1;
	time_counts_at_return("exit_interrupt_window");
	guest.run->request_interrupt_window = 0;
	time_counts_at_entry("exit_interrupt_window");
}

const struct check class_time_checks[] = {
	{ "exit_io_ns", check_step, .arg = &io },
	{ "exit_mmio_ns", check_step, .arg = &mmio_step },
	{ "exit_page_fault_ns", check_step, .arg = &page_fault_step },
	{ "exit_cpuid_ns", check_step, .arg = &cpuid },
	{ "exit_msr_read_ns", check_step, .arg = &msr_read },
	{ "exit_msr_write_ns", check_step, .arg = &msr_write_step },
	{ "exit_cr_access_ns", check_step, needs_svm, &cr_step },
	{ "exit_dr_access_ns", check_step, .arg = &dr_access },
	{ "exit_exception_ns", check_step, .arg = &nop },
	{ "exit_hypercall_ns", check_step, needs_svm, &hypercall },
	{ "exit_mwait_ns", check_step, has_no_mwait, &mwait_step },
	{ "exit_nested_ns", check_step, needs_svm, &nested },
	{ "exit_tlb_ns", check_step, has_nested_paging, &tlb },
	{ "exit_cache_ns", check_step, needs_svm, &cache },
	{ "exit_rdtsc_ns", check_step, needs_svm, &rdtsc_step },
	{ "exit_apic_ns", check_step, needs_apic_access, &apic },
	{ "exit_preemption_timer_ns", check_caught, needs_preemption_timer, &short_timer_loop },
	{ "exit_other_ns", check_caught, needs_exit_of_rsm, &other },
	{ "exit_hlt_ns", check_signal, .arg = &hlt, .attempts = 20 },
	{ "exit_interrupt_ns", check_caught, .arg = &interrupt_loop },
	{ "exit_interrupt_window_ns", check_interrupt_window_time },
	{ "exit_shutdown_ns", check_shutdown_time, needs_svm },
	{ "exit_entry_failed_ns", check_entry_failed_time, needs_failing_entry },
	{}
};
