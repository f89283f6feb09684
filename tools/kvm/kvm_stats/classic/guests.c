// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classic/guests.h"
#include "kvmstats.h"

static int add(struct guests *guests, const struct kvmstats_vmm *vmm)
{
	const char *name = kvmstats_vmm_guest(vmm);
	struct guest *more;

	more = realloc(guests->guest, (guests->guests + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	guests->guest = more;
	more += guests->guests++;
	more->pid = kvmstats_vmm_pid(vmm);
	more->named = name;
	snprintf(more->name, sizeof(more->name), "%s", name ? name : kvmstats_vmm_comm(vmm));
	return 0;
}

static int add_vmm(pid_t pid, int err, void *arg)
{
	struct kvmstats_vmm *vmm;

	if (err || kvmstats_vmm_open(&vmm, pid))
		return 0;
	err = add(arg, vmm);
	kvmstats_vmm_close(vmm);
	return err;
}

bool guests_find(struct guests *guests)
{
	guests_free(guests);
	return kvmstats_vmm_find(add_vmm, guests) != -ENOMEM;
}

bool guests_have(const struct guests *guests, const char *name)
{
	size_t i;

	for (i = 0; i < guests->guests; i++) {
		if (guests->guest[i].named && !strcmp(guests->guest[i].name, name))
			return true;
	}
	return false;
}

void guests_free(struct guests *guests)
{
	free(guests->guest);
	*guests = (struct guests){ 0 };
}
