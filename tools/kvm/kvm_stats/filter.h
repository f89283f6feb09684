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
	bool vm;
	struct filter_range *vcpu;
	size_t vcpus;
	bool has_regex;
	const char *pattern;
	regex_t regex;
};

/* Options of all commands that filter: -f, --filter, --vm, --vcpu. */
#define FILTER_VM	256
#define FILTER_VCPU	257
#define FILTER_HELP	\
	"  -f, --filter=REGEX  only statistics whose names match (extended)\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs: all, or like 0,2-3\n"

/* Takes one of these: false after a complaint if the value makes no sense. */
bool filter_option(struct filter *filter, int option, const char *value);

bool filter_takes_target(const struct filter *filter, const struct kvmstats_target *target);
bool filter_takes_stat(const struct filter *filter, const struct kvmstats_stat *stat);

/* A vCPU that is asked for and that @vmm has not got, or -1. */
int filter_missing_vcpu(const struct filter *filter, const struct kvmstats_vmm *vmm);

void filter_free(struct filter *filter);

#endif /* FILTER_H */
