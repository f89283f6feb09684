/* SPDX-License-Identifier: GPL-2.0-only */
/* What the test program exit_stats shares with the checks of each architecture's classes. */
#ifndef EXIT_STATS_CHECKS_H
#define EXIT_STATS_CHECKS_H

#include "run_delay/runner.h"

extern const struct check class_checks[];
extern const struct check class_time_checks[];

/* Are the statistics those of the host file? Then user space ends when the guest is entered. */
static inline bool is_host_file(void)
{
	return read_stats_instead;
}

/* By how much all classes together have grown: their counters, or their times. */
uint64_t classes_count(const struct outcome *outcome);
uint64_t classes_ns(const struct outcome *outcome);

/* Has the statistic @name grown? */
void expect_growth(const struct outcome *outcome, const char *name);

#endif /* EXIT_STATS_CHECKS_H */
