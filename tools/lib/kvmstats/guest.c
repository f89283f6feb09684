// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Finds the name of the guest: the argument of -name on the VMM's command line, as of QEMU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define MAX_CMDLINE	1048576u

static const char *find_argument(const char *text, size_t len)
{
	const char *end = text + len;
	const char *arg = text;
	bool found = false;

	for (; arg < end; arg += strlen(arg) + 1) {
		if (found)
			return arg;
		found = !strcmp(arg, "-name") || !strcmp(arg, "--name");
	}
	return NULL;
}

/* Returns the length of the suboption at @text. QEMU escapes a comma by doubling it. */
static size_t option_length(const char *text)
{
	size_t len = 0;

	while (text[len] && (text[len] != ',' || text[len + 1] == ','))
		len += text[len] == ',' ? 2 : 1;
	return len;
}

static char *copy_value(const char *text, size_t len)
{
	char *value = malloc(len + 1);
	size_t i, n = 0;

	if (!value)
		return NULL;
	for (i = 0; i < len; i++) {
		value[n++] = text[i];
		if (text[i] == ',')
			i++;
	}
	value[n] = '\0';
	return value;
}

/* The name is the value of "guest=", or the first suboption if that has no "=". */
static int parse_name(const char *option, char **name)
{
	const char *at = option;

	for (;;) {
		size_t len = option_length(at);
		const char *value = NULL;

		if (!strncmp(at, "guest=", 6))
			value = at + 6;
		else if (at == option && !memchr(at, '=', len))
			value = at;
		if (value) {
			*name = copy_value(value, len - (value - at));
			return *name ? 0 : -ENOMEM;
		}
		if (!at[len])
			return 0;
		at += len + 1;
	}
}

int kvmstats_guest_name(pid_t pid, char **name)
{
	const char *option;
	char *text;
	size_t len;
	int err;

	*name = NULL;
	err = kvmstats_read_proc(pid, "cmdline", MAX_CMDLINE, &text, &len);
	if (err)
		return err;
	option = find_argument(text, len);
	if (option)
		err = parse_name(option, name);
	free(text);
	return err;
}
