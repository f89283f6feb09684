/* SPDX-License-Identifier: GPL-2.0-only */
/* The VMs, vCPUs and statistics that the user selected. */
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
	pid_t *pid;		/* only these processes; all if empty */
	size_t pids;
	char **guest;		/* only guests that match these patterns; all if empty */
	size_t guests;
	bool vm;
	struct filter_range *vcpu;
	size_t vcpus;
	bool qmp;		/* ask QEMU for statistics that fds do not have */
	char **qmp_path;	/* on these sockets; those of QEMU's command line if empty */
	size_t qmp_paths;
	bool from_start;	/* the regex matches from the start of the name, as in kvm_stat */
	bool has_regex;
	char *pattern;
	regex_t regex;
};

/*
 * Appends a copy of the first @len bytes of @string to an array. These functions print a message
 * and return false if memory is exhausted.
 */
bool strings_add(char ***strings, size_t *count, const char *string, size_t len);
bool filter_add_pid(struct filter *filter, pid_t pid);
bool filter_add_vcpus(struct filter *filter, struct filter_range range);

void strings_free(char **strings, size_t count);

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

/* Whether the name of a guest matches a pattern with *, ? and [...]. @guest can be NULL. */
bool filter_guest_matches(const char *pattern, const char *guest);
bool filter_selects_guest(const struct filter *filter, const char *guest);
bool filter_selects_target(const struct filter *filter, const struct kvmstats_target *target);
/* Whether vCPUs are selected, and VMs are not. */
bool filter_selects_vcpus_only(const struct filter *filter);
bool filter_selects_stat(const struct filter *filter, const struct kvmstats_stat *stat);

/* Returns the ID of a selected vCPU that @vmm does not have, or -1. */
int filter_missing_vcpu(const struct filter *filter, const struct kvmstats_vmm *vmm);

void filter_free(struct filter *filter);

#endif /* FILTER_H */
