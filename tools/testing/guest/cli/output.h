/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse the output of kvm-stats. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/command.h"

/* Returns the beginning of the next line, or "" at the end. */
const char *next_line(const char *line);

/* Did kvm-stats exit with @status and print @text? */
bool ended_with(const struct run *run, int status, const char *text);

/* `read`: does exactly one row show @stat of @target, with the value @expected? */
bool shows_value(const struct run *run, const char *target, const char *stat,
		 unsigned long long expected);

/*
 * `read -i -c 3`: is the rate of each interval positive if and only if the value grew? It must
 * grow in at least one interval. (A loaded machine may stop an emulated CPU for a whole interval.)
 */
bool rates_agree(const struct run *run, const char *target, const char *stat);

/* `list`: is there a row of VMM @pid with one VM, its vCPUs and this source of statistics? */
bool list_shows(const struct run *run, pid_t pid, const char *source);

/* `-1`: find_total() stores the total of @stat. */
bool find_total(const struct run *run, const char *stat, unsigned long long *value);
bool total_is(const struct run *run, const char *stat, unsigned long long expected);

/* `query`: does @stat have this value after @path? */
bool has_json(const struct run *run, const char *path, const char *stat,
	      unsigned long long value);

#endif /* CLI_OUTPUT_H */
