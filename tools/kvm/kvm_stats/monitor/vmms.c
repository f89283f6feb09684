// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "monitor/attach.h"
#include "monitor/vmms.h"

/* The index at which the VMM with this key is, or has to be inserted. */
static size_t index_of(const struct monitor *monitor, uint64_t key)
{
	size_t low = 0, high = monitor->vmms;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (vmm_key(monitor->vmm[middle]) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct monitor *monitor, struct vmm *vmm)
{
	size_t index = index_of(monitor, vmm_key(vmm));
	struct vmm **more;

	more = array_grow(monitor->vmm, monitor->vmms, &monitor->capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	monitor->vmm = more;
	memmove(&monitor->vmm[index + 1], &monitor->vmm[index],
		(monitor->vmms - index) * sizeof(*monitor->vmm));
	monitor->vmm[index] = vmm;
	monitor->vmms++;
	monitor->generation++;
	return 0;
}

int monitor_add_vmm(struct monitor *monitor, const struct kvmstats_watch *watch)
{
	struct vmm *vmm = vmm_new(watch);

	if (!vmm)
		return -ENOMEM;
	if (!watch)
		vmm->comm = "host";
	if (insert(monitor, vmm)) {
		vmm_free(vmm);
		return -ENOMEM;
	}
	monitor_attach_sources(monitor, vmm);
	if (watch)
		monitor_emit(monitor, MONITOR_APPEARED, vmm);
	return 0;
}

/* Returns monitor->vmms if the VMM is not in the table. */
static size_t find(const struct monitor *monitor, const struct kvmstats_watch *watch)
{
	size_t index = 0;

	while (index < monitor->vmms && monitor->vmm[index]->watch != watch)
		index++;
	return index;
}

void monitor_update_vmm(struct monitor *monitor, const struct kvmstats_watch *watch)
{
	size_t index = find(monitor, watch);
	struct vmm *vmm;

	if (index == monitor->vmms)
		return;
	vmm = monitor->vmm[index];
	vmm_count(vmm);
	if (monitor_attach_sources(monitor, vmm))
		monitor_emit(monitor, MONITOR_CHANGED, vmm);
}

void monitor_remove_vmm(struct monitor *monitor, const struct kvmstats_watch *watch)
{
	size_t index = find(monitor, watch);
	struct vmm *vmm;

	if (index == monitor->vmms)
		return;
	vmm = monitor->vmm[index];
	monitor_emit(monitor, MONITOR_ENDED, vmm);
	monitor->vmms--;
	memmove(&monitor->vmm[index], &monitor->vmm[index + 1],
		(monitor->vmms - index) * sizeof(*monitor->vmm));
	monitor->generation++;
	vmm_free(vmm);
}

void monitor_free_vmms(struct monitor *monitor)
{
	while (monitor->vmms)
		vmm_free(monitor->vmm[--monitor->vmms]);
	free(monitor->vmm);
}
