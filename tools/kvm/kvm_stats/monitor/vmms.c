// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/array.h"
#include "monitor/attach.h"
#include "monitor/schedule.h"
#include "monitor/vmms.h"

/* The index at which the VMM with this PID is, or has to be inserted. */
static size_t index_of(const struct monitor *monitor, pid_t pid)
{
	size_t low = 0, high = monitor->vmms;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (monitor->vmm[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct vmm *monitor_find_vmm(const struct monitor *monitor, pid_t pid)
{
	size_t index = index_of(monitor, pid);

	if (index == monitor->vmms || monitor->vmm[index]->pid != pid)
		return NULL;
	return monitor->vmm[index];
}

static int insert(struct monitor *monitor, struct vmm *vmm)
{
	size_t index = index_of(monitor, vmm->pid);
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

static int watch_pidfd(struct monitor *monitor, struct vmm *vmm)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = vmm };
	int pidfd = kvmstats_vmm_pidfd(vmm->kvm);

	return epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, pidfd, &event) ? -errno : 0;
}

int monitor_add_vmm(struct monitor *monitor, struct kvmstats_vmm *kvm)
{
	struct vmm *vmm = vmm_new(kvm);
	int err;

	if (!vmm)
		return -ENOMEM;
	schedule_scan(vmm, clock_now());
	err = watch_pidfd(monitor, vmm);
	if (!err)
		err = insert(monitor, vmm);
	if (err) {
		vmm_free(vmm);
		return err;
	}
	monitor_attach_sources(monitor, vmm);
	monitor_emit(monitor, MONITOR_APPEARED, vmm);
	return 0;
}

int monitor_add_host(struct monitor *monitor)
{
	struct vmm *vmm = vmm_new(NULL);

	if (!vmm)
		return -ENOMEM;
	vmm->comm = "host";
	if (insert(monitor, vmm)) {
		vmm_free(vmm);
		return -ENOMEM;
	}
	monitor_attach_sources(monitor, vmm);
	return 0;
}

/* Closing the pidfd of @vmm also removes it from the epoll set. */
void monitor_remove_vmm(struct monitor *monitor, size_t index, int err)
{
	struct vmm *vmm = monitor->vmm[index];
	struct named_process *named = named_find(&monitor->named, vmm->pid);

	monitor_emit(monitor, MONITOR_ENDED, vmm);
	memmove(&monitor->vmm[index], &monitor->vmm[index + 1],
		(monitor->vmms - index - 1) * sizeof(*monitor->vmm));
	monitor->vmms--;
	monitor->generation++;
	if (named) {
		named->err = err;
		named->ended = err == -ESRCH;
	}
	processes_forget(&monitor->processes, vmm->pid);
	vmm_free(vmm);
}

static void remove_ended(struct monitor *monitor, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i] == vmm) {
			monitor_remove_vmm(monitor, i, -ESRCH);
			return;
		}
	}
}

int monitor_remove_ended(struct monitor *monitor)
{
	struct epoll_event event[64];
	int n, i;

	do {
		n = epoll_wait(monitor->epoll, event, 64, 0);
		for (i = 0; i < n; i++)
			remove_ended(monitor, event[i].data.ptr);
	} while (n == 64);
	return n < 0 ? -errno : 0;
}

void monitor_free_vmms(struct monitor *monitor)
{
	while (monitor->vmms)
		vmm_free(monitor->vmm[--monitor->vmms]);
	free(monitor->vmm);
}
