/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program vcpu_halt. */
#ifndef VCPU_HALT_H
#define VCPU_HALT_H

#include "vcpu/guest.h"
#include "vcpu/stats.h"

#define HALT_TIMES	20

/* waker.c: reads the statistics before and after HALT_TIMES halts that a signal ends */
bool halt_and_read(struct guest *guest, const struct guest_action *halt,
		   struct outcome *outcome);

/* checks.c */
struct halt_check {
	const char *name;
	bool (*check)(const struct outcome *outcome);
};

#define NUM_HALT_CHECKS		6
extern const struct halt_check halt_checks[NUM_HALT_CHECKS];

/* Set if KVM counts each return from a halt as a wakeup, which it does for powerpc PR. */
extern bool halts_count_as_wakeups;

#endif /* VCPU_HALT_H */
