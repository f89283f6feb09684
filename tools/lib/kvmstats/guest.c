// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "internal.h"

#define MAX_CMDLINE	1048576u
#define UUID_LENGTH	36

/* ---- options ---- */

const char *kvmstats_find_argument(const char *text, size_t size, const char *option,
				   const char *after)
{
	const char *arg = after ? after + strlen(after) + 1 : text;
	const char *end = text + size;
	size_t len = strlen(option);
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

/* Returns the length of the suboption at @text. QEMU escapes a comma by doubling it. */
static size_t suboption_length(const char *text)
{
	size_t len = 0;

	while (text[len] && (text[len] != ',' || text[len + 1] == ','))
		len += text[len] == ',' ? 2 : 1;
	return len;
}

static int copy_value(const char *text, size_t len, char **value)
{
	size_t i, n = 0;

	*value = malloc(len + 1);
	if (!*value)
		return -ENOMEM;
	for (i = 0; i < len; i++) {
		(*value)[n++] = text[i];
		if (text[i] == ',')
			i++;
	}
	(*value)[n] = '\0';
	return 0;
}

int kvmstats_find_suboption(const char *argument, const char *implied, const char *key,
			    char **value)
{
	size_t key_len = strlen(key);
	const char *at = argument;

	for (;;) {
		size_t len = suboption_length(at);
		bool named = len >= key_len && !strncmp(at, key, key_len);

		if (named && at[key_len] == '=')
			return copy_value(at + key_len + 1, len - key_len - 1, value);
		if (at == argument && implied && !memchr(at, '=', len)) {
			if (!strcmp(implied, key))
				return copy_value(at, len, value);
		} else if (named && len == key_len) {
			return copy_value("on", strlen("on"), value);
		}
		if (!at[len])
			break;
		at += len + 1;
	}
	*value = NULL;
	return 0;
}

/* ---- name ---- */

/*
 * Other VMMs than QEMU: the ID of Firecracker, or the path of the socket that controls the VM, of
 * Firecracker, Cloud Hypervisor or crosvm.
 */
static int find_id(const char *text, size_t size, char **id)
{
	static const char * const options[] = { "id", "api-sock", "api-socket", "socket" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		const char *value = kvmstats_find_argument(text, size, options[i], NULL);

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
	const char *name = kvmstats_find_argument(text, size, "name", NULL);
	const char *uuid = kvmstats_find_argument(text, size, "uuid", NULL);
	int err = 0;

	*guest = (struct kvmstats_guest){ 0 };
	if (name)
		err = kvmstats_find_suboption(name, "guest", "guest", &guest->name);
	else
		err = find_id(text, size, &guest->name);
	/* An empty name identifies nothing. */
	if (guest->name && !*guest->name) {
		free(guest->name);
		guest->name = NULL;
	}
	if (!err && uuid && is_uuid(uuid))
		err = copy_uuid(uuid, &guest->uuid);
	if (err)
		kvmstats_guest_free(guest);
	return err;
}

int kvmstats_read_cmdline(pid_t pid, char **text, size_t *size)
{
	return kvmstats_read_proc(pid, "cmdline", MAX_CMDLINE, text, size);
}

void kvmstats_guest_free(struct kvmstats_guest *guest)
{
	free(guest->name);
	free(guest->uuid);
	*guest = (struct kvmstats_guest){ 0 };
}
