// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "targets/filter.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_OPTIONS	32

static bool out_of_memory(void)
{
	complain("out of memory");
	return false;
}

static bool add_pid(struct filter *filter, pid_t pid)
{
	pid_t *more = realloc(filter->pid, (filter->pids + 1) * sizeof(*more));

	if (!more)
		return out_of_memory();
	filter->pid = more;
	filter->pid[filter->pids++] = pid;
	return true;
}

static bool parse_pid(struct filter *filter, const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (!errno && end != text && !*end && pid > 0 && pid <= INT_MAX)
		return add_pid(filter, (pid_t)pid);
	complain("-p must be a process ID, not '%s'. Run 'kvm-stats list' for the IDs.", text);
	return false;
}

static bool add_guest(struct filter *filter, const char *guest)
{
	const char **more = realloc(filter->guest, (filter->guests + 1) * sizeof(*more));
	char *copy;

	if (!more)
		return out_of_memory();
	filter->guest = more;
	copy = strdup(guest);
	if (!copy)
		return out_of_memory();
	filter->guest[filter->guests++] = copy;
	return true;
}

static void free_guests(struct filter *filter)
{
	while (filter->guests)
		free((char *)filter->guest[--filter->guests]);
}

bool filter_set_pid(struct filter *filter, pid_t pid)
{
	filter->pids = 0;
	return !pid || add_pid(filter, pid);
}

bool filter_set_guest(struct filter *filter, const char *guest)
{
	free_guests(filter);
	return !guest || add_guest(filter, guest);
}

bool filter_names_vmms(const struct filter *filter)
{
	return filter->pids || filter->guests;
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

static bool add_range(struct filter *filter, struct filter_range range)
{
	struct filter_range *more;

	more = realloc(filter->vcpu, (filter->vcpus + 1) * sizeof(*more));
	if (!more)
		return out_of_memory();
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
	complain("--vcpu must be 'all' or a list of IDs such as 0,2-3, not '%s'", list);
	return false;
}

static int compile(const struct filter *filter, const char *pattern, regex_t *regex)
{
	char *anchored;
	int err;

	if (!filter->from_start)
		return regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (asprintf(&anchored, "^(%s)", pattern) < 0)
		return REG_ESPACE;
	err = regcomp(regex, anchored, REG_EXTENDED | REG_NOSUB);
	free(anchored);
	return err;
}

bool filter_set_regex(struct filter *filter, const char *pattern)
{
	bool none = !pattern || !*pattern;
	char *copy = none ? NULL : strdup(pattern);
	regex_t regex;
	char why[128];
	int err;

	if (!none && !copy)
		return out_of_memory();
	err = none ? 0 : compile(filter, pattern, &regex);
	if (err) {
		regerror(err, &regex, why, sizeof(why));
		complain("'%s' is not an extended regular expression: %s", pattern, why);
		free(copy);
		return false;
	}
	if (filter->has_regex)
		regfree(&filter->regex);
	free(filter->pattern);
	filter->has_regex = !none;
	filter->pattern = copy;
	if (!none)
		filter->regex = regex;
	return true;
}

int filter_getopt(int argc, char **argv, const char *letters, const struct option *options)
{
	static const struct option shared[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "guest", required_argument, NULL, 'g' },
		{ "filter", required_argument, NULL, 'f' },
		{ "vm", no_argument, NULL, FILTER_VM },
		{ "vcpu", required_argument, NULL, FILTER_VCPU },
	};
	struct option all[MAX_OPTIONS] = { 0 };
	char all_letters[2 * MAX_OPTIONS];
	size_t count = 0;

	memcpy(all, shared, sizeof(shared));
	while (options[count].name && count < MAX_OPTIONS - ARRAY_SIZE(shared) - 1) {
		all[ARRAY_SIZE(shared) + count] = options[count];
		count++;
	}
	snprintf(all_letters, sizeof(all_letters), "p:g:f:%s", letters);
	return getopt_long(argc, argv, all_letters, all, NULL);
}

bool filter_option(struct filter *filter, int option, const char *value)
{
	switch (option) {
	case 'p':
		return parse_pid(filter, value);
	case 'g':
		return add_guest(filter, value);
	case FILTER_VM:
		filter->vm = true;
		return true;
	case FILTER_VCPU:
		return add_vcpus(filter, value);
	case 'f':
		return filter_set_regex(filter, value);
	}
	return false;
}

bool filter_selects_guest(const struct filter *filter, const char *guest)
{
	size_t i;

	for (i = 0; guest && i < filter->guests; i++) {
		if (!strcmp(filter->guest[i], guest))
			return true;
	}
	return !filter->guests;
}

static bool in_range(const struct filter_range *range, int vcpu)
{
	return vcpu >= range->first && vcpu <= range->last;
}

bool filter_selects_target(const struct filter *filter, const struct kvmstats_target *target)
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

bool filter_selects_vcpus_only(const struct filter *filter)
{
	return filter->vcpus && !filter->vm;
}

bool filter_selects_stat(const struct filter *filter, const struct kvmstats_stat *stat)
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
	free(filter->pattern);
	free_guests(filter);
	free(filter->guest);
	free(filter->pid);
	free(filter->vcpu);
}
