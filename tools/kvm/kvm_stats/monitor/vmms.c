// SPDX-License-Identifier: GPL-2.0-only
/* The table of VMMs: adds and removes them, and attaches sources. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "monitor/state.h"
#include "targets/target.h"

void monitor_emit(const struct monitor *monitor, enum monitor_event event, const struct vmm *vmm)
{
	if (monitor->options.event)
		monitor->options.event(event, vmm, monitor->options.arg);
}

/* ---- sources ---- */

bool monitor_uses(const struct monitor *monitor, enum sources sources)
{
	return monitor->options.sources & sources;
}

static void attach_each(struct monitor *monitor, struct vmm *vmm)
{
	bool automatic = monitor->options.sources == SOURCES_AUTO;

	vmm->missing = 0;
	vmm->fd_error = 0;
	vmm->debugfs_error = 0;
	vmm->tracepoints_error = 0;
	if (vmm->kvm && (automatic || monitor_uses(monitor, SOURCES_FD)))
		vmm->fd_error = source_fd.attach(monitor, vmm);
	if (monitor_uses(monitor, SOURCES_DEBUGFS) ||
	    (automatic && vmm->fd_error && !vmm->state->list.count))
		vmm->debugfs_error = source_debugfs.attach(monitor, vmm);
	if (monitor_uses(monitor, SOURCES_TRACEPOINTS))
		vmm->tracepoints_error = source_tracepoints.attach(monitor, vmm);
}

bool monitor_attach_sources(struct monitor *monitor, struct vmm *vmm)
{
	bool changed;

	targets_begin(vmm);
	attach_each(monitor, vmm);
	changed = targets_end(vmm);
	if (changed)
		monitor->generation++;
	return changed;
}

/* ---- one VMM ---- */

void vmm_count(struct vmm *vmm)
{
	vmm->vms = kvmstats_vmm_vms(vmm->kvm);
	vmm->vcpus = kvmstats_vmm_vcpus(vmm->kvm);
}

void vmm_free(struct vmm *vmm)
{
	if (vmm->state) {
		targets_drop(vmm);
		free(vmm->state->list.target);
		free(vmm->state->old.target);
	}
	/* Closing the pidfd also removes it from the epoll set. */
	kvmstats_vmm_close(vmm->kvm);
	free(vmm->state);
	free(vmm);
}

struct vmm *vmm_new(void)
{
	struct vmm *vmm = calloc(1, sizeof(*vmm));

	if (!vmm)
		return NULL;
	vmm->state = calloc(1, sizeof(*vmm->state));
	if (!vmm->state) {
		free(vmm);
		return NULL;
	}
	return vmm;
}

/* ---- the table ---- */

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

int monitor_insert_vmm(struct monitor *monitor, struct vmm *vmm)
{
	size_t index = index_of(monitor, vmm->pid);

	if (monitor->vmms == monitor->state->capacity) {
		size_t capacity = monitor->vmms ? monitor->vmms * 2 : 16;
		struct vmm **more = realloc(monitor->vmm, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		monitor->vmm = more;
		monitor->state->capacity = capacity;
	}
	memmove(&monitor->vmm[index + 1], &monitor->vmm[index],
		(monitor->vmms - index) * sizeof(*monitor->vmm));
	monitor->vmm[index] = vmm;
	monitor->vmms++;
	monitor->generation++;
	return 0;
}

static struct named_process *find_named(const struct monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		if (monitor->named[i].pid == pid)
			return &monitor->named[i];
	}
	return NULL;
}

void monitor_remove_vmm(struct monitor *monitor, size_t index, int err)
{
	struct vmm *vmm = monitor->vmm[index];
	struct named_process *named = find_named(monitor, vmm->pid);

	monitor_emit(monitor, MONITOR_ENDED, vmm);
	memmove(&monitor->vmm[index], &monitor->vmm[index + 1],
		(monitor->vmms - index - 1) * sizeof(*monitor->vmm));
	monitor->vmms--;
	monitor->generation++;
	if (named) {
		named->err = err;
		named->ended = err == -ESRCH;
	}
	processes_forget(&monitor->state->processes, vmm->pid);
	vmm_free(vmm);
}

static int watch_pidfd(struct monitor *monitor, struct vmm *vmm)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = vmm };
	int pidfd = kvmstats_vmm_pidfd(vmm->kvm);

	return epoll_ctl(monitor->state->epoll, EPOLL_CTL_ADD, pidfd, &event) ? -errno : 0;
}

int monitor_add_vmm(struct monitor *monitor, struct kvmstats_vmm *kvm)
{
	struct vmm *vmm = vmm_new();
	int err;

	if (!vmm) {
		kvmstats_vmm_close(kvm);
		return -ENOMEM;
	}
	vmm->kvm = kvm;
	vmm->pid = kvmstats_vmm_pid(kvm);
	vmm->comm = kvmstats_vmm_comm(kvm);
	vmm->guest = kvmstats_vmm_guest(kvm);
	monitor_schedule_scan(vmm, monitor_now());
	vmm_count(vmm);
	err = watch_pidfd(monitor, vmm);
	if (!err)
		err = monitor_insert_vmm(monitor, vmm);
	if (err) {
		vmm_free(vmm);
		return err;
	}
	monitor_attach_sources(monitor, vmm);
	monitor_emit(monitor, MONITOR_APPEARED, vmm);
	return 0;
}
