/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of VMMs that a monitor watches. */
#ifndef MONITOR_VMMS_H
#define MONITOR_VMMS_H

#include "monitor/state.h"

/* Adds a VMM, or with NULL an entry for the tracepoints of the whole machine. */
int monitor_add_vmm(struct monitor *monitor, const struct kvmstats_watch *watch);

/* The library has scanned the VMM again. */
void monitor_update_vmm(struct monitor *monitor, const struct kvmstats_watch *watch);

/* The VMM has ended. */
void monitor_remove_vmm(struct monitor *monitor, const struct kvmstats_watch *watch);

void monitor_free_vmms(struct monitor *monitor);

#endif /* MONITOR_VMMS_H */
