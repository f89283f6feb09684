/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 64-bit book3s powerpc, with (HV) and without (PR) hypervisor mode. Address translation is
 * off. Stores access an address without memory.
 */
#define GUEST_ENTRY		0x2000	/* above the interrupt vectors */
#define GUEST_SYSCALL_VECTOR	0xc00
#define guest_end_reason	KVM_EXIT_MMIO

#ifdef __LITTLE_ENDIAN__
#define GUEST_MSR		0x8000000000000001ULL	/* SF, LE */
#else
#define GUEST_MSR		0x8000000000000000ULL	/* SF */
#endif

static const uint32_t guest_start[] = { 0x3c806000 };	/* lis %r4, 0x6000 */
static const uint32_t guest_store[] = { 0x90644500 };	/* stw %r3, 0x4500(%r4) */
static const uint32_t guest_end[] = { 0x90644500 };
static const uint32_t guest_syscall[] = { 0x44000002 };	/* sc */
static const uint32_t guest_mfpvr[] = { 0x7cbf42a6 };	/* mfpvr %r5 */
static const uint32_t guest_hypercall[] = {
	0x38607ff0,					/* li %r3, 0x7ff0 */
	0x44000022,					/* sc 1 */
};

/* The interrupt vector: rfid, in big-endian order because interrupts switch to it. */
static const uint8_t guest_rfid[] = { 0x4c, 0x00, 0x00, 0x24 };

/* KVM_CAP_PPC_ALLOC_HTAB is supported only by HV. */
static inline bool guest_is_hv(const struct guest *guest)
{
	return ioctl(guest->vm, KVM_CHECK_EXTENSION, KVM_CAP_PPC_ALLOC_HTAB) > 0;
}

static inline bool guest_is_not_hv(const struct guest *guest)
{
	return !guest_is_hv(guest);
}

#define GUEST_CODE(words)	.code = words, .size = sizeof(words)
#define GUEST_EXITS		"sum_exits", "exits", GUEST_EXACTLY,	\
				{ "dec_exits", "ext_intr_exits" }

static const struct guest_action guest_actions[] = {
	{
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { { "mmio_exits", "mmio", GUEST_EXACTLY } },
		.is_supported = guest_is_not_hv,
	}, {
		.name = "syscall",
		GUEST_CODE(guest_syscall),
		.changes = { { "syscall_exits", "sysc", GUEST_EXACTLY } },
		.is_supported = guest_is_not_hv,
	}, {
		.name = "mfpvr",
		GUEST_CODE(guest_mfpvr),
		.changes = { { "emulated_inst_exits", "inst_emu", GUEST_EXACTLY } },
		.is_supported = guest_is_not_hv,
	}, {
		/* HV has no statistic of MMIO exits. */
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { { GUEST_EXITS } },
		.is_supported = guest_is_hv,
	}, {
		.name = "hypercall",
		GUEST_CODE(guest_hypercall),
		.exit_reason = KVM_EXIT_PAPR_HCALL,
		.changes = { { GUEST_EXITS } },
		.is_supported = guest_is_hv,
	},
	{}
};

/* Both halts set the decrementer first, so high that its interrupt does not end them. */
static const uint32_t guest_power_save[] = {
	0x3cc07fff,	/* lis %r6, 0x7fff */
	0x7cd603a6,	/* mtdec %r6 */
	0x7ca000a6,	/* mfmsr %r5 */
	0x64a50004,	/* oris %r5, %r5, 4: POW */
	0x7ca00164,	/* mtmsrd %r5 */
};

static const uint32_t guest_cede[] = {
	0x3cc07fff,	/* lis %r6, 0x7fff */
	0x7cd603a6,	/* mtdec %r6 */
	0x386000e0,	/* li %r3, 0xe0: H_CEDE */
	0x44000022,	/* sc 1 */
};

static const struct guest_action guest_halts[] = {
	{ .name = "cede", GUEST_CODE(guest_cede), .is_supported = guest_is_hv },
	{ .name = "power_save", GUEST_CODE(guest_power_save) },
	{}
};

static inline const char *guest_before_vcpu(struct guest *guest)
{
	(void)guest;
	return NULL;
}

/* HV supports only guests that make hypercalls. */
static inline const char *guest_enable_papr(const struct guest *guest)
{
	struct kvm_enable_cap papr = { .cap = KVM_CAP_PPC_PAPR };

	return ioctl(guest->vcpu, KVM_ENABLE_CAP, &papr) ?
	       guest_error("KVM_CAP_PPC_PAPR") : NULL;
}

/* By default, PR puts the interrupt vectors at a high address, without memory. */
static inline const char *guest_set_vectors(const struct guest *guest)
{
	uint64_t base = 0;
	struct kvm_one_reg hior = { .id = KVM_REG_PPC_HIOR, .addr = (uintptr_t)&base };

	return ioctl(guest->vcpu, KVM_SET_ONE_REG, &hior) ? guest_error("KVM_REG_PPC_HIOR") : NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	struct kvm_regs regs = { .pc = GUEST_ENTRY, .msr = GUEST_MSR };
	const char *message;

	memcpy(guest->memory + GUEST_SYSCALL_VECTOR, guest_rfid, sizeof(guest_rfid));
	message = guest_is_hv(guest) ? guest_enable_papr(guest) : guest_set_vectors(guest);
	if (!message && ioctl(guest->vcpu, KVM_SET_REGS, &regs))
		message = guest_error("KVM_SET_REGS");
	return message;
}
