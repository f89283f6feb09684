/* SPDX-License-Identifier: GPL-2.0-only */
/* Architectures without guest code. */

#define GUEST_ENTRY		0
#define guest_end_reason	KVM_EXIT_UNKNOWN

static const uint8_t guest_start[] = {};
static const uint8_t guest_end[] = {};
static const struct guest_action guest_actions[] = { {} };
static const struct guest_action guest_halts[] = { {} };

static inline const char *guest_before_vcpu(struct guest *guest)
{
	return NULL;
}

static inline const char *guest_set_up(struct guest *guest)
{
	return NULL;
}
