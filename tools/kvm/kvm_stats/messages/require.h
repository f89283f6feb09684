/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that what the user selected exists, and prints messages if not. */
#ifndef MESSAGES_REQUIRE_H
#define MESSAGES_REQUIRE_H

#include <stdbool.h>

#include "monitor/monitor.h"

/* Like monitor_open(), but prints a message and returns NULL if it fails. */
struct monitor *require_monitor(const struct monitor_options *options);

/*
 * Prints a message and returns false if there are no statistics of the selected VMs and vCPUs.
 * If only some of them cannot be read, prints a message and returns true.
 */
bool require_statistics(const struct monitor *monitor);

/* The same for VMMs, whether or not their statistics can be read. */
bool require_vmms(const struct monitor *monitor);

/*
 * Prints which statistics cannot be read, once for each reason, and how many processes could
 * not be examined.
 */
void report_missing(const struct monitor *monitor);

/* Prints a message and returns false if the regular expression matches no statistic. */
bool require_matches(const struct monitor *monitor);

#endif /* MESSAGES_REQUIRE_H */
