// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/names.h"
#include "util.h"

/* ---- cgroups ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

/* Removes what systemd adds: "machine-qemu\x2dweb.scope" is "machine-qemu-web". */
static void name_of_unit(char *unit)
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

/* Returns the systemd scope of the process, or else its innermost cgroup, or NULL. */
static char *cgroup_of(pid_t pid)
{
	char text[4096], *path = text, *part, *last = NULL;

	if (!proc_read(text, sizeof(text), "%d/cgroup", (int)pid))
		return NULL;
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
	if (last && (ends_with(last, ".scope") || ends_with(last, ".service")))
		name_of_unit(last);
	return last ? strdup(last) : NULL;
}

/* ---- states ---- */

/*
 * The other threads are not examined, because a host has thousands. While the main thread of QEMU
 * does not run, it answers no requests, and handles no I/O of its guest.
 */
enum vmm_state vmm_state_of(pid_t pid)
{
	char text[512], *end = NULL;

	if (pid && proc_read(text, sizeof(text), "%d/stat", (int)pid))
		end = strrchr(text, ')');
	switch (end && end[1] ? end[2] : '\0') {
	case '\0':
		return VMM_UNKNOWN;
	case 'T':
	case 't':
		return VMM_STOPPED;
	case 'D':
		return VMM_BLOCKED;
	default:
		return VMM_RUNS;
	}
}

/* ---- all guests ---- */

static struct guest *find_known(const struct guest_names *known, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < known->count; i++) {
		struct guest *guest = &known->guest[i];

		if (guest->name && guest->key == vmm_key(vmm) && guest->watch == vmm->watch)
			return guest;
	}
	return NULL;
}

static int read_names(struct guest *guest, const struct vmm *vmm)
{
	char *name = vmm->guest && *vmm->guest ? strdup(vmm->guest) : NULL;
	char *uuid = vmm->uuid ? strdup(vmm->uuid) : NULL;

	guest->named = name;
	if (!name && vmm->pid)
		name = cgroup_of(vmm->pid);
	guest->name = name ? name : strdup("");
	guest->uuid = uuid ? uuid : strdup("");
	return guest->name && guest->uuid ? 0 : -ENOMEM;
}

/* Moves the names of a guest that is known. */
static int set_guest(struct guest *guest, struct guest_names *known, const struct vmm *vmm)
{
	struct guest *same = find_known(known, vmm);
	int err = 0;

	if (same) {
		*guest = *same;
		*same = (struct guest){ 0 };
	} else {
		err = read_names(guest, vmm);
	}
	guest->vmm = vmm;
	guest->watch = vmm->watch;
	guest->key = vmm_key(vmm);
	guest->ambiguous = false;
	return err;
}

static void mark_ambiguous(struct guest_names *guests)
{
	size_t i, j;

	for (i = 0; i < guests->count; i++) {
		struct guest *a = &guests->guest[i];

		a->ambiguous |= !a->named && !*a->name && !*a->uuid;
		for (j = i + 1; j < guests->count; j++) {
			struct guest *b = &guests->guest[j];

			if (strcmp(a->uuid, b->uuid) || strcmp(a->name, b->name))
				continue;
			a->ambiguous = true;
			b->ambiguous = true;
		}
	}
}

void guest_names_free(struct guest_names *guests)
{
	while (guests->count) {
		struct guest *guest = &guests->guest[--guests->count];

		free(guest->name);
		free(guest->uuid);
	}
	free(guests->guest);
	guests->guest = NULL;
}

int guest_names_update(struct guest_names *guests, const struct monitor *monitor)
{
	struct guest_names next = { .guest = calloc(monitor->vmms + 1, sizeof(*next.guest)) };
	int err = next.guest ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < monitor->vmms; i++)
		err = set_guest(&next.guest[next.count++], guests, monitor->vmm[i]);
	if (err) {
		guest_names_free(&next);
		return err;
	}
	guest_names_free(guests);
	*guests = next;
	mark_ambiguous(guests);
	return 0;
}

/* ---- labels ---- */

void put_label(struct text *text, const char *name, const char *value)
{
	uint32_t character;
	size_t len;

	if (text->size && text->data[text->size - 1] == '"')
		text_puts(text, ",");
	text_puts(text, name);
	text_puts(text, "=\"");
	for (; *value; value += len ? len : 1) {
		len = utf8_decode(value, &character);
		if (!len)
			text_puts(text, "\xef\xbf\xbd");
		else if (*value == '\n')
			text_puts(text, "\\n");
		else if (*value == '"' || *value == '\\')
			text_printf(text, "\\%c", *value);
		else
			text_add(text, value, len);
	}
	text_puts(text, "\"");
}

void put_number_label(struct text *text, const char *name, int number)
{
	char value[16];

	snprintf(value, sizeof(value), "%d", number);
	put_label(text, name, value);
}

void put_guest(struct text *text, const struct guest *guest)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "pid %d", (int)guest->vmm->pid);
	put_label(text, "guest", guest->ambiguous && !guest->named ? pid : guest->name);
	put_label(text, "uuid", guest->uuid);
}

void put_guest_labels(struct text *text, const struct guest *guest)
{
	put_guest(text, guest);
	if (guest->ambiguous && guest->named && guest->vmm->pid)
		put_number_label(text, "pid", (int)guest->vmm->pid);
}
