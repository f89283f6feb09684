/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program exit_stats. */
#ifndef EXIT_STATS_CHECKS_H
#define EXIT_STATS_CHECKS_H

#include "run_delay/runner.h"

/* The build host's <linux/kvm.h> does not have these. */
#define KVM_STATS_CAP_EXITS	(1 << 3)
#define KVM_STATS_ENABLE_EXITS	(1 << 0)

/* How an access of the guest to a device ends KVM_RUN. */
#ifdef __aarch64__
#define DEVICE_EXIT		KVM_EXIT_MMIO
#else
#define DEVICE_EXIT		KVM_EXIT_IO
#endif

struct check {
	const char *name;
	bool (*run)(void);
	const char *(*skip)(void);	/* returns why the check cannot run, or NULL */
};

/* Each list ends with a check without a name. */
extern const struct check enable_checks[];
extern const struct check class_checks[];
extern const struct check event_checks[];
extern const struct check time_checks[];

/* Set the module parameter kvm.exit_stats. */
bool exits_enable_by_default(bool on);

/* Create a VM with exit statistics and one vCPU. */
bool create_guest_with_exits(struct guest *guest);

/* On arm64: the same, and the vCPU has these bits KVM_ARM_VCPU_*. */
bool create_guest_with_features(struct guest *guest, uint32_t features);

/* Return by how much all classes together have grown: their counters, or their times. */
uint64_t classes_count(const struct outcome *outcome);
uint64_t classes_ns(const struct outcome *outcome);

/* Has the statistic @name grown by @expected? */
bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected);

/* Has the statistic exits grown by as much as all classes together? */
bool sums_agree(const struct outcome *outcome);

#endif /* EXIT_STATS_CHECKS_H */
