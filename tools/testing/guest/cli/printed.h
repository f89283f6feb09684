/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvm-stats printed. */
#ifndef CLI_PRINTED_H
#define CLI_PRINTED_H

#include <stdbool.h>
#include <sys/types.h>

#include "command.h"

/* Where the next line begins; "" if there is none. */
const char *next_line(const char *line);

/* It left with @status, and @text is in its output. */
bool says(const struct run *run, int status, const char *text);

/* `read`: @stat of @target has one row, with this value. */
bool prints(const struct run *run, const char *target, const char *stat,
	    unsigned long long expected);

/*
 * Three intervals, in each of which the rate is positive just where the value grew, as it did in
 * one at least.  (A loaded machine may stop an emulated CPU for longer than an interval.)
 */
bool rates_follow_values(const struct run *run, const char *target, const char *stat);

/* `list`: VMM @pid has one VM with its vCPUs, whose numbers come from @numbers. */
bool list_has(const struct run *run, pid_t pid, const char *numbers);

/* A line of -1: the name, and its total. */
bool prints_total(const struct run *run, const char *stat, unsigned long long *value);
bool total_is(const struct run *run, const char *stat, unsigned long long expected);

/* `read --json`: behind @path, @stat has this value. */
bool has_json(const struct run *run, const char *path, const char *stat,
	      unsigned long long value);

#endif /* CLI_PRINTED_H */
