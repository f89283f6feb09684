/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 64-bit book3s powerpc, with (HV) and without (PR) hypervisor mode. Address translation is
 * off. Stores access an address without memory.
 */
#define GUEST_ENTRY		0x2000	/* above the interrupt vectors */
#define GUEST_SEGMENT_VECTOR	0x380
#define GUEST_PROGRAM_VECTOR	0x700
#define GUEST_SYSCALL_VECTOR	0xc00
#define GUEST_DATA		0x40000	/* a page, also of 64 kB */
#define GUEST_STOP		0x50000	/* a page with code that exits to user space */
#define GUEST_LOAD		0x60000	/* code that reads GUEST_DATA */
#define GUEST_INVALID		0x60100	/* no instruction: zeros */
#define GUEST_LOOP		0x60200	/* code that never ends */
#define GUEST_UNMAPPED		0x60000000	/* in %r4 */
#define GUEST_MSR_DATA		0x10ULL	/* DR: addresses of data are translated */
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

/* A hypercall to KVM itself, "KVM!", that it does not know. */
static const uint32_t guest_kvm_hypercall[] = {
	0x3c004b56,					/* lis %r0, 0x4b56 */
	0x60004d21,					/* ori %r0, %r0, 0x4d21 */
	0x39607fff,					/* li %r11, 0x7fff */
	0x44000002,					/* sc */
	0x3c806000,					/* lis %r4, 0x6000: it had a result */
};

/* What KVM writes in place of a dcbz that clears 32 bytes, to emulate it: dcbz32 0, %r5. */
static const uint32_t guest_dcbz[] = {
	0x3ca00004,					/* lis %r5, 4: GUEST_DATA */
	0x7c002fe4,
};

static const uint32_t guest_load[] = {
	0x3ca00004,					/* lis %r5, 4: GUEST_DATA */
	0x80c50000,					/* lwz %r6, 0(%r5) */
	0x90644500,					/* stw %r3, 0x4500(%r4) */
};

static const uint32_t guest_loop[] = { 0x48000000 };	/* b . */

/* Code for interrupt vectors, in big-endian order because interrupts switch to it. */
static const uint8_t guest_rfid[] = { 0x4c, 0x00, 0x00, 0x24 };
static const uint8_t guest_stop[] = { 0x90, 0x64, 0x45, 0x00 };	/* stw %r3, 0x4500(%r4) */

/* A run of code that ends with a store to an address without memory. */
struct powerpc_run {
	uint64_t pc;
	uint64_t msr;		/* bits in addition to GUEST_MSR */
	uint64_t unmap;		/* the address of a page that is unmapped before, 0: none */
};

static inline const char *guest_go_to(const struct guest *guest, uint64_t pc, uint64_t msr)
{
	struct kvm_regs regs = { .pc = pc, .msr = GUEST_MSR | msr, .gpr[4] = GUEST_UNMAPPED };

	return ioctl(guest->vcpu, KVM_SET_REGS, &regs) ? guest_error("KVM_SET_REGS") : NULL;
}

static inline const char *guest_run_at(const struct guest *guest)
{
	const struct powerpc_run *run = guest->arg;
	const char *message = guest_go_to(guest, run->pc, run->msr);

	if (message)
		return message;
	if (run->unmap && madvise(guest->memory + run->unmap, getpagesize(), MADV_DONTNEED))
		return guest_error("MADV_DONTNEED");
	if (ioctl(guest->vcpu, KVM_RUN, 0) < 0)
		return guest_error("KVM_RUN");
	return guest->run->exit_reason == KVM_EXIT_MMIO ? NULL : "the guest does not end";
}

static inline const char *guest_signal(const struct guest *guest)
{
	const char *message = guest_go_to(guest, GUEST_LOOP, 0);

	return message ? message : guest_run_until_signal(guest);
}

static inline const char *guest_interrupt(const struct guest *guest)
{
	const int32_t *irq = guest->arg;

	return ioctl(guest->vcpu, KVM_INTERRUPT, irq) ? guest_error("KVM_INTERRUPT") : NULL;
}

static inline const char *guest_enable_papr(const struct guest *guest)
{
	struct kvm_enable_cap papr = { .cap = KVM_CAP_PPC_PAPR };

	return ioctl(guest->vcpu, KVM_ENABLE_CAP, &papr) ?
	       guest_error("KVM_CAP_PPC_PAPR") : NULL;
}

/* KVM_CAP_PPC_ALLOC_HTAB is supported only by HV. */
static inline bool guest_is_hv(const struct guest *guest)
{
	return ioctl(guest->vm, KVM_CHECK_EXTENSION, KVM_CAP_PPC_ALLOC_HTAB) > 0;
}

static inline bool guest_is_not_hv(const struct guest *guest)
{
	return !guest_is_hv(guest);
}

#define GUEST_PR_CODE(array)	GUEST_CODE(array), .is_supported = guest_is_not_hv
#define GUEST_RUN(...)							\
	.from_user_space = guest_run_at,				\
	.is_supported = guest_is_not_hv,				\
	.arg = &(const struct powerpc_run){ __VA_ARGS__ }
/* Each MMIO access is a data storage interrupt, too. */
#define GUEST_FAULT(precision)	{ "pf_storage", precision, { "mmio_exits" } }
#define GUEST_EXITS	{ "sum_exits", GUEST_EXACTLY, { "dec_exits", "ext_intr_exits" } }

static const struct guest_action guest_actions[] = {
	{
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = {
			GUEST_ONCE(mmio_exits),
			GUEST_FAULT(GUEST_NOT), GUEST_NEVER(sp_storage), GUEST_NEVER(queue_intr),
		},
		.is_supported = guest_is_not_hv,
	},
	GUEST_ACTION(syscall, GUEST_PR_CODE(guest_syscall),
		     GUEST_ONCE(syscall_exits), GUEST_ONCE(queue_intr)),
	GUEST_ACTION(mfpvr, GUEST_PR_CODE(guest_mfpvr),
		     GUEST_ONCE(emulated_inst_exits), GUEST_NEVER(ld), GUEST_NEVER(st),
		     GUEST_NEVER(queue_intr)),
	/* KVM cannot emulate it, so the guest gets an interrupt. */
	GUEST_ACTION(invalid_instruction, GUEST_RUN(.pc = GUEST_INVALID),
		     GUEST_ONCE(emulated_inst_exits), GUEST_NEVER(queue_intr)),
	GUEST_ACTION(dcbz, GUEST_PR_CODE(guest_dcbz),
		     GUEST_ONCE(emulated_inst_exits), GUEST_ONCE(st), GUEST_NEVER(ld),
		     GUEST_NEVER(sp_storage)),
	GUEST_ACTION(kvm_hypercall, GUEST_PR_CODE(guest_kvm_hypercall),
		     GUEST_NEVER(syscall_exits), GUEST_NEVER(queue_intr)),
	GUEST_ACTION(load_of_unmapped_page, GUEST_RUN(.pc = GUEST_LOAD, .unmap = GUEST_DATA),
		     GUEST_FAULT(GUEST_EXACTLY), GUEST_ONCE(sp_storage), GUEST_NEVER(pf_instruc),
		     GUEST_NEVER(queue_intr)),
	GUEST_ACTION(load_of_mapped_page, GUEST_RUN(.pc = GUEST_LOAD),
		     GUEST_FAULT(GUEST_NOT), GUEST_NEVER(sp_storage)),
	/* There are no segments, so the guest gets an interrupt. */
	GUEST_ACTION(load_without_segment, GUEST_RUN(.pc = GUEST_LOAD, .msr = GUEST_MSR_DATA),
		     GUEST_ONCE(queue_intr), GUEST_FAULT(GUEST_EXACTLY), GUEST_NEVER(sp_storage)),
	GUEST_ACTION(fetch_of_unmapped_page, GUEST_RUN(.pc = GUEST_STOP, .unmap = GUEST_STOP),
		     GUEST_ONCE(pf_instruc), GUEST_ONCE(sp_instruc), GUEST_NEVER(sp_storage)),
	GUEST_ACTION(fetch_of_mapped_page, GUEST_RUN(.pc = GUEST_STOP),
		     GUEST_NEVER(pf_instruc), GUEST_NEVER(sp_instruc)),
	{
		/* HV has no statistic of MMIO exits. */
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = { GUEST_EXITS, GUEST_ONCE(ld), GUEST_NEVER(st) },
		.is_supported = guest_is_hv,
	}, {
		.name = "hypercall",
		GUEST_CODE(guest_hypercall),
		.exit_reason = KVM_EXIT_PAPR_HCALL,
		.changes = { GUEST_EXITS, GUEST_NEVER(ld), GUEST_NEVER(queue_intr) },
		.is_supported = guest_is_hv,
	},
	GUEST_ACTION(signal, .from_user_space = guest_signal,
		     GUEST_ONCE(signal_exits), { "dec_exits", GUEST_AT_LEAST }),
	{
		.name = "interrupt",
		.from_user_space = guest_interrupt,
		.arg = &(const int32_t){ KVM_INTERRUPT_SET_LEVEL },
		.changes = { GUEST_ONCE(queue_intr) },
	}, {
		.name = "end_of_interrupt",
		.from_user_space = guest_interrupt,
		.arg = &(const int32_t){ KVM_INTERRUPT_UNSET },
		.changes = { GUEST_NEVER(queue_intr) },
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
	return NULL;
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
	const char *message;

	memcpy(guest->memory + GUEST_SEGMENT_VECTOR, guest_stop, sizeof(guest_stop));
	memcpy(guest->memory + GUEST_PROGRAM_VECTOR, guest_stop, sizeof(guest_stop));
	memcpy(guest->memory + GUEST_SYSCALL_VECTOR, guest_rfid, sizeof(guest_rfid));
	memcpy(guest->memory + GUEST_STOP, guest_store, sizeof(guest_store));
	memcpy(guest->memory + GUEST_LOAD, guest_load, sizeof(guest_load));
	memcpy(guest->memory + GUEST_LOOP, guest_loop, sizeof(guest_loop));
	/* HV supports only guests that make hypercalls. */
	message = guest_is_hv(guest) ? guest_enable_papr(guest) : guest_set_vectors(guest);
	return message ? message : guest_go_to(guest, GUEST_ENTRY, 0);
}
