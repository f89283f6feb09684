// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "options/filter.h"

#define OPTION_VM	256
#define OPTION_VCPU	257

const struct option filter_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "guest", required_argument, NULL, 'g' },
	{ "filter", required_argument, NULL, 'f' },
	{ "vm", no_argument, NULL, OPTION_VM },
	{ "vcpu", required_argument, NULL, OPTION_VCPU },
	{ 0 },
};

static bool parse_pid(struct filter *filter, const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (!errno && end != text && !*end && pid > 0 && pid <= INT_MAX)
		return filter_add_pid(filter, (pid_t)pid);
	complain("-p must be a process ID, not '%s'. Run 'kvm-stats list' for the IDs.", text);
	return false;
}

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

static bool parse_vcpus(struct filter *filter, const char *list)
{
	struct filter_range range = { 0, INT_MAX };
	const char *at = list;

	if (!strcmp(list, "all"))
		return filter_add_vcpus(filter, range);
	for (;;) {
		if (!parse_range(&at, &range))
			break;
		if (!filter_add_vcpus(filter, range))
			return false;
		if (!*at)
			return true;
		if (*at++ != ',')
			break;
	}
	complain("--vcpu must be 'all' or a list of IDs such as 0,2-3, not '%s'", list);
	return false;
}

bool filter_option(struct filter *filter, int option, const char *value)
{
	switch (option) {
	case 'p':
		return parse_pid(filter, value);
	case 'g':
		return filter_add_guest(filter, value);
	case OPTION_VM:
		filter->vm = true;
		return true;
	case OPTION_VCPU:
		return parse_vcpus(filter, value);
	case 'f':
		return filter_set_regex(filter, value);
	}
	return false;
}
