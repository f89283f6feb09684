/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings of the host that decide what KVM does and so what it counts: module
 * parameters and the like, one value in a file each.  A check sets what it
 * needs; the program puts back what it found once all checks have run.
 */
#ifndef SELFTEST_KVM_STATS_PARAM_H
#define SELFTEST_KVM_STATS_PARAM_H

#include "kvm_stats_tap.h"

#define STATS_KVM_PARAM(name)	"/sys/module/kvm/parameters/" name

struct stats_param {
	const char *path;
	char found[32];		/* empty: could not be read */
};

static inline bool stats_param_read(const char *path, char value[32])
{
	FILE *file = fopen(path, "r");
	bool read;

	value[0] = '\0';
	if (!file)
		return false;
	read = fscanf(file, "%31s", value) == 1;
	fclose(file);
	return read;
}

static inline bool stats_param_write(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");
	bool written;

	if (!file)
		return false;
	written = fputs(value, file) >= 0;
	return !fclose(file) && written;
}

/* NULL, or why the check cannot be made. */
static inline const char *stats_param_set(const char *path, const char *value)
{
	return stats_param_write(path, value) ? NULL :
	       stats_skip("cannot write '%s' to %s: %s", value, path,
			  strerror(errno));
}

/* A yes-or-no parameter, which is N where there is none. */
static inline bool stats_param_is_on(const char *path)
{
	char value[32];

	return stats_param_read(path, value) &&
	       (value[0] == 'Y' || value[0] == '1');
}

static inline void stats_params_save(struct stats_param *params, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		stats_param_read(params[i].path, params[i].found);
}

static inline void stats_params_restore(const struct stats_param *params,
					size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		if (params[i].found[0])
			stats_param_write(params[i].path, params[i].found);
}

#endif /* SELFTEST_KVM_STATS_PARAM_H */
