// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "util.h"
#include "monitor/attach.h"
#include "source/sources.h"

static const struct {
	const struct source *source;
	enum sources bit;	/* 0: the filter selects the source */
} all_sources[] = {
	{ &source_fd, SOURCES_FD },
	{ &source_qmp, 0 },
	{ &source_debugfs, SOURCES_DEBUGFS },
	{ &source_tracepoints, SOURCES_TRACEPOINTS },
};

bool monitor_uses(const struct monitor *monitor, enum sources sources)
{
	return monitor->options.sources & sources;
}

bool monitor_uses_fds(const struct monitor *monitor)
{
	return monitor->options.sources == SOURCES_AUTO || monitor_uses(monitor, SOURCES_FD);
}

static bool is_selected(const struct monitor *monitor, size_t i)
{
	if (all_sources[i].bit)
		return monitor_uses(monitor, all_sources[i].bit);
	return monitor->options.filter->qmp && monitor_uses_fds(monitor);
}

int monitor_open_sources(struct monitor *monitor)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(all_sources); i++) {
		const struct source *source = all_sources[i].source;

		if (!source->open || !is_selected(monitor, i))
			continue;
		err = source->open(&monitor->context);
		if (err)
			return err;
	}
	return 0;
}

void monitor_close_sources(struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_sources); i++) {
		if (all_sources[i].source->close)
			all_sources[i].source->close(&monitor->context);
	}
}

void monitor_sample_sources(struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_sources); i++) {
		if (all_sources[i].source->sample)
			all_sources[i].source->sample(&monitor->context);
	}
}

/* Whether the VM's own statistics are missing, while those of vCPUs may not be. */
static bool misses_vm(const struct vmm *vmm)
{
	size_t i;

	for (i = 0; vmm->watch && i < kvmstats_watch_readers(vmm->watch); i++) {
		const struct kvmstats_reader *reader = kvmstats_watch_reader(vmm->watch, i);

		if (vmm_reader_error(vmm, reader) &&
		    kvmstats_target_kind(kvmstats_reader_target(reader)) == KVMSTATS_KIND_VM)
			return true;
	}
	return false;
}

/* If the kernel is locked down, debugfs has only some of the statistics. */
static int attach_vm_values(struct monitor *monitor, struct vmm *vmm)
{
	int err = source_debugfs_vm.attach(&monitor->context, vmm);

	return misses_vm(vmm) ? 0 : err;
}

/*
 * If no fd can be opened, debugfs has the sums over the vCPUs. If only the VM's fd cannot be
 * opened, debugfs has the statistics of the VM; without them, the others are still useful.
 */
static void attach_debugfs(struct monitor *monitor, struct vmm *vmm)
{
	bool automatic = monitor->options.sources == SOURCES_AUTO;

	vmm->debugfs_error = 0;
	if (monitor_uses(monitor, SOURCES_DEBUGFS) ||
	    (automatic && vmm->fd_error && !vmm->list.count))
		vmm->debugfs_error = source_debugfs.attach(&monitor->context, vmm);
	else if (automatic && vmm->fd_error && misses_vm(vmm))
		vmm->debugfs_error = attach_vm_values(monitor, vmm);
}

static void attach_each(struct monitor *monitor, struct vmm *vmm)
{
	int err = 0;

	if (vmm->kvm && monitor_uses_fds(monitor))
		err = source_fd.attach(&monitor->context, vmm);
	vmm->fd_error = err;
	vmm->qmp_error = err ? source_qmp.attach(&monitor->context, vmm) : 0;
	attach_debugfs(monitor, vmm);
	vmm_count_missing(vmm);
	if (err == -ENOMEM)
		vmm->fd_error = err;
	vmm->tracepoints_error = 0;
	if (monitor_uses(monitor, SOURCES_TRACEPOINTS))
		vmm->tracepoints_error = source_tracepoints.attach(&monitor->context, vmm);
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
