/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the Python program kvm_stat. They have the same meaning here. */
#ifndef OPTIONS_KVM_STAT_H
#define OPTIONS_KVM_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "options/filter.h"

struct kvm_stat_options {
	struct filter filter;		/* -f, -p, -g, --vm, --vcpu */
	enum sources sources;		/* -d, -t */
	bool include_past;		/* -i: totals since the VM was created */
	bool list_names;		/* -f help */
	bool once;			/* -1 */
	bool log;			/* -l, -L */
	const char *file;		/* -L */
	bool csv;			/* -c */
	bool skip_zero;			/* -z */
	uint64_t delay;			/* -s, in ns */
	unsigned long count;		/* -n, not in kvm_stat: number of records; 0: no limit */
};

/* For usage texts. */
#define KVM_STAT_HELP	\
	"  -1, --once          print totals and growth of one second, and exit\n" \
	"  -l, --log           print a line for each interval, like vmstat\n" \
	"  -L, --log-to-file=FILE\n" \
	"                      append the log to FILE; SIGHUP reopens the file\n" \
	"  -c, --csv           with -l or -L: print comma-separated values\n" \
	"  -z, --skip-zero-records\n" \
	"                      with -l or -L: omit lines in which all values are 0\n" \
	"  -s, --set-delay=SEC interval in seconds (default: 3)\n" \
	"  -n, --count=N       with -l or -L: stop after N intervals\n" \
	"  -d, --debugfs       read the statistics from debugfs\n" \
	"  -t, --tracepoints   count tracepoints; with -d, do both\n" \
	"  -i, --debugfs-include-past\n" \
	"                      show totals since the VM was created\n" \
	FILTER_VMM_HELP \
	"  -f, --fields=REGEX  only statistics whose names start with a match of this\n" \
	"                      extended regex; 'help' lists the names\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n" \
	FILTER_QMP_HELP \
	"  -h, --help          print this help\n"

void kvm_stat_options_init(struct kvm_stat_options *options);

/*
 * Returns -1 to continue, or the exit status: after a message about a wrong option, or after
 * @usage was printed for --help. @command is "top --classic", or NULL without a command.
 */
int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   const char *command, const char *usage);
/* The argument of -s. Prints a message and returns false if it is not valid. */
bool kvm_stat_parse_delay(struct kvm_stat_options *options, const char *text);

void kvm_stat_options_free(struct kvm_stat_options *options);

#endif /* OPTIONS_KVM_STAT_H */
