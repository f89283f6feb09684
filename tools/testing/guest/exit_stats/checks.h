/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program exit_stats. */
#ifndef EXIT_STATS_CHECKS_H
#define EXIT_STATS_CHECKS_H

#include "run_delay/runner.h"

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
extern const struct check switch_checks[];
extern const struct check class_checks[];
extern const struct check event_checks[];
extern const struct check time_checks[];

/* Set the module parameter kvm.exit_stats. */
bool exits_switch(bool on);

/* Create a VM with one vCPU. On arm64, @features are its bits KVM_ARM_VCPU_*. */
bool create_guest(struct guest *guest, uint32_t features);

/* Return by how much all classes together have grown: their counters, or their times. */
uint64_t classes_count(const struct outcome *outcome);
uint64_t classes_ns(const struct outcome *outcome);

/* Has the statistic @name grown by @expected? */
bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected);

/* Has the statistic exits grown by as much as all classes together? */
bool sums_agree(const struct outcome *outcome);

#endif /* EXIT_STATS_CHECKS_H */
