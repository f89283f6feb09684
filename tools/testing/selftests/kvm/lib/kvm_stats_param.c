// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kvm_stats_message.h"
#include "kvm_stats_param.h"

bool stats_param_read(const char *path, char value[STATS_PARAM_SIZE])
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

static bool write_param(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");
	bool written;

	if (!file)
		return false;
	written = fputs(value, file) >= 0;
	return !fclose(file) && written;
}

const char *stats_param_set(const char *path, const char *value)
{
	return write_param(path, value) ? NULL :
	       stats_skip("cannot write '%s' to %s: %s", value, path,
			  strerror(errno));
}

bool stats_param_is_on(const char *path)
{
	char value[STATS_PARAM_SIZE];

	return stats_param_read(path, value) &&
	       (value[0] == 'Y' || value[0] == '1');
}

void stats_params_save(struct stats_param *params, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		stats_param_read(params[i].path, params[i].saved);
}

void stats_params_restore(const struct stats_param *params, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++)
		if (params[i].saved[0])
			write_param(params[i].path, params[i].saved);
}
