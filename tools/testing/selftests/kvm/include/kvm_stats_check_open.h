/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checks of KVM_STATS_OPEN and KVM_STATS_NEXT that need no guest.
 */
#ifndef SELFTEST_KVM_STATS_CHECK_OPEN_H
#define SELFTEST_KVM_STATS_CHECK_OPEN_H

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"

/*
 * For the setup of a suite: creates a VM with two vCPUs.  Its fd is getfd_fd of
 * the target, and the file with both vCPUs is its fd and its file.
 */
const char *stats_set_up_open(struct stats_target *target);

/* A wrong number does not compile. */
#define STATS_NUM_OPEN_CHECKS	37
extern const struct stats_check stats_open_checks[STATS_NUM_OPEN_CHECKS];

/*
 * For the setup of a suite: creates a VM, and opens its file with KVM_STATS_OPEN or
 * KVM_STATS_NEXT.  The checks destroy the VM.
 */
const char *stats_set_up_end_open(struct stats_target *target);
const char *stats_set_up_end_next(struct stats_target *target);

#define STATS_NUM_END_CHECKS	8
extern const struct stats_check stats_end_checks[STATS_NUM_END_CHECKS];

/*
 * For the setup of a suite: creates several VMs.  getfd_fd of the target is
 * /dev/kvm, and its fd a file that KVM_STATS_NEXT has opened.
 */
const char *stats_set_up_next(struct stats_target *target);

#define STATS_NUM_NEXT_CHECKS	11
extern const struct stats_check stats_next_checks[STATS_NUM_NEXT_CHECKS];

#endif /* SELFTEST_KVM_STATS_CHECK_OPEN_H */
