/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What checks of a statistics fd have in common: compare a read with the loaded
 * file, expect an error, and open the fd.
 */
#ifndef SELFTEST_KVM_STATS_TARGET_H
#define SELFTEST_KVM_STATS_TARGET_H

#include "kvm_stats_vmm.h"

/* Returns @vm if the target is a VM, @vcpu if it is a vCPU. */
int stats_target_kind(const struct stats_target *target, int vm, int vcpu);

/* Formats the id that the file has if the process @vmm created the VM. */
void stats_target_id(const struct stats_target *target, pid_t vmm,
		     char id[STATS_NAME_SIZE]);

/*
 * Checks that a read at @offset, which returned @got and has written to @buf,
 * delivered @expected bytes that are equal to those of the loaded file.
 */
const char *stats_same(const struct stats_target *target, const void *buf,
		       ssize_t got, size_t offset, size_t expected);

/* Checks that @what failed: @result is negative and errno is @expected. */
const char *stats_refused(const char *what, long result, int expected);

const char *stats_getfd(int getfd_fd, int *fd);

/* Checks that @fd, opened from a VM of the process @vmm, is a complete file. */
const char *stats_still_reads(struct stats_target *target, int fd, pid_t vmm);

#endif /* SELFTEST_KVM_STATS_TARGET_H */
