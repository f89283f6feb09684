/* SPDX-License-Identifier: GPL-2.0-only */
/* What the test program exit_stats shares with the checks of each architecture's classes. */
#ifndef EXIT_STATS_CHECKS_H
#define EXIT_STATS_CHECKS_H

#include "run_delay/runner.h"

struct check {
	const char *name;
	bool (*run)(void);
	const char *(*skip)(void);	/* returns why the check cannot run, or NULL */
};

/* Ends with a check without a name. */
extern const struct check class_checks[];

/* Create a VM with one vCPU. On arm64, the vCPU has these bits KVM_ARM_VCPU_*. */
bool create_guest(struct guest *guest, uint32_t features);

/* Has the statistic @name grown by @expected? */
bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected);

/* Has the time of @class grown? */
bool expect_time(const struct outcome *outcome, const char *class);

/* Has the statistic exits grown by as much as all classes together? */
bool sums_agree(const struct outcome *outcome);

#endif /* EXIT_STATS_CHECKS_H */
