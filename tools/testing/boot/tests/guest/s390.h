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

static const struct guest_act guest_acts[] = {
	{
		.name = "restart_interrupt",
		.moves = { { "inject_restart", "inject_restart", GUEST_EXACTLY } },
		.from_outside = guest_inject_restart,
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
