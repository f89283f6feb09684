/* SPDX-License-Identifier: GPL-2.0-only */
/* The VMs, vCPUs and statistics that the user selected. */
#ifndef FILTER_H
#define FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "kvmstats.h"
#include "message.h"

struct filter_range {
	int first;
	int last;
};

struct filter {
	pid_t *pid;		/* only these processes; all if empty */
	size_t pids;
	char **guest;		/* only guests that match these patterns; all if empty */
	size_t guests;
	bool vm;
	struct filter_range *vcpu;
	size_t vcpus;
	bool has_regex;
	char *pattern;
	regex_t regex;
};

/*
 * Appends a copy of the first @len bytes of @string to an array. These functions return false if
 * memory is exhausted.
 */
bool strings_add(char ***strings, size_t *count, const char *string, size_t len);
bool filter_add_pid(struct filter *filter, pid_t pid);
bool filter_add_vcpus(struct filter *filter, struct filter_range range);

void strings_free(char **strings, size_t count);

/*
 * Replaces the regular expression. NULL or "" selects all statistics. Returns false with the reason
 * in @why if @pattern is not valid.
 */
bool filter_set_regex(struct filter *filter, const char *pattern, struct message *why);

/* Whether only some processes or guests are selected. */
bool filter_names_vmms(const struct filter *filter);

/* Whether the name of a guest matches a pattern with *, ? and [...]. @guest can be NULL. */
bool filter_guest_matches(const char *pattern, const char *guest);
bool filter_selects_guest(const struct filter *filter, const char *guest);
bool filter_selects_pid(const struct filter *filter, pid_t pid);

/* Whether a vCPU is selected, or a VM if @vcpu is negative. */
bool filter_selects_vcpu(const struct filter *filter, int vcpu);

/* Whether a statistic with this name is selected. */
bool filter_selects_name(const struct filter *filter, const char *name);

void filter_free(struct filter *filter);

#endif /* FILTER_H */
