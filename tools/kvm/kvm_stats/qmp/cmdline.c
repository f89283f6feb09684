// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/file.h"
#include "qmp/cmdline.h"

int cmdline_read(struct cmdline *cmdline, pid_t pid)
{
	char path[PROC_PATH_SIZE];
	FILE *file;
	ssize_t n;

	*cmdline = (struct cmdline){ 0 };
	proc_path(path, "%d/cmdline", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	/* No file contains this byte before its end, because arguments are UTF-8. */
	n = getdelim(&cmdline->text, &cmdline->size, 0xff, file);
	cmdline->size = n > 0 ? (size_t)n : 0;
	fclose(file);
	return 0;
}

void cmdline_free(struct cmdline *cmdline)
{
	free(cmdline->text);
}

const char *cmdline_next(const struct cmdline *cmdline, const char *argument)
{
	const char *next = argument ? argument + strlen(argument) + 1 : cmdline->text;

	return next && next < cmdline->text + cmdline->size ? next : NULL;
}

bool is_option(const char *argument, const char *name)
{
	if (argument[0] != '-')
		return false;
	return !strcmp(argument + 1, name) || (argument[1] == '-' && !strcmp(argument + 2, name));
}

/* Returns the length of the first part of @option, which a single comma ends. */
static size_t part_length(const char *option)
{
	size_t len = 0;

	while (option[len] && (option[len] != ',' || option[len + 1] == ','))
		len += option[len] == ',' ? 2 : 1;
	return len;
}

/* Copies a value, and replaces ",," by a comma. */
static char *copy_value(const char *text, size_t len)
{
	char *value = malloc(len + 1), *to = value;
	const char *end = text + len;

	if (!value)
		return NULL;
	while (text < end) {
		*to++ = *text;
		text += *text == ',' ? 2 : 1;
	}
	*to = '\0';
	return value;
}

static bool is_key(const char *part, size_t len, const char *key)
{
	return strlen(key) == len && !strncmp(part, key, len);
}

char *option_value(const char *option, const char *implied, const char *key)
{
	for (;;) {
		size_t len = part_length(option);
		const char *equals = memchr(option, '=', len);

		if (equals && is_key(option, equals - option, key))
			return copy_value(equals + 1, option + len - equals - 1);
		if (!equals && implied && !strcmp(implied, key))
			return copy_value(option, len);
		if (!equals && !implied && is_key(option, len, key))
			return strdup("on");
		if (!option[len])
			return NULL;
		option += len + 1;
		implied = NULL;
	}
}

bool option_is_on(const char *option, const char *key)
{
	char *value = option_value(option, NULL, key);
	bool on = value && (!strcmp(value, "on") || !strcmp(value, "yes") ||
			    !strcmp(value, "true") || !strcmp(value, "y"));

	free(value);
	return on;
}
