/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that select VMs, vCPUs and statistics. All commands have them. */
#ifndef OPTIONS_FILTER_H
#define OPTIONS_FILTER_H

#include <getopt.h>
#include <stdbool.h>

#include "model.h"

/* For getopt_long(). The table ends with an entry without a name. */
#define FILTER_LETTERS	"p:g:f:"
extern const struct option filter_options[];

#define FILTER_VMM_HELP	\
	"  -p, --pid=LIST      only VMMs with these process IDs, for example 47,4711\n" \
	"  -g, --guest=LIST    only guests with these names (see list), for example\n" \
	"                      web,db*; ',,' is a comma in a name\n"

#define FILTER_QMP_HELP	\
	"      --qmp[=SOCKET]  if statistics fds cannot be opened, ask QEMU on its QMP\n" \
	"                      socket, such as /run/%g.qmp; %g is the guest, %p the PID\n"

#define FILTER_HELP	\
	FILTER_VMM_HELP \
	"  -f, --filter=REGEX  only statistics whose names match this extended regex\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n" \
	FILTER_QMP_HELP

/* Handles one of these options. Prints a message and returns false if @value is not valid. */
bool filter_option(struct filter *filter, int option, const char *value);

#endif /* OPTIONS_FILTER_H */
