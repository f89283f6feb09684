// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/cmdline.h"

#define UUID_LENGTH	36

char *uuid_copy(const char *text)
{
	char *copy;
	size_t i;

	if (strlen(text) != UUID_LENGTH)
		return NULL;
	for (i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return NULL;
	}
	copy = strdup(text);
	for (i = 0; copy && copy[i]; i++)
		copy[i] = (char)tolower((unsigned char)copy[i]);
	return copy;
}

char *cmdline_uuid(const char *proc, pid_t pid)
{
	char *arg = NULL, *uuid = NULL, *path;
	bool is_value = false;
	size_t size = 0;
	FILE *file;

	if (asprintf(&path, "%s/%d/cmdline", proc, (int)pid) < 0)
		return NULL;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return NULL;
	while (!uuid && getdelim(&arg, &size, '\0', file) > 0) {
		if (is_value)
			uuid = uuid_copy(arg);
		is_value = !is_value && (!strcmp(arg, "-uuid") || !strcmp(arg, "--uuid"));
	}
	fclose(file);
	free(arg);
	return uuid;
}
