/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that what the user selected exists, and prints messages if not. */
#ifndef MESSAGES_REQUIRE_H
#define MESSAGES_REQUIRE_H

#include <stdbool.h>

#include "messages/missing.h"
#include "monitor/monitor.h"

/* Like monitor_open(), but prints a message and returns NULL if it fails. */
struct monitor *require_monitor(const struct monitor_options *options);

/* Prints a message and returns false if the selected VMMs do not exist. */
bool require_vmms(const struct monitor *monitor);

/* The same if no VMM has the selected vCPUs. */
bool require_selection(const struct monitor *monitor);

/*
 * The same if none of the selected statistics can be read. If some can be read, it prints nothing
 * about the others: use missing_report().
 */
bool require_statistics(const struct monitor *monitor);

/*
 * Prints what cannot be read, and how many processes could not be examined. Commands that call it
 * repeatedly use missing_report() instead.
 */
void report_missing(const struct monitor *monitor);

/*
 * Prints a message and returns false if the regular expression matches no statistic or tracepoint
 * that can be read. Reports in @missing what cannot be read, which may have it.
 */
bool require_matches(const struct monitor *monitor, struct missing *missing);

#endif /* MESSAGES_REQUIRE_H */
