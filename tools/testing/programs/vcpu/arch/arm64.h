/* SPDX-License-Identifier: GPL-2.0-only */
/* arm64. The MMU is off. Stores access an address without memory. */

#define GUEST_ENTRY		0	/* the vCPU's PC after reset */
#define guest_end_reason	KVM_EXIT_MMIO

static const uint32_t guest_start[] = { 0xd2ae0001 };	/* mov x1, #0x70000000 */
static const uint32_t guest_store[] = { 0xb9000020 };	/* str w0, [x1] */
static const uint32_t guest_end[] = { 0xb9000020 };

static const struct guest_action guest_actions[] = {
	{
		.name = "mmio_store",
		.code = guest_store,
		.size = sizeof(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = {
			{ "mmio_exit_user", "mmio_exit_user", GUEST_EXACTLY },
			{ "exits", "exits", GUEST_AT_LEAST },
		},
	},
	{}
};

/*
 * 1: wfi; b 1b. The loop is needed because wfi may not trap if an interrupt is pending, even one
 * of the test machine. Emulated CPUs behave like that.
 */
static const uint32_t guest_wfi[] = { 0xd503207f, 0x17ffffff };

/* 1: wfi; mrs x2, isr_el1; cbz x2, 1b; str w0, [x1]: exits when an interrupt is pending. */
static const uint32_t guest_wfi_exit[] = { 0xd503207f, 0xd538c102, 0xb4ffffc2, 0xb9000020 };

static inline void guest_irq_line(const struct guest *guest, bool raise)
{
	struct kvm_irq_level line = {
		.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT | KVM_ARM_IRQ_CPU_IRQ,
		.level = raise,
	};

	ioctl(guest->vm, KVM_IRQ_LINE, &line);
}

static const struct guest_action guest_halts[] = {
	{ .name = "wfi", .code = guest_wfi, .size = sizeof(guest_wfi) },
	{
		.name = "wfi_exit",
		.code = guest_wfi_exit,
		.size = sizeof(guest_wfi_exit),
		.exit_reason = KVM_EXIT_MMIO,
		.interrupt = guest_irq_line,
	},
	{}
};

static inline const char *guest_before_vcpu(struct guest *guest)
{
	(void)guest;
	return NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	struct kvm_vcpu_init init;

	if (ioctl(guest->vm, KVM_ARM_PREFERRED_TARGET, &init))
		return guest_error("KVM_ARM_PREFERRED_TARGET");
	init.features[0] |= guest->features;
	if (ioctl(guest->vcpu, KVM_ARM_VCPU_INIT, &init))
		return guest_error("KVM_ARM_VCPU_INIT");
	return NULL;
}
