/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s390: no emulation has the instruction that runs a guest, SIE. But interrupts
 * can be injected, and are counted.
 */
#define GUEST_ENTRY		0
#define guest_end_reason	KVM_EXIT_UNKNOWN

static const uint8_t guest_start[] = {};
static const uint8_t guest_end[] = {};

static inline const char *guest_inject_restart(const struct guest *guest)
{
	struct kvm_s390_interrupt restart = { .type = KVM_S390_RESTART };

	return ioctl(guest->vcpu, KVM_S390_INTERRUPT, &restart) ?
	       guest_why("KVM_S390_INTERRUPT") : NULL;
}

static const struct guest_act guest_acts[] = {
	{
		.name = "restart_interrupt",
		.moves = { { "inject_restart", "inject_restart", GUEST_EXACTLY } },
		.from_outside = guest_inject_restart,
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
	(void)guest;
	return NULL;
}
