/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checks that every statistics fd of every architecture must pass and that
 * need no guest.
 */
#ifndef SELFTEST_KVM_STATS_CHECKS_H
#define SELFTEST_KVM_STATS_CHECKS_H

#include "kvm_stats_check_fd.h"
#include "kvm_stats_check_file.h"

/* A wrong number does not compile. */
#define STATS_NUM_CHECKS	38
extern const struct stats_check stats_checks[STATS_NUM_CHECKS];

#endif /* SELFTEST_KVM_STATS_CHECKS_H */
