/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * s390: no emulation has the instruction that runs a guest, SIE. But interrupts
 * can be injected, and are counted.
 */
#define GUEST_ENTRY		0
#define guest_end_reason	KVM_EXIT_UNKNOWN

#define GUEST_NEEDS_SIE		"a guest has to run, which takes SIE, and no emulation has it"

static const uint8_t guest_start[] = {};
static const uint8_t guest_end[] = {};

static inline const char *guest_inject_restart(const struct guest *guest)
{
	struct kvm_s390_interrupt restart = { .type = KVM_S390_RESTART };

	return ioctl(guest->vcpu, KVM_S390_INTERRUPT, &restart) ?
	       guest_why("KVM_S390_INTERRUPT") : NULL;
}

#define GUEST_UNKNOWN_SENDER	77	/* no vCPU has this id */

/* Refused, but counted. */
static inline const char *guest_inject_emergency(const struct guest *guest)
{
	struct kvm_s390_interrupt emergency = {
		.type = KVM_S390_INT_EMERGENCY,
		.parm = GUEST_UNKNOWN_SENDER,
	};

	if (!ioctl(guest->vcpu, KVM_S390_INTERRUPT, &emergency))
		return "an emergency signal from an unknown vCPU is accepted";
	return errno == EINVAL ? NULL : guest_why("KVM_S390_INTERRUPT");
}

/* Accepted once, and then refused as long as it is pending. Each one is counted. */
static inline const char *guest_inject_external_call(const struct guest *guest)
{
	struct kvm_s390_interrupt call = { .type = KVM_S390_INT_EXTERNAL_CALL };

	if (ioctl(guest->vcpu, KVM_S390_INTERRUPT, &call) && errno != EBUSY)
		return guest_why("KVM_S390_INTERRUPT");
	return NULL;
}

static const struct guest_act guest_acts[] = {
	{
		.name = "restart_interrupt",
		.moves = { { "inject_restart", "inject_restart", GUEST_EXACTLY } },
		.from_outside = guest_inject_restart,
	}, {
		.name = "refused_emergency_signal",
		.moves = { { "inject_emergency_signal", "inject_emergency_signal", GUEST_EXACTLY } },
		.from_outside = guest_inject_emergency,
	}, {
		.name = "pending_external_call",
		.moves = { { "inject_external_call", "inject_external_call", GUEST_EXACTLY } },
		.from_outside = guest_inject_external_call,
	}, {
		.name = "signal",
		.cannot = GUEST_NEEDS_SIE,
		.moves = { { "signal_exits" } },
	}, {
		.name = "major_fault",
		.cannot = GUEST_NEEDS_SIE,
		.moves = { { "pfault_sync" } },
	}, {
		.name = "nested_guest",
		.cannot = GUEST_NEEDS_SIE,
		.moves = {
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

static const struct guest_act guest_halts[] = { {} };

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
