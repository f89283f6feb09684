/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included by classes.c. arm64: the guest has no MMU.
 *
 * Not produced: wfe, which QEMU's emulated CPUs do not trap; serror and entry_failed.
 */
#define END_ADDRESS	0x70000000	/* guest_end of vcpu/arch/arm64.h stores there */
#define READ_ONLY	0x60000000

/* Where the CPU continues after an exception at EL1: VBAR_EL1 is 0. */
#define VECTOR		0x200

/* A PSCI call that does not exist. It clears x1, which must be END_ADDRESS at the end. */
static const struct exit hypercall = {
	"exit_hypercall", {
		0xd2800000,				/* mov x0, #0 */
		0xd4000002,				/* hvc #0 */
		0xd2ae0001,				/* mov x1, #END_ADDRESS */
	}, 12, 1, "hvc_exit_stat"
};

static const struct exit smc = { "exit_smc", { 0xd4000003 }, 4, 1 };

/* mrs x0, id_aa64pfr0_el1 */
static const struct exit sysreg_read = { "exit_sysreg_read", { 0xd5380400 }, 4, 1 };

/* msr actlr_el1, x0 */
static const struct exit sysreg_write = { "exit_sysreg_write", { 0xd5181020 }, 4, 1 };

/* msr oslar_el1, x0 */
static const struct exit dr_access = { "exit_dr_access", { 0xd5101080 }, 4, 1 };

/* dc cisw, x0 */
static const struct exit cache = { "exit_cache", { 0xd5087e40 }, 4, 1 };

/* mrs x0, pmcr_el0 */
static const struct exit pmu = { "exit_pmu", { 0xd53b9c00 }, 4, 1 };

/* msr icc_sgi1r_el1, x0. The VM has no GICv3, so the guest gets an exception, and skips it. */
static const struct exit sgi = { "exit_sgi", { 0xd518cba0 }, 4, 1 };

/* rdvl x3, #0. KVM gives the vCPU no SVE, so the guest gets an exception, too. */
static const struct exit sve = {
	"exit_fp_simd", {
		0xd2a00662,				/* mov x2, #0x330000: FPEN, ZEN */
		0xd5181042,				/* msr cpacr_el1, x2 */
		0xd5033fdf,				/* isb */
		0x04bf5003,				/* rdvl x3, #0 */
	}, 16, 1
};

/* paciasp. KVM gives the vCPU no pointer authentication, so the instruction does nothing. */
static const struct exit ptrauth = {
	"exit_ptrauth", {
		0xd5381002,				/* mrs x2, sctlr_el1 */
		0xb2610042,				/* orr x2, x2, #0x80000000: EnIA */
		0xd5181002,				/* msr sctlr_el1, x2 */
		0xd5033fdf,				/* isb */
		0xd503233f,				/* paciasp */
	}, 20, 1
};

static const uint32_t skip_instruction[] = {
	0xd5384022,					/* mrs x2, elr_el1 */
	0x91001042,					/* add x2, x2, #4 */
	0xd5184022,					/* msr elr_el1, x2 */
	0xd69f03e0,					/* eret */
};

static const struct exit mmio = {
	"exit_mmio", { 0xb9401020 }, 4, 1, "mmio_exit_user"	/* ldr w0, [x1, #16] */
};

/* Endless loops. */
static const struct exit wfi = { "exit_wfi", { 0xd503207f, 0x17ffffff }, 8 };	/* b to wfi */
static const struct exit spin = { "exit_interrupt", { 0x14000000 }, 4 };	/* b . */

static void create(void)
{
	create_with(0);
	memcpy(guest.memory + VECTOR, skip_instruction, sizeof(skip_instruction));
}

static bool is_completed(void)
{
	return guest.run->exit_reason == KVM_EXIT_MMIO;
}

static bool has_ended(void)
{
	return is_completed() && guest.run->mmio.phys_addr == END_ADDRESS;
}

static size_t jump(instruction *code, size_t back)
{
	code[0] = 0x14000000 | (-(back / 4) & 0x3ffffff);	/* b */
	return 4;
}

/*
 * Are there other exits than those by interrupts, by writes of system registers, and by the store
 * at the end?
 */
static bool is_trapped(const struct exit *exit)
{
	measure(exit);
	return grown_by("exits") != grown_by("exit_interrupt") + grown_by("exit_sysreg_write") + 1;
}

static const char *needs_sve(void)
{
	return is_trapped(&sve) ? NULL : "the CPU has no SVE";
}

static const char *needs_ptrauth(void)
{
	return is_trapped(&ptrauth) ? NULL : "the CPU has no pointer authentication";
}

/* The accesses exit without VHE only. */
static void check_timer(void)
{
	static const struct exit timer = {
		"exit_timer", { 0xd53be220 }, 4, 1		/* mrs x0, cntp_ctl_el0 */
	};
	uint64_t exits;

	measure(&timer);
	exits = grown_by("exits") - grown_by("exit_interrupt") - 1;
	printf("# %llu of %d accesses to the physical timer exit\n", (unsigned long long)exits,
	       TIMES);
	expect(timer.class, exits ? TIMES : 0);
	sums_agree();
}

/* Only user space can complete a store to read-only memory, so it is MMIO. Loads do not exit. */
static void check_read_only(void)
{
	static const struct exit store = {
		"exit_mmio", {
			0xd2ac0002,				/* mov x2, #READ_ONLY */
			0xb9400040,				/* ldr w0, [x2] */
			0xb9000040,				/* str w0, [x2] */
		}, 12, 1, "mmio_exit_user"
	};
	struct kvm_userspace_memory_region slot = {
		.slot = 1, .flags = KVM_MEM_READONLY, .guest_phys_addr = READ_ONLY,
		.memory_size = sysconf(_SC_PAGESIZE),
	};

	create();
	slot.userspace_addr = (uintptr_t)guest.memory + 0x80000;
	if (ioctl(guest.vm, KVM_SET_USER_MEMORY_REGION, &slot))
		fail("KVM_SET_USER_MEMORY_REGION: %s", strerror(errno));
	measure_in_guest(&store);
	expect(store.class, TIMES + 1);
	expect("exit_page_fault", 0);
	grew_equally(&store);
	sums_agree();
}

/* Store to TIMES pages of memory that KVM has not mapped. */
static void check_page_fault(void)
{
	static const uint32_t store[] = {
		0x91402042,				/* add x2, x2, #0x8, lsl #12 */
		0xb9000040,				/* str w0, [x2] */
	};
	static const uint32_t clear[] = { 0xd2800002 };	/* mov x2, #0 */

	create();
	append(clear, sizeof(clear), 1);
	append(store, sizeof(store), TIMES);
	run();
	read_before();
	run();
	read_after();
	expect("exit_mmio", 1);
	expect_exits("exit_page_fault", TIMES);
}

/* The guest executes an endless loop until TIMES signals have come. The class must grow. */
static void measure_loop(const struct exit *exit)
{
	create();
	append_exit(exit, 1);
	measure_calls(run_until_signal);
	expect_growth(&outcome, exit->class);
}

/* An emulated CPU does not trap WFI while it has an interrupt. */
static void check_wfi(void)
{
	measure_loop(&wfi);
	expect("exit_wfi", grown_by("wfi_exit_stat"));
	sums_agree();
}

/* A signal interrupts the CPU. Nothing else makes this guest exit. */
static void check_interrupt(void)
{
	measure_loop(&spin);
	expect("exit_interrupt", grown_by("exits"));
	sums_agree();
}

/* KVM_RUN executes one instruction, and the CPU then traps. */
static void trap(void)
{
	run_to(KVM_EXIT_DEBUG);
}

static void check_debug(void)
{
	uint64_t exits, interrupts;

	create();
	append_exit(&spin, 1);
	set_stepping();
	measure_calls(trap);
	exits = grown_by("exits");
	interrupts = grown_by("exit_interrupt");
	if (exits - interrupts != TIMES)
		fail("exits grew by %llu, %llu of them by interrupts; expected %d others",
		     (unsigned long long)exits, (unsigned long long)interrupts, TIMES);
	expect_exits("exit_debug", TIMES);
}

/* A 32-bit guest reads a system register. */
static void check_cp15(void)
{
	static const uint32_t code[] = {
		0xe3a01207,				/* mov r1, #END_ADDRESS */
		0xee110f30,				/* mrc p15, 0, r0, c1, c0, 1: ACTLR */
		0xe5810000,				/* str r0, [r1] */
		0xeafffffc,				/* b to mrc */
	};

	create_with(1 << KVM_ARM_VCPU_EL1_32BIT);
	memcpy(guest.memory, code, sizeof(code));
	measure_calls(run);
	expect("exit_cp15", TIMES);
	expect("exit_mmio", TIMES);
	sums_agree();
}

static const char *needs_32_bit_guests(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	bool supported = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_EL1_32BIT) > 0;

	close(kvm);
	return supported ? NULL : "the CPU cannot run 32-bit guests";
}

const struct check class_checks[] = {
	{ "hypercall", check_count, .arg = &hypercall },
	{ "smc", check_count, .arg = &smc },
	{ "sysreg_read", check_count, .arg = &sysreg_read },
	{ "sysreg_write", check_count, .arg = &sysreg_write },
	{ "dr_access", check_count, .arg = &dr_access },
	{ "cache", check_count, .arg = &cache },
	{ "pmu", check_count, .arg = &pmu },
	{ "sgi", check_count, .arg = &sgi },
	{ "timer", check_timer },
	{ "mmio", check_count, .arg = &mmio },
	{ "mmio in read-only memory", check_read_only },
	{ "page_fault", check_page_fault },
	{ "wfi", check_wfi },
	{ "interrupt", check_interrupt },
	{ "debug", check_debug },
	{ "fp_simd", check_count, needs_sve, &sve },
	{ "ptrauth", check_count, needs_ptrauth, &ptrauth },
	{ "cp15", check_cp15, needs_32_bit_guests },
	{}
};

/* ---- the time until KVM_RUN returns, and until the next entry ---- */

static const struct exit nop = { "exit_debug", { 0xd503201f }, 4 };	/* and the trap after it */

/* KVM_RUN fails if the VMM cannot access the guest's memory. */
static void check_page_fault_time(void)
{
	create();
	append(NULL, 0, 1);
	read_before();
	mprotect(guest.memory, sysconf(_SC_PAGESIZE), PROT_NONE);
	if (!ioctl(guest.vcpu, KVM_RUN, 0))
		fail("KVM_RUN ends with exit reason %u", guest.run->exit_reason);
	read_after();
	expect("exit_page_fault", 1);
	expect_time("exit_page_fault");
}

const struct check class_time_checks[] = {
	{ "exit_hypercall_ns", check_caught, .arg = &hypercall },
	{ "exit_smc_ns", check_caught, .arg = &smc },
	{ "exit_sysreg_read_ns", check_caught, .arg = &sysreg_read },
	{ "exit_sysreg_write_ns", check_caught, .arg = &sysreg_write },
	{ "exit_dr_access_ns", check_caught, .arg = &dr_access },
	{ "exit_cache_ns", check_caught, .arg = &cache },
	{ "exit_pmu_ns", check_caught, .arg = &pmu },
	{ "exit_sgi_ns", check_caught, .arg = &sgi },
	{ "exit_mmio_ns", check_step, .arg = &mmio },
	{ "exit_debug_ns", check_step, .arg = &nop },
	{ "exit_wfi_ns", check_signal, .arg = &wfi, .attempts = 20 },
	{ "exit_interrupt_ns", check_signal, .arg = &spin, .attempts = 20 },
	{ "exit_page_fault_ns", check_page_fault_time },
	{}
};
