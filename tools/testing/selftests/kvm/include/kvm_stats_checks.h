/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The checks that every statistics fd of every architecture must pass and that
 * need no guest.
 */
#ifndef SELFTEST_KVM_STATS_CHECKS_H
#define SELFTEST_KVM_STATS_CHECKS_H

#include <limits.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "kvm_stats_file.h"
#include "kvm_stats_vmm.h"

/*
 * Checks of the file behind a statistics fd: its layout, and what reads of it
 * return.  The file of the target must have been loaded while no vCPU ran,
 * because the checks compare their reads with it.
 */

/* The largest store of the kernel's copy to user space, in bytes. */
#ifdef __aarch64__
#define STATS_COPY_UNIT		16
#else
#define STATS_COPY_UNIT		8
#endif

const char *stats_layout_id(struct stats_target *target);

const char *stats_read_whole(struct stats_target *target);
const char *stats_read_bytewise(struct stats_target *target);
const char *stats_pread_all_offsets(struct stats_target *target);
const char *stats_pread_all_lengths(struct stats_target *target);
const char *stats_pread_huge_offset(struct stats_target *target);
const char *stats_pread_negative(struct stats_target *target);
const char *stats_pread_keeps_position(struct stats_target *target);
const char *stats_readv(struct stats_target *target);
const char *stats_splice_refused(struct stats_target *target);

const char *stats_lseek(struct stats_target *target);
const char *stats_lseek_invalid(struct stats_target *target);
const char *stats_lseek_past_end(struct stats_target *target);

const char *stats_fault(struct stats_target *target);
const char *stats_fault_midway(struct stats_target *target);
const char *stats_fault_midway_at(struct stats_target *target);

/*
 * Checks of a statistics fd itself: what it refuses, how it is named, which
 * processes can open it, and that it keeps its VM alive.
 */

const char *stats_write_refused(struct stats_target *target);
const char *stats_mmap_refused(struct stats_target *target);
const char *stats_ioctl_refused(struct stats_target *target);
const char *stats_cloexec(struct stats_target *target);
const char *stats_read_only(struct stats_target *target);
const char *stats_link_name(struct stats_target *target);

/* Limits the number of open files so that no fd is free, or to its maximum. */
void stats_limit_fds(bool limited);

/* Checks that the fdinfo has the target @kind, the id and, if it is not 0, @size. */
const char *stats_check_fdinfo(const struct stats_target *target,
			       const char *kind, size_t size);

const char *stats_reuse_memory(void);

/* A wrong number does not compile. */
#define STATS_NUM_CHECKS	38
extern const struct stats_check stats_checks[STATS_NUM_CHECKS];

#endif /* SELFTEST_KVM_STATS_CHECKS_H */
