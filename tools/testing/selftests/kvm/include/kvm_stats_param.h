/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings of the host on which the behaviour of KVM depends: files with one
 * value each, such as module parameters.  A check sets what it needs.  The
 * program restores the values after all checks.
 */
#ifndef SELFTEST_KVM_STATS_PARAM_H
#define SELFTEST_KVM_STATS_PARAM_H

#include <stdbool.h>
#include <stddef.h>

#define STATS_KVM_PARAM(name)	"/sys/module/kvm/parameters/" name
#define STATS_PARAM_SIZE	32

struct stats_param {
	const char *path;
	char saved[STATS_PARAM_SIZE];	/* empty if it could not be read */
};

bool stats_param_read(const char *path, char value[STATS_PARAM_SIZE]);

/* Returns NULL, or the reason to skip the check. */
const char *stats_param_set(const char *path, const char *value);

/* A parameter that does not exist is off. */
bool stats_param_is_on(const char *path);

void stats_params_save(struct stats_param *params, size_t num);
void stats_params_restore(const struct stats_param *params, size_t num);

#endif /* SELFTEST_KVM_STATS_PARAM_H */
