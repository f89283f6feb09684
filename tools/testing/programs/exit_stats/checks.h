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

/* They end with a check without a name. */
extern const struct check class_checks[];
extern const struct check class_time_checks[];

/* Create a VM with one vCPU that has these features, see struct guest. */
bool create_guest(struct guest *guest, uint32_t features);

/* By how much all classes together have grown: their counters, or their times. */
uint64_t classes_count(const struct outcome *outcome);
uint64_t classes_ns(const struct outcome *outcome);

/* Has the statistic @name grown by @expected? */
bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected);

/* Has the time of @class grown? */
bool expect_time(const struct outcome *outcome, const char *class);

/*
 * Has @class grown by @expected, its time, too, and the time of no class without exits? Does
 * exit_hist have each exit? Both ends of the outcome are after an exit of the same class.
 */
bool expect_exits(const struct outcome *outcome, const char *class, uint64_t expected);

/* Has the statistic exits grown by as much as all classes together? */
bool sums_agree(const struct outcome *outcome);

#endif /* EXIT_STATS_CHECKS_H */
