/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Take snapshots of the statistics of a vCPU and its VM, and check by how much
 * statistics changed between two of them.
 */
#ifndef SELFTEST_KVM_STATS_SNAPSHOT_H
#define SELFTEST_KVM_STATS_SNAPSHOT_H

#include "kvm_stats_guest.h"

/* A check need not free it, because its process ends with it. */
struct stats_snapshot {
	struct stats_file vm;
	struct stats_file vcpu;
};

/* The expected change of a statistic.  Of a histogram the buckets are added. */
struct stats_change {
	const char *name;
	int64_t by;
};

struct stats_snapshot stats_now(const struct stats_guest *guest);
void stats_snapshot_free(struct stats_snapshot *snapshot);

/* The functions below find @name in the file of the VM or of the vCPU. */
const uint64_t *stats_values(const struct stats_snapshot *snapshot,
			     const char *name, unsigned int *num);

/* Returns the sum of the values of the statistic, which is often just one. */
uint64_t stats_sum(const struct stats_snapshot *snapshot, const char *name);

int64_t stats_changed(const struct stats_snapshot *before,
		      const struct stats_snapshot *after, const char *name);

const char *stats_check_value(const struct stats_snapshot *now,
			      const char *name, uint64_t expected);

const char *stats_check_changes(const struct stats_snapshot *before,
				const struct stats_snapshot *after,
				const struct stats_change *changes, size_t num);

/* STATS_CHECK_CHANGES(&before, &after, { "NAME", BY }, ...) */
#define STATS_CHECK_CHANGES(before, after, ...)				\
	stats_check_changes(before, after,				\
			    (const struct stats_change[]) { __VA_ARGS__ }, \
			    sizeof((const struct stats_change[]) { __VA_ARGS__ }) / \
			    sizeof(struct stats_change))

#endif /* SELFTEST_KVM_STATS_SNAPSHOT_H */
