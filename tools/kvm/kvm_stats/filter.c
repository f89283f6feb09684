// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "util.h"

/* Returns the array with space for one more entry, or prints a message and returns NULL. */
static void *grow(void *array, size_t count, size_t size)
{
	array = reallocarray(array, count + 1, size);
	if (!array)
		out_of_memory();
	return array;
}

bool strings_add(char ***strings, size_t *count, const char *string, size_t len)
{
	char **more = grow(*strings, *count, sizeof(*more));

	if (!more)
		return false;
	*strings = more;
	more[*count] = strndup(string, len);
	if (!more[*count])
		return out_of_memory();
	++*count;
	return true;
}

static void clear_strings(char **strings, size_t *count)
{
	while (*count)
		free(strings[--*count]);
}

void strings_free(char **strings, size_t count)
{
	clear_strings(strings, &count);
	free(strings);
}

bool filter_add_pid(struct filter *filter, pid_t pid)
{
	pid_t *more = grow(filter->pid, filter->pids, sizeof(*more));

	if (!more)
		return false;
	filter->pid = more;
	filter->pid[filter->pids++] = pid;
	return true;
}

bool filter_set_pid(struct filter *filter, pid_t pid)
{
	filter->pids = 0;
	return !pid || filter_add_pid(filter, pid);
}

bool filter_set_guest(struct filter *filter, const char *guest)
{
	clear_strings(filter->guest, &filter->guests);
	return !guest || strings_add(&filter->guest, &filter->guests, guest, strlen(guest));
}

bool filter_add_vcpus(struct filter *filter, struct filter_range range)
{
	struct filter_range *more = grow(filter->vcpu, filter->vcpus, sizeof(*more));

	if (!more)
		return false;
	filter->vcpu = more;
	filter->vcpu[filter->vcpus++] = range;
	return true;
}

bool filter_names_vmms(const struct filter *filter)
{
	return filter->pids || filter->guests;
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

bool filter_guest_matches(const char *pattern, const char *guest)
{
	/* A name can contain the special characters of a pattern. */
	return guest && (!strcmp(pattern, guest) || !fnmatch(pattern, guest, 0));
}

bool filter_selects_guest(const struct filter *filter, const char *guest)
{
	size_t i;

	for (i = 0; i < filter->guests; i++) {
		if (filter_guest_matches(filter->guest[i], guest))
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
	if (kvmstats_target_kind(target) == KVMSTATS_KIND_VM)
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

		if (kvmstats_target_kind(target) == KVMSTATS_KIND_VCPU &&
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
	free(filter->pid);
	free(filter->vcpu);
	strings_free(filter->guest, filter->guests);
	strings_free(filter->qmp_path, filter->qmp_paths);
}
