/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of the file behind a statistics fd: its layout, and what reads of it
 * return.  The file of the target must have been loaded while no vCPU ran,
 * because the checks compare their reads with it.
 */
#ifndef SELFTEST_KVM_STATS_CHECK_FILE_H
#define SELFTEST_KVM_STATS_CHECK_FILE_H

#include <limits.h>
#include <sys/uio.h>

#include "kvm_stats_layout.h"
#include "kvm_stats_target.h"

/* The largest store of the kernel's copy to user space, in bytes. */
#ifdef __aarch64__
#define STATS_COPY_UNIT		16
#else
#define STATS_COPY_UNIT		8
#endif

/* kvm_stats_check_layout.c */
const char *stats_layout_header(struct stats_target *target);
const char *stats_layout_id(struct stats_target *target);
const char *stats_layout_flags(struct stats_target *target);
const char *stats_layout_sizes(struct stats_target *target);
const char *stats_layout_names(struct stats_target *target);
const char *stats_layout_offsets(struct stats_target *target);
const char *stats_layout_same_for_all(struct stats_target *target);

/* kvm_stats_check_read.c */
const char *stats_read_whole(struct stats_target *target);
const char *stats_read_bytewise(struct stats_target *target);
const char *stats_read_own_position(struct stats_target *target);
const char *stats_pread_all_offsets(struct stats_target *target);
const char *stats_pread_all_lengths(struct stats_target *target);
const char *stats_pread_huge_offset(struct stats_target *target);
const char *stats_pread_negative(struct stats_target *target);
const char *stats_pread_keeps_position(struct stats_target *target);
const char *stats_readv(struct stats_target *target);
const char *stats_splice_refused(struct stats_target *target);

/* kvm_stats_check_seek.c */
const char *stats_lseek(struct stats_target *target);
const char *stats_lseek_invalid(struct stats_target *target);
const char *stats_lseek_past_end(struct stats_target *target);

/* kvm_stats_check_fault.c */
const char *stats_fault(struct stats_target *target);
const char *stats_fault_midway(struct stats_target *target);
const char *stats_fault_midway_at(struct stats_target *target);

#endif /* SELFTEST_KVM_STATS_CHECK_FILE_H */
