// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/sample_vmm.h"

const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : "";
}

static bool parse_row(const char *line, const char *target, const char *stat,
		      unsigned long long *value, double *rate)
{
	char of[64], name[64], unit[32];

	*rate = -1;
	return sscanf(line, "%63s %63s %llu %31s %lf", of, name, value, unit, rate) >= 4 &&
	       !strcmp(of, target) && !strcmp(name, stat);
}

bool rates_agree(const struct run *run, const char *target, const char *stat)
{
	unsigned long long value, last = 0;
	int rows = 0, grown = 0;
	bool grew, is_zero;
	const char *line;
	double rate;

	for (line = run->text; *line; line = next_line(line)) {
		if (!parse_row(line, target, stat, &value, &rate))
			continue;
		grew = value > last;
		is_zero = rate <= 0;
		if (rows++ && grew == is_zero)
			return false;
		grown += rate > 0;
		last = value;
	}
	return rows == 3 && grown;
}

bool shows_value(const struct run *run, const char *target, const char *stat,
		 unsigned long long expected)
{
	unsigned long long value = 0;
	double rate;
	const char *line;
	int found = 0;

	for (line = run->text; *line; line = next_line(line)) {
		unsigned long long v;

		if (!parse_row(line, target, stat, &v, &rate))
			continue;
		value = v;
		found++;
	}
	if (found == 1 && value == expected)
		return true;
	printf("# %s %s: expected one value %llu, found %d, the last %llu\n", target, stat,
	       expected, found, value);
	return false;
}

bool list_shows(const struct run *run, pid_t pid, const char *source)
{
	const char *line;

	for (line = run->text; *line; line = next_line(line)) {
		unsigned long vms, vcpus;
		char name[32], from[32];
		int found;

		if (sscanf(line, "%d %31s %lu %lu %31s", &found, name, &vms, &vcpus, from) == 5 &&
		    found == pid)
			return vms == 1 && vcpus == VCPUS && !strcmp(from, source);
	}
	return false;
}

bool ended_with(const struct run *run, int status, const char *text)
{
	return run->status == status && strstr(run->text, text);
}

bool find_total(const struct run *run, const char *stat, unsigned long long *value)
{
	const char *line;
	char name[64];

	for (line = run->text; *line; line = next_line(line)) {
		if (sscanf(line, "%63s %llu", name, value) == 2 && !strcmp(name, stat))
			return true;
	}
	return false;
}

bool total_is(const struct run *run, const char *stat, unsigned long long expected)
{
	unsigned long long value = 0;

	if (find_total(run, stat, &value) && value == expected)
		return true;
	printf("# %s: expected a total of %llu, found %llu\n", stat, expected, value);
	return false;
}

bool has_json(const struct run *run, const char *path, const char *stat,
	      unsigned long long value)
{
	const char *at = strstr(run->text, path);
	char text[128];

	snprintf(text, sizeof(text), "{\"name\": \"%s\", \"value\": %llu}", stat, value);
	return at && strstr(at, text);
}
