// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "monitor/attach.h"
#include "sources/debugfs.h"
#include "sources/fd.h"
#include "sources/tracepoints.h"

/* In the order of the bits of enum sources. */
static const struct source * const all_sources[] = {
	&source_fd, &source_debugfs, &source_tracepoints,
};

bool monitor_uses(const struct monitor *monitor, enum sources sources)
{
	return monitor->options.sources & sources;
}

bool monitor_uses_fds(const struct monitor *monitor)
{
	return monitor->options.sources == SOURCES_AUTO || monitor_uses(monitor, SOURCES_FD);
}

int monitor_open_sources(struct monitor *monitor)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(all_sources); i++) {
		const struct source *source = all_sources[i];

		if (!source->open || !monitor_uses(monitor, 1 << i))
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
		if (all_sources[i]->close)
			all_sources[i]->close(&monitor->context);
	}
}

static void attach_each(struct monitor *monitor, struct vmm *vmm)
{
	bool automatic = monitor->options.sources == SOURCES_AUTO;

	vmm->missing = 0;
	vmm->missing_vcpus = 0;
	vmm->fd_error = 0;
	vmm->debugfs_error = 0;
	vmm->tracepoints_error = 0;
	if (vmm->kvm && monitor_uses_fds(monitor))
		vmm->fd_error = source_fd.attach(&monitor->context, vmm);
	if (monitor_uses(monitor, SOURCES_DEBUGFS) ||
	    (automatic && vmm->fd_error && !vmm->list.count))
		vmm->debugfs_error = source_debugfs.attach(&monitor->context, vmm);
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
