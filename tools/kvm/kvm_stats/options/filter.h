/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that select VMs, vCPUs and statistics. All commands have them. */
#ifndef OPTIONS_FILTER_H
#define OPTIONS_FILTER_H

#include <getopt.h>
#include <stdbool.h>

#include "targets/filter.h"

/* For getopt_long(). The table ends with an entry without a name. */
#define FILTER_LETTERS	"p:g:f:"
extern const struct option filter_options[];

#define FILTER_HELP	\
	"  -p, --pid=PID       only the VMM with this process ID; may be repeated\n" \
	"  -g, --guest=NAME    only guests with this name (QEMU's -name); may be repeated\n" \
	"  -f, --filter=REGEX  only statistics whose names match this extended regex\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n"

/* Handles one of these options. Prints a message and returns false if @value is not valid. */
bool filter_option(struct filter *filter, int option, const char *value);

#endif /* OPTIONS_FILTER_H */
