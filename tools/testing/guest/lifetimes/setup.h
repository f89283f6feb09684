/* SPDX-License-Identifier: GPL-2.0-only */
/* Setup that the tests of lifetimes and of failures have in common. */
#ifndef LIFETIMES_SETUP_H
#define LIFETIMES_SETUP_H

#include "kvm_stats_target.h"

/* Returns NULL, or the reason why the test program cannot run here. */
const char *lifetimes_skip_reason(void);

/* Allocates memory that the processes of all checks share. Exits if that fails. */
void *shared_memory(size_t size);

/* The setup function of a suite. */
const char *lifetimes_set_up(struct stats_target *target);

#endif /* LIFETIMES_SETUP_H */
