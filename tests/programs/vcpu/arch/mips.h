/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MIPS with trap and emulate, in both byte orders. The guest's kernel runs in the user segment
 * of the test machine. Each privileged instruction traps each time only if KVM is built without
 * CONFIG_KVM_MIPS_DYN_TRANS. The exception handler skips the instruction that caused
 * the exception.
 */
#define GUEST_ENTRY		0x1000	/* above the exception vectors */
#define GUEST_KSEG0		0x40000000
#define GUEST_REFILL_VECTOR	0
#define GUEST_GENERAL_VECTOR	0x180
#define GUEST_INTERRUPT		2	/* a device interrupt */
#define GUEST_LOOP		0x30000	/* code that never ends */
#define GUEST_WRITE		0x30100	/* code that reads and writes GUEST_DATA */
#define GUEST_DATA		0x40000	/* a page */
#define guest_end_reason	KVM_EXIT_MMIO

/* $t0 is an address without memory. */
static const uint32_t guest_start[] = {
	0x40806000,	/* mtc0 $zero, $12: vectors in memory, no interrupts */
	0x3c08b000,	/* lui $t0, 0xb000 */
	0x3c0a4000,	/* lui $t2, 0x4000 */
};

static const uint32_t guest_end[] = { 0xad000000 };	/* sw $zero, 0($t0) */
static const uint32_t guest_store[] = { 0xad000000 };
static const uint32_t guest_load[] = { 0x8d090000 };	/* lw $t1, 0($t0) */
static const uint32_t guest_syscall[] = { 0x0000000c };	/* syscall */
static const uint32_t guest_break[] = { 0x0000000d };	/* break */
static const uint32_t guest_trap[] = { 0x00000034 };	/* teq $zero, $zero */
static const uint32_t guest_reserved[] = { 0x7c00003f };	/* not a valid instruction */
static const uint32_t guest_cache[] = { 0xbd410000 };	/* cache 1, 0($t2) */
static const uint32_t guest_wait[] = { 0x42000020 };	/* wait */
static const uint32_t guest_unmapped_store[] = { 0xac000000 };	/* sw $zero, 0($zero) */
static const uint32_t guest_unmapped_load[] = { 0x8c090000 };	/* lw $t1, 0($zero) */

/* A store to a page whose entry in the guest's TLB, at address 0x2000, permits no writes. */
static const uint32_t guest_read_only_store[] = {
	0x240b2000,	/* addiu $t3, $zero, 0x2000 */
	0x408b5000,	/* mtc0 $t3, $10: EntryHi */
	0x240c101b,	/* addiu $t4, $zero, 0x101b: GUEST_DATA, cached, valid, global */
	0x408c1000,	/* mtc0 $t4, $2: EntryLo0 */
	0x408c1800,	/* mtc0 $t4, $3: EntryLo1 */
	0x40800000,	/* mtc0 $zero, $0: Index */
	0x42000002,	/* tlbwi */
	0xad600000,	/* sw $zero, 0($t3) */
};

/* Enable the FPU and its exception for invalid operations, and raise that. */
static const uint32_t guest_fp_exception[] = {
	0x3c0b2000,	/* lui $t3, 0x2000 */
	0x408b6000,	/* mtc0 $t3, $12 */
	0x3c0c0001,	/* lui $t4, 1 */
	0x358c0800,	/* ori $t4, $t4, 0x800 */
	0x44ccf800,	/* ctc1 $t4, $31 */
	0x44c0f800,	/* ctc1 $zero, $31 */
	0x40806000,	/* mtc0 $zero, $12 */
};

static const uint32_t guest_loop[] = { 0x1000ffff, 0 };	/* b . */
static const uint32_t guest_write[] = {
	0x3c0a4004,	/* lui $t2, 0x4004: GUEST_DATA */
	0x8d490000,	/* lw $t1, 0($t2) */
	0xad490000,	/* sw $t1, 0($t2) */
	0x3c08b000,	/* lui $t0, 0xb000 */
	0xad000000,	/* sw $zero, 0($t0) */
};

static const uint32_t guest_skip[] = {
	0x401a7000,	/* mfc0 $k0, $14 */
	0x275a0004,	/* addiu $k0, $k0, 4 */
	0x409a7000,	/* mtc0 $k0, $14 */
	0x42000018,	/* eret */
};

/* A pending interrupt ends `wait` immediately. */
static inline const char *guest_interrupt(const struct guest *guest)
{
	struct kvm_mips_interrupt interrupt = { .cpu = -1, .irq = GUEST_INTERRUPT };

	return ioctl(guest->vcpu, KVM_INTERRUPT, &interrupt) ? guest_error("KVM_INTERRUPT") : NULL;
}

static inline const char *guest_go_to(const struct guest *guest, uint64_t address)
{
	struct kvm_regs regs = { .pc = GUEST_KSEG0 + address };

	return ioctl(guest->vcpu, KVM_SET_REGS, &regs) ? guest_error("KVM_SET_REGS") : NULL;
}

static inline const char *guest_signal(const struct guest *guest)
{
	const char *message = guest_go_to(guest, GUEST_LOOP);

	return message ? message : guest_run_until_signal(guest);
}

static inline const char *guest_enable_fpu(const struct guest *guest)
{
	struct kvm_enable_cap fpu = { .cap = KVM_CAP_MIPS_FPU };
	uint32_t config1;
	struct kvm_one_reg reg = {
		.id = KVM_REG_MIPS_CP0 | KVM_REG_SIZE_U32 | (8 * 16 + 1),
		.addr = (uintptr_t)&config1,
	};

	if (ioctl(guest->vcpu, KVM_ENABLE_CAP, &fpu) || ioctl(guest->vcpu, KVM_GET_ONE_REG, &reg))
		return guest_error("KVM_CAP_MIPS_FPU");
	config1 |= 1;
	return ioctl(guest->vcpu, KVM_SET_ONE_REG, &reg) ? guest_error("Config1") : NULL;
}

static inline const char *guest_log_writes(const struct guest *guest)
{
	struct kvm_userspace_memory_region region = {
		.flags = KVM_MEM_LOG_DIRTY_PAGES,
		.memory_size = GUEST_MEMORY,
		.userspace_addr = (uintptr_t)guest->memory,
	};

	return ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region) ?
	       guest_error("KVM_MEM_LOG_DIRTY_PAGES") : NULL;
}

/* If the guest's writes are logged, KVM maps the page read-only when the guest reads it. */
static inline const char *guest_write_page(const struct guest *guest)
{
	unsigned char bitmap[GUEST_MEMORY / 4096 / 8];
	struct kvm_dirty_log log = { .dirty_bitmap = bitmap };
	const char *message = guest_go_to(guest, GUEST_WRITE);

	if (message)
		return message;
	if (guest->arg && ioctl(guest->vm, KVM_GET_DIRTY_LOG, &log))
		return guest_error("KVM_GET_DIRTY_LOG");
	if (ioctl(guest->vcpu, KVM_RUN, 0))
		return guest_error("KVM_RUN");
	return guest->run->exit_reason == KVM_EXIT_MMIO ? NULL : "the guest does not end";
}

static const struct guest_action guest_actions[] = {
	{
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { GUEST_ONCE(addrerr_st_exits) },
	}, {
		.name = "mmio_load",
		GUEST_CODE(guest_load),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { GUEST_ONCE(addrerr_ld_exits) },
	},
	GUEST_ACTION(syscall, GUEST_CODE(guest_syscall), GUEST_ONCE(syscall_exits)),
	GUEST_ACTION(break, GUEST_CODE(guest_break), GUEST_ONCE(break_inst_exits)),
	GUEST_ACTION(trap, GUEST_CODE(guest_trap), GUEST_ONCE(trap_inst_exits)),
	GUEST_ACTION(reserved_instruction, GUEST_CODE(guest_reserved),
		     GUEST_ONCE(resvd_inst_exits)),
	GUEST_ACTION(cache, GUEST_CODE(guest_cache),
		     GUEST_ONCE(cache_exits), GUEST_ONCE(cop_unusable_exits)),
	{
		.name = "wait",
		GUEST_CODE(guest_wait),
		.prepare = guest_interrupt,
		.changes = { GUEST_ONCE(wait_exits), GUEST_ONCE(cop_unusable_exits) },
	},
	GUEST_ACTION(unmapped_store, GUEST_CODE(guest_unmapped_store),
		     GUEST_ONCE(tlbmiss_st_exits)),
	GUEST_ACTION(unmapped_load, GUEST_CODE(guest_unmapped_load), GUEST_ONCE(tlbmiss_ld_exits)),
	GUEST_ACTION(read_only_store, GUEST_CODE(guest_read_only_store),
		     GUEST_ONCE(tlbmod_exits), GUEST_ONCE(tlbmiss_st_exits)),
	{
		.name = "logged_write",
		.prepare = guest_log_writes,
		.from_user_space = guest_write_page,
		.arg = "",
		.changes = { GUEST_ONCE(tlbmod_exits), GUEST_NEVER(tlbmiss_st_exits) },
	},
	GUEST_ACTION(write, .from_user_space = guest_write_page,
		     GUEST_NEVER(tlbmod_exits), GUEST_NEVER(tlbmiss_st_exits)),
	{
		.name = "fp_exception",
		GUEST_CODE(guest_fp_exception),
		.prepare = guest_enable_fpu,
		.changes = { GUEST_ONCE(fpe_exits) },
	},
	GUEST_ACTION(signal, .from_user_space = guest_signal,
		     GUEST_ONCE(signal_exits), { "int_exits", GUEST_AT_LEAST }),
	{}
};

static const struct guest_action guest_halts[] = {
	{ .name = "wait", GUEST_CODE(guest_wait) },
	{}
};

static inline const char *guest_before_vcpu(struct guest *guest)
{
	return NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	memcpy(guest->memory + GUEST_REFILL_VECTOR, guest_skip, sizeof(guest_skip));
	memcpy(guest->memory + GUEST_GENERAL_VECTOR, guest_skip, sizeof(guest_skip));
	memcpy(guest->memory + GUEST_LOOP, guest_loop, sizeof(guest_loop));
	memcpy(guest->memory + GUEST_WRITE, guest_write, sizeof(guest_write));
	return guest_go_to(guest, GUEST_ENTRY);
}
