/* SPDX-License-Identifier: GPL-2.0-only */
/* The VMs, vCPUs and statistics that the user selected. */
#ifndef TARGETS_FILTER_H
#define TARGETS_FILTER_H

#include <getopt.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "kvmstats.h"

struct filter_range {
	int first;
	int last;
};

struct filter {
	pid_t *pid;		/* only these processes; all if empty */
	size_t pids;
	const char **guest;	/* only guests with these names; all if empty */
	size_t guests;
	bool vm;
	struct filter_range *vcpu;
	size_t vcpus;
	bool from_start;	/* the regex matches from the start of the name, as in kvm_stat */
	bool has_regex;
	char *pattern;
	regex_t regex;
};

/* The options that all commands share. */
#define FILTER_VM	256
#define FILTER_VCPU	257
#define FILTER_HELP	\
	"  -p, --pid=PID       only the VMM with this process ID; may be repeated\n" \
	"  -g, --guest=NAME    only guests with this name (QEMU's -name); may be repeated\n" \
	"  -f, --filter=REGEX  only statistics whose names match this extended regex\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n"

/*
 * Like getopt_long(), with the options of a command (@letters, @options) and the shared ones.
 * Pass a shared option to filter_option().
 */
int filter_getopt(int argc, char **argv, const char *letters, const struct option *options);

/* Handles one shared option. Prints a message and returns false if @value is not valid. */
bool filter_option(struct filter *filter, int option, const char *value);

/*
 * Replaces the regular expression. NULL or "" selects all statistics. Prints a message and
 * returns false if @pattern is not valid.
 */
bool filter_set_regex(struct filter *filter, const char *pattern);

/*
 * Selects one process (0: all processes), or one guest (NULL: all guests). Prints a message and
 * returns false if memory is exhausted.
 */
bool filter_set_pid(struct filter *filter, pid_t pid);
bool filter_set_guest(struct filter *filter, const char *guest);

/* Whether only some processes or guests are selected. */
bool filter_names_vmms(const struct filter *filter);

bool filter_selects_guest(const struct filter *filter, const char *guest);
bool filter_selects_target(const struct filter *filter, const struct kvmstats_target *target);
/* Whether vCPUs are selected, and VMs are not. */
bool filter_selects_vcpus_only(const struct filter *filter);
bool filter_selects_stat(const struct filter *filter, const struct kvmstats_stat *stat);

/* Returns the ID of a selected vCPU that @vmm does not have, or -1. */
int filter_missing_vcpu(const struct filter *filter, const struct kvmstats_vmm *vmm);

void filter_free(struct filter *filter);

#endif /* TARGETS_FILTER_H */
