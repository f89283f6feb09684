/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s390. Emulated machines do not have SIE, the instruction that runs a guest. User space can
 * still inject interrupts, and KVM counts them.
 */
#define GUEST_ENTRY		0
#define guest_end_reason	KVM_EXIT_UNKNOWN

#define GUEST_NEEDS_SIE		"a guest must run, but emulated machines do not have SIE"

static const uint8_t guest_start[] = {};
static const uint8_t guest_end[] = {};

static inline const char *guest_inject_restart(const struct guest *guest)
{
	struct kvm_s390_interrupt restart = { .type = KVM_S390_RESTART };

	return ioctl(guest->vcpu, KVM_S390_INTERRUPT, &restart) ?
	       guest_error("KVM_S390_INTERRUPT") : NULL;
}

#define GUEST_UNKNOWN_SENDER	77	/* no vCPU has this id */

/* KVM refuses the interrupt but counts it. */
static inline const char *guest_inject_emergency(const struct guest *guest)
{
	struct kvm_s390_interrupt emergency = {
		.type = KVM_S390_INT_EMERGENCY,
		.parm = GUEST_UNKNOWN_SENDER,
	};

	if (!ioctl(guest->vcpu, KVM_S390_INTERRUPT, &emergency))
		return "KVM accepts an emergency signal from an unknown vCPU";
	return errno == EINVAL ? NULL : guest_error("KVM_S390_INTERRUPT");
}

/* KVM refuses another one while one is pending, but counts each one. */
static inline const char *guest_inject_external_call(const struct guest *guest)
{
	struct kvm_s390_interrupt call = { .type = KVM_S390_INT_EXTERNAL_CALL };

	if (ioctl(guest->vcpu, KVM_S390_INTERRUPT, &call) && errno != EBUSY)
		return guest_error("KVM_S390_INTERRUPT");
	return NULL;
}

static const struct guest_action guest_actions[] = {
	{
		.name = "restart_interrupt",
		.changes = { { "inject_restart", "inject_restart", GUEST_EXACTLY } },
		.from_user_space = guest_inject_restart,
	}, {
		.name = "refused_emergency_signal",
		.changes = {
			{ "inject_emergency_signal", "inject_emergency_signal", GUEST_EXACTLY },
		},
		.from_user_space = guest_inject_emergency,
	}, {
		.name = "pending_external_call",
		.changes = { { "inject_external_call", "inject_external_call", GUEST_EXACTLY } },
		.from_user_space = guest_inject_external_call,
	}, {
		.name = "signal",
		.skip_reason = GUEST_NEEDS_SIE,
		.changes = { { "signal_exits" } },
	}, {
		.name = "major_fault",
		.skip_reason = GUEST_NEEDS_SIE,
		.changes = { { "pfault_sync" } },
	}, {
		.name = "nested_guest",
		.skip_reason = GUEST_NEEDS_SIE,
		.changes = {
			{ "gmap_shadow_reuse" },
			{ "gmap_shadow_create" },
			{ "gmap_shadow_r1_entry" },
			{ "gmap_shadow_r2_entry" },
			{ "gmap_shadow_r3_entry" },
			{ "gmap_shadow_sg_entry" },
			{ "gmap_shadow_pg_entry" },
		},
	},
	{}
};

static const struct guest_action guest_halts[] = { {} };

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
