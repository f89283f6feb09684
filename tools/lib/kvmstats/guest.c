// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "internal.h"

#define UUID_LENGTH	36

/* ---- options ---- */

/*
 * Returns the argument of the option -@option or --@option, also after "=", or NULL. The search
 * starts after @after, an earlier result, or at the first argument if it is NULL.
 */
static const char *find_argument(const char *text, size_t size, const char *option,
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

/*
 * Sets @value to a copy of the value of suboption @key in an argument like "a,key=value,b=c", or to
 * NULL if the argument does not have it. ",," is a comma in a value. @implied is the key of a first
 * value without "=", or NULL. Returns 0 or -ENOMEM.
 */
static int find_suboption(const char *argument, const char *implied, const char *key, char **value)
{
	size_t key_len = strlen(key);
	const char *at = argument;

	for (;;) {
		size_t len = suboption_length(at);
		bool named = len >= key_len && !strncmp(at, key, key_len);

		if (named && at[key_len] == '=')
			return copy_value(at + key_len + 1, len - key_len - 1, value);
		if (at == argument && implied && !strcmp(implied, key) && !memchr(at, '=', len))
			return copy_value(at, len, value);
		if (!at[len])
			break;
		at += len + 1;
	}
	*value = NULL;
	return 0;
}

/* ---- name ---- */

static int copy_id(const char *value, char **id)
{
	*id = strdup(value + (strncmp(value, "path=", 5) ? 0 : 5));
	return *id ? 0 : -ENOMEM;
}

static bool is_crosvm(const char *text)
{
	const char *slash = strrchr(text, '/');

	return !strcmp(slash ? slash + 1 : text, "crosvm");
}

/*
 * Other VMMs than QEMU: the ID of Firecracker, or the path of the socket that controls the VM, of
 * Firecracker, Cloud Hypervisor or crosvm.
 */
static int find_id(const char *text, size_t size, char **id)
{
	static const char * const options[] = { "id", "api-sock", "api-socket", "socket" };
	const char *value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		value = find_argument(text, size, options[i], NULL);
		if (!value || !*value || !strncmp(value, "fd=", 3))
			continue;
		return copy_id(value, id);
	}
	/* The short form of --socket. QEMU has an option -s, too. */
	value = is_crosvm(text) ? find_argument(text, size, "s", NULL) : NULL;
	return value && *value ? copy_id(value, id) : 0;
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

/* The argument of -uuid or, like Proxmox, of -smbios type=1, or of Cloud Hypervisor's --platform */
static int find_uuid(const char *text, size_t size, char **uuid)
{
	static const char * const options[] = { "smbios", "platform" };
	const char *argument = find_argument(text, size, "uuid", NULL);
	size_t i = 0;

	if (argument && is_uuid(argument))
		return copy_uuid(argument, uuid);
	for (argument = NULL; i < ARRAY_SIZE(options); i += !argument) {
		char *type = NULL, *value = NULL;
		int err;

		argument = find_argument(text, size, options[i], argument);
		if (!argument)
			continue;
		err = find_suboption(argument, NULL, "type", &type);
		if (!err && (i || (type && !strcmp(type, "1"))))
			err = find_suboption(argument, NULL, "uuid", &value);
		if (!err && value && is_uuid(value))
			err = copy_uuid(value, uuid);
		free(type);
		free(value);
		if (err || *uuid)
			return err;
	}
	return 0;
}

/* ---- both ---- */

int kvmstats_guest_parse(struct kvmstats_guest *guest, const char *text, size_t size)
{
	const char *name = find_argument(text, size, "name", NULL);
	int err = 0;

	*guest = (struct kvmstats_guest){ 0 };
	if (name)
		err = find_suboption(name, "guest", "guest", &guest->name);
	else
		err = find_id(text, size, &guest->name);
	/* An empty name identifies nothing. */
	if (guest->name && !*guest->name) {
		free(guest->name);
		guest->name = NULL;
	}
	if (!err)
		err = find_uuid(text, size, &guest->uuid);
	if (err)
		kvmstats_guest_free(guest);
	return err;
}

/* ---- cgroups ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

static void decode_unit(char *unit)
{
	unsigned int code;
	char *to = unit;
	int len;

	*strrchr(unit, '.') = '\0';
	for (; *unit; unit += len) {
		len = sscanf(unit, "\\x%2x", &code) == 1 ? 4 : 1;
		*to++ = len == 4 ? (char)code : *unit;
	}
	*to = '\0';
}

/*
 * libvirt has the number of the domain before the name. Proxmox has the ID of the VM:
 * qemu.slice/100.scope
 */
static const char *guest_of_scope(const char *scope, bool proxmox)
{
	int end = 0;

	if (sscanf(scope, "machine-qemu-%*u-%n", &end) != EOF && end)
		return scope + end;
	if (!strncmp(scope, "machine-", strlen("machine-")))
		return scope + strlen("machine-");
	return proxmox ? scope : NULL;
}

const char *kvmstats_cgroup_parse(char *text, const char **guest)
{
	bool proxmox = strstr(text, "/qemu.slice/");
	char *path = text, *part, *last = NULL;

	*guest = NULL;
	/* The first hierarchy in which the process is not in the root */
	while ((path = strstr(path, ":/")) && (!path[2] || path[2] == '\n'))
		path += 2;
	if (!path)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	for (part = strtok_r(path + 1, "/", &path); part; part = strtok_r(NULL, "/", &path)) {
		if (strcmp(part, "..") && (!last || !ends_with(last, ".scope")))
			last = part;
	}
	if (!last || (!ends_with(last, ".scope") && !ends_with(last, ".service")))
		return last;
	decode_unit(last);
	*guest = guest_of_scope(last, proxmox);
	return last;
}

/* ---- threads ---- */

int kvmstats_vcpu_of_name(const char *name)
{
	const char *vcpu = strstr(name, "vcpu");
	int number, end = 0;

	if (sscanf(name, "CPU %6d/KVM%n", &number, &end) == 1 && end)
		return number;
	if (!vcpu)
		return -1;
	vcpu += strlen("vcpu");
	vcpu += strspn(vcpu, " -_/");
	return sscanf(vcpu, "%6d%n", &number, &end) == 1 && !vcpu[end] ? number : -1;
}

void kvmstats_guest_free(struct kvmstats_guest *guest)
{
	free(guest->name);
	free(guest->uuid);
	*guest = (struct kvmstats_guest){ 0 };
}
