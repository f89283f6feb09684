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

#define GUEST_CODE(words)	.code = words, .size = sizeof(words)

static const struct guest_action guest_actions[] = {
	{
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { { "addrerr_st_exits", "addrerr_st", GUEST_EXACTLY } },
	}, {
		.name = "mmio_load",
		GUEST_CODE(guest_load),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { { "addrerr_ld_exits", "addrerr_ld", GUEST_EXACTLY } },
	}, {
		.name = "syscall",
		GUEST_CODE(guest_syscall),
		.changes = { { "syscall_exits", "syscall", GUEST_EXACTLY } },
	}, {
		.name = "break",
		GUEST_CODE(guest_break),
		.changes = { { "break_inst_exits", "break_inst", GUEST_EXACTLY } },
	}, {
		.name = "trap",
		GUEST_CODE(guest_trap),
		.changes = { { "trap_inst_exits", "trap_inst", GUEST_EXACTLY } },
	}, {
		.name = "reserved_instruction",
		GUEST_CODE(guest_reserved),
		.changes = { { "resvd_inst_exits", "resvd_inst", GUEST_EXACTLY } },
	}, {
		.name = "cache",
		GUEST_CODE(guest_cache),
		.changes = {
			{ "cache_exits", "cache", GUEST_EXACTLY },
			{ "cop_unusable_exits", "cop_unusable", GUEST_EXACTLY },
		},
	}, {
		.name = "wait",
		GUEST_CODE(guest_wait),
		.prepare = guest_interrupt,
		.changes = {
			{ "wait_exits", "wait", GUEST_EXACTLY },
			{ "cop_unusable_exits", "cop_unusable", GUEST_EXACTLY },
		},
	}, {
		.name = "unmapped_store",
		GUEST_CODE(guest_unmapped_store),
		.changes = { { "tlbmiss_st_exits", "tlbmiss_st", GUEST_EXACTLY } },
	}, {
		.name = "unmapped_load",
		GUEST_CODE(guest_unmapped_load),
		.changes = { { "tlbmiss_ld_exits", "tlbmiss_ld", GUEST_EXACTLY } },
	},
	{}
};

static const struct guest_action guest_halts[] = {
	{ .name = "wait", GUEST_CODE(guest_wait) },
	{}
};

static inline const char *guest_before_vcpu(struct guest *guest)
{
	(void)guest;
	return NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	struct kvm_regs regs = { .pc = GUEST_KSEG0 + GUEST_ENTRY };

	memcpy(guest->memory + GUEST_REFILL_VECTOR, guest_skip, sizeof(guest_skip));
	memcpy(guest->memory + GUEST_GENERAL_VECTOR, guest_skip, sizeof(guest_skip));
	if (ioctl(guest->vcpu, KVM_SET_REGS, &regs))
		return guest_error("KVM_SET_REGS");
	return NULL;
}
