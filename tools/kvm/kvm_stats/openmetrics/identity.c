// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/identity.h"
#include "openmetrics/label.h"
#include "openmetrics/libvirt.h"
#include "proc/file.h"

static void free_identity(struct identity *identity)
{
	free(identity->guest);
	free(identity->uuid);
}

/* ---- find ---- */

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

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
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

static struct identity *find_known(const struct identities *known, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < known->count; i++) {
		struct identity *identity = &known->identity[i];

		if (identity->guest && identity->key == vmm_key(vmm) &&
		    identity->watch == vmm->watch)
			return identity;
	}
	return NULL;
}

static int read_identity(const struct identities *identities, const struct vmm *vmm,
			 struct identity *identity)
{
	char *guest = vmm->guest && *vmm->guest ? strdup(vmm->guest) : NULL;
	char *uuid = vmm->uuid ? strdup(vmm->uuid) : NULL;

	if (!uuid && vmm->pid)
		libvirt_find(identities->libvirt, vmm->pid, guest ? NULL : &guest, &uuid);
	identity->named = guest;
	if (!guest && vmm->pid)
		guest = cgroup_of(vmm->pid);
	identity->guest = guest ? guest : strdup("");
	identity->uuid = uuid ? uuid : strdup("");
	return identity->guest && identity->uuid ? 0 : -ENOMEM;
}

/* Moves the strings of an identity that is known. */
static int set_identity(struct identities *known, const struct vmm *vmm,
			struct identity *identity)
{
	struct identity *same = find_known(known, vmm);
	int err = 0;

	if (same) {
		*identity = *same;
		*same = (struct identity){ 0 };
	} else {
		err = read_identity(known, vmm, identity);
	}
	identity->vmm = vmm;
	identity->watch = vmm->watch;
	identity->key = vmm_key(vmm);
	identity->pid = vmm->pid;
	identity->ambiguous = false;
	return err;
}

/* ---- ambiguous identities ---- */

static bool same_labels(const struct identity *a, const struct identity *b)
{
	return !strcmp(a->uuid, b->uuid) && !strcmp(a->guest, b->guest);
}

static void mark_ambiguous(struct identities *identities)
{
	size_t i, j;

	for (i = 0; i < identities->count; i++) {
		struct identity *a = &identities->identity[i];

		a->ambiguous |= !a->named && !*a->guest && !*a->uuid;
		for (j = i + 1; j < identities->count; j++) {
			if (!same_labels(a, &identities->identity[j]))
				continue;
			a->ambiguous = true;
			identities->identity[j].ambiguous = true;
		}
	}
}

/* ---- all VMMs ---- */

void identities_free(struct identities *identities)
{
	while (identities->count)
		free_identity(&identities->identity[--identities->count]);
	free(identities->identity);
	identities->identity = NULL;
}

int identities_update(struct identities *identities, const struct monitor *monitor)
{
	struct identities next = *identities;
	int err = 0;
	size_t i;

	next.count = 0;
	next.identity = calloc(monitor->vmms + 1, sizeof(*next.identity));
	if (!next.identity)
		return -ENOMEM;
	for (i = 0; !err && i < monitor->vmms; i++)
		err = set_identity(identities, monitor->vmm[i], &next.identity[next.count++]);
	identities_free(identities);
	*identities = next;
	if (err)
		identities_free(identities);
	else
		mark_ambiguous(identities);
	return err;
}

void put_guest(struct text *text, const struct identity *identity)
{
	char guest[24];

	snprintf(guest, sizeof(guest), "pid %d", (int)identity->pid);
	put_label(text, "guest",
		  identity->ambiguous && !identity->named ? guest : identity->guest);
	put_label(text, "uuid", identity->uuid);
}

void put_guest_labels(struct text *text, const struct identity *identity)
{
	char pid[16];

	put_guest(text, identity);
	if (!identity->ambiguous || !identity->named || !identity->pid)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)identity->pid);
	put_label(text, "pid", pid);
}
