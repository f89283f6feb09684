/* SPDX-License-Identifier: GPL-2.0-only */
/* What was asked for has to be there. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdbool.h>

#include "monitor.h"

/* monitor_open() with a complaint if it fails: NULL. */
struct monitor *require_monitor(const struct monitor_options *options);

/*
 * False after a complaint that says why, if there are no numbers of what the filter names.
 * What is missing beside others is complained about only.
 */
bool require_statistics(const struct monitor *monitor);

/* The same of VMMs, whether they have numbers or not. */
bool require_vmms(const struct monitor *monitor);

/* Tells, once for each reason, which numbers cannot be had, and who was not looked into. */
void report_missing(const struct monitor *monitor);

/* False after a complaint if no statistic's name matches. */
bool require_matches(const struct monitor *monitor);

/* After getopt_long(): false after a complaint if something is left over. */
bool require_no_arguments(int argc, char **argv);

#endif /* REQUIRE_H */
