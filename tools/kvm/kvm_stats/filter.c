// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

bool strings_add(char ***strings, size_t *count, const char *string, size_t len)
{
	char **more = reallocarray(*strings, *count + 1, sizeof(*more));

	if (!more)
		return false;
	*strings = more;
	more[*count] = strndup(string, len);
	if (!more[*count])
		return false;
	++*count;
	return true;
}

void strings_free(char **strings, size_t count)
{
	while (count)
		free(strings[--count]);
	free(strings);
}

bool filter_add_pid(struct filter *filter, pid_t pid)
{
	pid_t *more = reallocarray(filter->pid, filter->pids + 1, sizeof(*more));

	if (!more)
		return false;
	filter->pid = more;
	filter->pid[filter->pids++] = pid;
	return true;
}

bool filter_add_vcpus(struct filter *filter, struct filter_range range)
{
	struct filter_range *more = reallocarray(filter->vcpu, filter->vcpus + 1,
						 sizeof(*more));

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

bool filter_set_regex(struct filter *filter, const char *pattern, struct message *why)
{
	bool none = !pattern || !*pattern;
	char *copy = none ? NULL : strdup(pattern);
	regex_t regex;
	char text[128];
	int err;

	if (!none && !copy)
		return message_no_memory(why);
	err = none ? 0 : regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &regex, text, sizeof(text));
		free(copy);
		return message_set(why, "'%s' is not an extended regular expression: %s", pattern,
				   text);
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

bool filter_selects_pid(const struct filter *filter, pid_t pid)
{
	size_t i;

	for (i = 0; i < filter->pids; i++) {
		if (filter->pid[i] == pid)
			return true;
	}
	return !filter->pids;
}

bool filter_selects_vcpu(const struct filter *filter, int vcpu)
{
	size_t i;

	if (!filter->vm && !filter->vcpus)
		return true;
	if (vcpu < 0)
		return filter->vm;
	for (i = 0; i < filter->vcpus; i++) {
		if (vcpu >= filter->vcpu[i].first && vcpu <= filter->vcpu[i].last)
			return true;
	}
	return false;
}

bool filter_selects_name(const struct filter *filter, const char *name)
{
	return !filter->has_regex || !regexec(&filter->regex, name, 0, NULL, 0);
}

void filter_free(struct filter *filter)
{
	if (filter->has_regex)
		regfree(&filter->regex);
	free(filter->pattern);
	free(filter->pid);
	free(filter->vcpu);
	strings_free(filter->guest, filter->guests);
}
