// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/identity.h"
#include "openmetrics/label.h"
#include "openmetrics/libvirt.h"

static void free_identity(struct identity *identity)
{
	free(identity->guest);
	free(identity->uuid);
}

/* ---- find ---- */

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
	char *guest = vmm->guest ? strdup(vmm->guest) : NULL;
	char *uuid = vmm->uuid ? strdup(vmm->uuid) : NULL;

	if (!uuid && vmm->pid)
		libvirt_find(identities->libvirt, vmm->pid, guest ? NULL : &guest, &uuid);
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

		a->ambiguous |= !*a->guest && !*a->uuid;
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

void put_guest_labels(struct text *text, const struct identity *identity)
{
	char pid[16];

	put_label(text, "guest", identity->guest);
	put_label(text, "uuid", identity->uuid);
	if (!identity->ambiguous || !identity->pid)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)identity->pid);
	put_label(text, "pid", pid);
}
