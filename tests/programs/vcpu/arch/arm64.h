/* SPDX-License-Identifier: GPL-2.0-only */
/* arm64. The MMU is off. Stores access an address without memory. */

#include <signal.h>
#include <sys/eventfd.h>

#define GUEST_ENTRY		0	/* the vCPU's PC after reset */
#define guest_end_reason	KVM_EXIT_MMIO

static const uint32_t guest_start[] = { 0xd2ae0001 };	/* mov x1, #0x70000000 */
static const uint32_t guest_store[] = { 0xb9000020 };	/* str w0, [x1] */
static const uint32_t guest_end[] = { 0xd2ae0001, 0xb9000020 };	/* smc may change x1 */

static const uint32_t guest_smc[] = { 0xd4000003 };	/* smc #0 */

/* str w0, [x1], #4: the CPU does not describe an access that changes the address. */
static const uint32_t guest_store_next[] = { 0xb8004420 };

static inline const char *guest_handles_access(const struct guest *guest)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_ARM_NISV_TO_USER };

	return ioctl(guest->vm, KVM_ENABLE_CAP, &cap) ? guest_error("KVM_ENABLE_CAP") : NULL;
}

static const uint32_t guest_doorbell[] = { 0xb9000820 };	/* str w0, [x1, #8] */

static inline const char *guest_add_doorbell(const struct guest *guest)
{
	struct kvm_ioeventfd doorbell = {
		.addr = 0x70000008,
		.len = 4,
		.fd = eventfd(0, EFD_CLOEXEC),
	};

	return ioctl(guest->vm, KVM_IOEVENTFD, &doorbell) ? guest_error("KVM_IOEVENTFD") : NULL;
}

static inline const char *guest_immediate_exit(const struct guest *guest)
{
	int result;

	guest->run->immediate_exit = 1;
	result = ioctl(guest->vcpu, KVM_RUN, 0);
	guest->run->immediate_exit = 0;
	return result == -1 && errno == EINTR ? NULL : guest_error("KVM_RUN");
}

/* The signal is blocked except in KVM_RUN. */
static inline const char *guest_block_signal(const struct guest *guest)
{
	struct {
		struct kvm_signal_mask mask;
		uint64_t set;
	} none = { .mask.len = sizeof(none.set) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigprocmask(SIG_BLOCK, &set, NULL) ||
	       ioctl(guest->vcpu, KVM_SET_SIGNAL_MASK, &none) ?
	       guest_error("sigprocmask or KVM_SET_SIGNAL_MASK") : NULL;
}

static inline const char *guest_pending_signal(const struct guest *guest)
{
	sigset_t set;
	int result, error;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	raise(SIGUSR1);
	result = ioctl(guest->vcpu, KVM_RUN, 0);
	error = errno;
	sigwaitinfo(&set, NULL);
	errno = error;
	return result == -1 && error == EINTR ? NULL : guest_error("KVM_RUN");
}

static const struct guest_action guest_actions[] = {
	{
		.name = "mmio_store",
		GUEST_CODE(guest_store),
		.exit_reason = KVM_EXIT_MMIO,
		.changes = {
			GUEST_ONCE(mmio_exit_user),
			GUEST_NEVER(mmio_exit_kernel),
			{ "exits", GUEST_AT_LEAST },
		},
	}, {
		/* KVM_RUN executes the instruction again, because user space does not skip it. */
		.name = "mmio_store_without_syndrome",
		GUEST_CODE(guest_store_next),
		.exit_reason = KVM_EXIT_ARM_NISV,
		.prepare = guest_handles_access,
		.changes = { GUEST_NEVER(mmio_exit_user), { "exits", GUEST_AT_LEAST } },
	}, {
		.name = "mmio_store_to_doorbell",
		GUEST_CODE(guest_doorbell),
		.prepare = guest_add_doorbell,
		.changes = { GUEST_ONCE(mmio_exit_kernel), { "mmio_exit_user", GUEST_AT_END } },
	},
	GUEST_ACTION(smc, GUEST_CODE(guest_smc),
		     GUEST_NEVER(hvc_exit_stat), { "exits", GUEST_AT_LEAST }),
	GUEST_ACTION(immediate_exit, .from_user_space = guest_immediate_exit,
		     GUEST_NEVER(signal_exits), GUEST_NEVER(exits)),
	{
		.name = "pending_signal",
		.prepare = guest_block_signal,
		.from_user_space = guest_pending_signal,
		.changes = { GUEST_ONCE(signal_exits), GUEST_NEVER(exits) },
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

static inline const char *guest_irq_line(const struct guest *guest, bool raise)
{
	struct kvm_irq_level line = {
		.irq = KVM_ARM_IRQ_TYPE_CPU << KVM_ARM_IRQ_TYPE_SHIFT | KVM_ARM_IRQ_CPU_IRQ,
		.level = raise,
	};

	return ioctl(guest->vm, KVM_IRQ_LINE, &line) ? guest_error("KVM_IRQ_LINE") : NULL;
}

static const struct guest_action guest_halts[] = {
	{ .name = "wfi", GUEST_CODE(guest_wfi) },
	{
		.name = "wfi_exit",
		GUEST_CODE(guest_wfi_exit),
		.exit_reason = KVM_EXIT_MMIO,
		.interrupt = guest_irq_line,
	},
	{}
};

static inline const char *guest_before_vcpu(struct guest *guest)
{
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
