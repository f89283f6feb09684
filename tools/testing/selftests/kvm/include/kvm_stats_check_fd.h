/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of a statistics fd itself: what it refuses, how it is named, which
 * processes can open it, and that it keeps its VM alive.
 */
#ifndef SELFTEST_KVM_STATS_CHECK_FD_H
#define SELFTEST_KVM_STATS_CHECK_FD_H

#include <sys/resource.h>
#include <sys/uio.h>

#include "kvm_stats_target.h"

/* kvm_stats_check_fd.c */
const char *stats_write_refused(struct stats_target *target);
const char *stats_mmap_refused(struct stats_target *target);
const char *stats_ioctl_refused(struct stats_target *target);
const char *stats_argument_ignored(struct stats_target *target);
const char *stats_emfile(struct stats_target *target);
const char *stats_cloexec(struct stats_target *target);
const char *stats_read_only(struct stats_target *target);
const char *stats_link_name(struct stats_target *target);
const char *stats_fdinfo(struct stats_target *target);

/* Limits the number of open files so that no fd is free, or to its maximum. */
void stats_limit_fds(bool limited);

/* Checks that the fdinfo has the target @kind, the id and, if it is not 0, @size. */
const char *stats_check_fdinfo(const struct stats_target *target,
			       const char *kind, size_t size);

/* kvm_stats_check_lifetime.c */
const char *stats_reuse_memory(void);
const char *stats_outlives_fds(struct stats_target *target);
const char *stats_outlives_vmm(struct stats_target *target);
const char *stats_opened_after_vmm(struct stats_target *target);
const char *stats_opened_by_receiver(struct stats_target *target);
const char *stats_opened_by_agent(struct stats_target *target);
const char *stats_taken_by_agent(struct stats_target *target);

#endif /* SELFTEST_KVM_STATS_CHECK_FD_H */
