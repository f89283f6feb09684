/* SPDX-License-Identifier: GPL-2.0-only */
/* Which VMs, vCPUs and statistics are asked for. */
#ifndef FILTER_H
#define FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "kvmstats.h"

struct filter_range {
	int first;
	int last;
};

struct filter {
	pid_t *pid;		/* only these processes, if any are named */
	size_t pids;
	const char **guest;	/* only guests of these names, if any are named */
	size_t guests;
	bool vm;
	struct filter_range *vcpu;
	size_t vcpus;
	bool from_start;	/* names have to match from their beginning, as in kvm_stat */
	bool has_regex;
	char *pattern;
	regex_t regex;
};

/*
 * Options of all commands that filter: -p, --pid, -g, --guest, -f, --filter, --vm, --vcpu.
 * FILTER_OPTIONS are lines for getopt_long(), FILTER_LETTERS is for it as well.
 */
#define FILTER_VM	256
#define FILTER_VCPU	257
#define FILTER_LETTERS	"p:g:f:"
#define FILTER_OPTIONS	\
	{ "pid", required_argument, NULL, 'p' },	\
	{ "guest", required_argument, NULL, 'g' },	\
	{ "filter", required_argument, NULL, 'f' },	\
	{ "vm", no_argument, NULL, FILTER_VM },		\
	{ "vcpu", required_argument, NULL, FILTER_VCPU }
#define FILTER_HELP	\
	"  -p, --pid=PID       only this process; may be repeated\n" \
	"  -g, --guest=NAME    only guests with this name (QEMU's -name); may be repeated\n" \
	"  -f, --filter=REGEX  only statistics whose names match (extended)\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs: all, or like 0,2-3\n"

/* Takes one of these: false after a complaint if the value makes no sense. */
bool filter_option(struct filter *filter, int option, const char *value);

/* Makes @pattern the expression, or takes all if it is NULL or "": false after a complaint. */
bool filter_set_regex(struct filter *filter, const char *pattern);

/* Makes it the only process, 0: all; or the only guest, NULL: all.  False: no memory. */
bool filter_set_pid(struct filter *filter, pid_t pid);
bool filter_set_guest(struct filter *filter, const char *guest);

/* Whether it says which processes or guests. */
bool filter_names_vmms(const struct filter *filter);

bool filter_selects_guest(const struct filter *filter, const char *guest);
bool filter_selects_target(const struct filter *filter, const struct kvmstats_target *target);
/* Whether vCPUs are asked for, and not what they have in common. */
bool filter_selects_vcpus_only(const struct filter *filter);
bool filter_selects_stat(const struct filter *filter, const struct kvmstats_stat *stat);

/* A vCPU that is asked for and that @vmm has not got, or -1. */
int filter_missing_vcpu(const struct filter *filter, const struct kvmstats_vmm *vmm);

void filter_free(struct filter *filter);

#endif /* FILTER_H */
