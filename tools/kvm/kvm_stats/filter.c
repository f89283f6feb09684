// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "output.h"

static bool parse_id(const char **at, int *id)
{
	char *end;
	long n;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	n = strtol(*at, &end, 10);
	if (errno || n > INT_MAX)
		return false;
	*id = (int)n;
	*at = end;
	return true;
}

static bool parse_range(const char **at, struct filter_range *range)
{
	if (!parse_id(at, &range->first))
		return false;
	range->last = range->first;
	if (**at == '-') {
		++*at;
		if (!parse_id(at, &range->last))
			return false;
	}
	return range->first <= range->last;
}

static bool add_range(struct filter *filter, struct filter_range range)
{
	struct filter_range *more;

	more = realloc(filter->vcpu, (filter->vcpus + 1) * sizeof(*more));
	if (!more) {
		complain("out of memory");
		return false;
	}
	filter->vcpu = more;
	filter->vcpu[filter->vcpus++] = range;
	return true;
}

static bool add_vcpus(struct filter *filter, const char *list)
{
	struct filter_range range = { 0, INT_MAX };
	const char *at = list;

	if (!strcmp(list, "all"))
		return add_range(filter, range);
	for (;;) {
		if (!parse_range(&at, &range))
			break;
		if (!add_range(filter, range))
			return false;
		if (!*at)
			return true;
		if (*at++ != ',')
			break;
	}
	complain("--vcpu takes 'all' or a list of IDs like 0,2-3, not '%s'", list);
	return false;
}

static bool set_regex(struct filter *filter, const char *pattern)
{
	char why[128];
	int err;

	if (filter->has_regex)
		regfree(&filter->regex);
	err = regcomp(&filter->regex, pattern, REG_EXTENDED | REG_NOSUB);
	filter->has_regex = !err;
	filter->pattern = pattern;
	if (!err)
		return true;
	regerror(err, &filter->regex, why, sizeof(why));
	complain("'%s' is not an extended regular expression: %s", pattern, why);
	return false;
}

bool filter_option(struct filter *filter, int option, const char *value)
{
	switch (option) {
	case FILTER_VM:
		filter->vm = true;
		return true;
	case FILTER_VCPU:
		return add_vcpus(filter, value);
	case 'f':
		return set_regex(filter, value);
	}
	return false;
}

static bool in_range(const struct filter_range *range, int vcpu)
{
	return vcpu >= range->first && vcpu <= range->last;
}

bool filter_takes_target(const struct filter *filter, const struct kvmstats_target *target)
{
	size_t i;

	if (!filter->vm && !filter->vcpus)
		return true;
	if (kvmstats_target_kind(target) == KVMSTATS_VM)
		return filter->vm;
	for (i = 0; i < filter->vcpus; i++) {
		if (in_range(&filter->vcpu[i], kvmstats_target_vcpu(target)))
			return true;
	}
	return false;
}

bool filter_takes_stat(const struct filter *filter, const struct kvmstats_stat *stat)
{
	return !filter->has_regex ||
	       !regexec(&filter->regex, kvmstats_stat_name(stat), 0, NULL, 0);
}

static bool has_vcpu_in(const struct kvmstats_vmm *vmm, const struct filter_range *range)
{
	size_t i;

	for (i = 0; i < kvmstats_vmm_targets(vmm); i++) {
		const struct kvmstats_target *target = kvmstats_vmm_target(vmm, i);

		if (kvmstats_target_kind(target) == KVMSTATS_VCPU &&
		    in_range(range, kvmstats_target_vcpu(target)))
			return true;
	}
	return false;
}

int filter_missing_vcpu(const struct filter *filter, const struct kvmstats_vmm *vmm)
{
	size_t i;

	for (i = 0; i < filter->vcpus; i++) {
		if (!has_vcpu_in(vmm, &filter->vcpu[i]))
			return filter->vcpu[i].first;
	}
	return -1;
}

void filter_free(struct filter *filter)
{
	if (filter->has_regex)
		regfree(&filter->regex);
	free(filter->vcpu);
}
