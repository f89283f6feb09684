// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "internal.h"

#define MAX_CMDLINE	1048576u
#define UUID_LENGTH	36

/* Returns the argument of the option -@option or --@option, also after "=", or NULL. */
static const char *find_argument(const char *text, size_t size, const char *option)
{
	const char *end = text + size;
	size_t len = strlen(option);
	const char *arg = text;
	bool found = false;

	for (; arg < end; arg += strlen(arg) + 1) {
		const char *name = arg + (arg[0] == '-' && arg[1] == '-' ? 2 : 1);

		if (found)
			return arg;
		if (arg[0] != '-' || strncmp(name, option, len))
			continue;
		if (name[len] == '=')
			return name + len + 1;
		found = !name[len];
	}
	return NULL;
}

/* ---- name ---- */

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

/*
 * Other VMMs than QEMU: the ID of Firecracker, or the path of the socket that controls the VM, of
 * Firecracker, Cloud Hypervisor or crosvm.
 */
static int find_id(const char *text, size_t size, char **id)
{
	static const char * const options[] = { "id", "api-sock", "api-socket", "socket" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		const char *value = find_argument(text, size, options[i]);

		if (!value || !*value || !strncmp(value, "fd=", 3))
			continue;
		*id = strdup(value + (strncmp(value, "path=", 5) ? 0 : 5));
		return *id ? 0 : -ENOMEM;
	}
	return 0;
}

/* ---- UUID ---- */

static bool is_uuid(const char *text)
{
	size_t i;

	if (strlen(text) != UUID_LENGTH)
		return false;
	for (i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

static int copy_uuid(const char *text, char **uuid)
{
	char *at;

	*uuid = strdup(text);
	if (!*uuid)
		return -ENOMEM;
	for (at = *uuid; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return 0;
}

/* ---- both ---- */

int kvmstats_guest_parse(struct kvmstats_guest *guest, const char *text, size_t size)
{
	const char *name = find_argument(text, size, "name");
	const char *uuid = find_argument(text, size, "uuid");
	int err = 0;

	*guest = (struct kvmstats_guest){ 0 };
	if (name)
		err = parse_name(name, &guest->name);
	else
		err = find_id(text, size, &guest->name);
	if (!err && uuid && is_uuid(uuid))
		err = copy_uuid(uuid, &guest->uuid);
	if (err)
		kvmstats_guest_free(guest);
	return err;
}

int kvmstats_guest_read(struct kvmstats_guest *guest, pid_t pid)
{
	char *text;
	size_t size;
	int err = kvmstats_read_proc(pid, "cmdline", MAX_CMDLINE, &text, &size);

	if (err)
		return err;
	err = kvmstats_guest_parse(guest, text, size);
	free(text);
	return err;
}

void kvmstats_guest_free(struct kvmstats_guest *guest)
{
	free(guest->name);
	free(guest->uuid);
	*guest = (struct kvmstats_guest){ 0 };
}
