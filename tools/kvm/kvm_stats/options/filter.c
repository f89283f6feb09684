// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "options/filter.h"
#include "util.h"

#define OPTION_VM	256
#define OPTION_VCPU	257
#define OPTION_QMP	1100

const struct option filter_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "guest", required_argument, NULL, 'g' },
	{ "filter", required_argument, NULL, 'f' },
	{ "vm", no_argument, NULL, OPTION_VM },
	{ "vcpu", required_argument, NULL, OPTION_VCPU },
	{ "qmp", optional_argument, NULL, OPTION_QMP },
	{ 0 },
};

static bool parse_pids(struct filter *filter, const char *list)
{
	const char *at = list;

	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (errno || end == at || (*end && *end != ',') || pid <= 0 || pid > INT_MAX)
			break;
		if (!filter_add_pid(filter, (pid_t)pid))
			return false;
		if (!*end)
			return true;
		at = end + 1;
	}
	complain("-p must be a list of process IDs such as 4711,4712, not '%s'. Run 'kvm-stats "
		 "list' for the IDs.", list);
	return false;
}

/*
 * Copies the first name of @list to @name, and returns the rest, or NULL at the end. As in QEMU's
 * options, ",," is a comma in the name.
 */
static const char *next_name(const char *list, char *name)
{
	for (; *list; list++) {
		if (*list == ',' && list[1] != ',')
			break;
		*name++ = *list;
		list += *list == ',';
	}
	*name = '\0';
	return *list ? list + 1 : NULL;
}

static bool add_guests(struct filter *filter, const char *list, char *name)
{
	const char *rest = list;

	do {
		rest = next_name(rest, name);
		if (!*name) {
			complain("-g must be a list of names such as web,db*, not '%s'", list);
			return false;
		}
		if (!strings_add(&filter->guest, &filter->guests, name, strlen(name)))
			return false;
	} while (rest);
	return true;
}

static bool parse_guests(struct filter *filter, const char *list)
{
	char *name = malloc(strlen(list) + 1);
	bool good = name && add_guests(filter, list, name);

	if (!name)
		complain("out of memory");
	free(name);
	return good;
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

static bool select_qmp(struct filter *filter, const char *path)
{
	if (!HAVE_JSON) {
		complain("--qmp is not available: kvm-stats was built without json-c");
		return false;
	}
	if (path && !*path) {
		complain("--qmp= needs the path of a socket. Without '=', kvm-stats finds the "
			 "sockets.");
		return false;
	}
	filter->qmp = true;
	return !path || strings_add(&filter->qmp_path, &filter->qmp_paths, path, strlen(path));
}

bool filter_option(struct filter *filter, int option, const char *value)
{
	switch (option) {
	case 'p':
		return parse_pids(filter, value);
	case 'g':
		return parse_guests(filter, value);
	case OPTION_VM:
		filter->vm = true;
		return true;
	case OPTION_VCPU:
		return parse_vcpus(filter, value);
	case OPTION_QMP:
		return select_qmp(filter, value);
	case 'f':
		return filter_set_regex(filter, value);
	}
	return false;
}
