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

/* Statistics need not be opened. */
static int select_none(const struct kvmstats_target *target, void *arg)
{
	(void)target;
	(void)arg;
	return 0;
}

/* The monitor finds what kvm-stats has the rights for, as in all commands. */
static int search(struct kvmstats_monitor **monitor, const pid_t *pid, size_t pids)
{
	const struct kvmstats_monitor_options options = {
		.size = sizeof(options), .pid = pid, .pids = pids, .selects_target = select_none,
	};
	int err = kvmstats_monitor_open(monitor, &options);

	return err ? err : kvmstats_monitor_refresh(*monitor);
}

bool guests_find(struct guests *guests)
{
	const struct kvmstats_watch *watch;
	struct kvmstats_monitor *monitor;
	int err = search(&monitor, NULL, 0);
	size_t i;

	guests_free(guests);
	for (i = 0; !err && (watch = kvmstats_monitor_watch(monitor, i)); i++)
		err = add(guests, kvmstats_watch_vmm(watch));
	kvmstats_monitor_close(monitor);
	return err != -ENOMEM;
}

int guests_check(pid_t pid)
{
	struct kvmstats_monitor *monitor;
	int err = search(&monitor, &pid, 1);

	if (!err)
		err = kvmstats_monitor_pid_error(monitor, pid);
	kvmstats_monitor_close(monitor);
	return err;
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
