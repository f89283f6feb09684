/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of the test program stats_abi. */
#ifndef STATS_ABI_H
#define STATS_ABI_H

#include "kvm_stats_target.h"

/* capability.c: with and without the interface */
const char *check_capability(int expected);
const char *capability_is_present(struct stats_target *target);
const char *capability_is_absent(struct stats_target *target);
const char *ioctl_is_absent(struct stats_target *target);

/* memory.c: allocations */
const char *enomem(struct stats_target *target);
const char *read_allocates_nothing(struct stats_target *target);

/* sharing.c: other users, other threads and many fds */
const char *read_by_another_user(struct stats_target *target);
const char *opened_by_another_user(struct stats_target *target);
const char *id_from_another_thread(struct stats_target *target);
const char *many_fds(struct stats_target *target);

#endif /* STATS_ABI_H */
