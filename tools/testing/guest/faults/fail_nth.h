/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the nth allocation, or the nth copy between the kernel and user space, of the calling
 * thread fail, and find out which kind it was. This needs CONFIG_FAILSLAB and debugfs, and
 * uses CONFIG_FAIL_PAGE_ALLOC and CONFIG_FAULT_INJECTION_USERCOPY if the kernel has them; see
 * Documentation/fault-injection.
 *
 * The kernel counts all kinds together. Accesses to single words (put_user(),
 * unsafe_put_user()) neither count nor fail.
 */
#ifndef FAULTS_FAIL_NTH_H
#define FAULTS_FAIL_NTH_H

#include <stdbool.h>

enum fail_kind { FAIL_SLAB, FAIL_PAGE, FAIL_COPY, FAIL_NUM_KINDS, FAIL_NONE };

#define FAIL_NTH_SLAB_DIR	"/sys/kernel/debug/failslab/"

/* Returns -1 if the kernel has no fault injection for the slab allocator. */
int fail_nth_open(void);

/* Can the kernel inject this kind of fault? Valid after fail_nth_open(). */
bool fail_nth_has(enum fail_kind kind);

/*
 * Selects which allocations count and fail. Allocations that may sleep are always included,
 * highmem pages never. Returns 0, or -1 on error.
 */
int fail_nth_choose(bool slab, bool page);

/* Returns 0, or a negative value on error. */
int fail_nth_arm(unsigned int nth);

/* Returns the kind that has failed since fail_nth_arm(). Preserves errno. */
enum fail_kind fail_nth_disarm(void);

#endif /* FAULTS_FAIL_NTH_H */
