/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of VMMs that a monitor watches. */
#ifndef MONITOR_VMMS_H
#define MONITOR_VMMS_H

#include "monitor/state.h"

/* Returns NULL if the VMM is not in the table. */
struct vmm *monitor_find_vmm(const struct monitor *monitor, pid_t pid);

/* Starts to watch the VMM. Owns @kvm from now on, also on failure. Returns 0 or -errno. */
int monitor_add_vmm(struct monitor *monitor, struct kvmstats_vmm *kvm);

/* Adds an entry for the tracepoints of the whole machine. Returns 0 or -ENOMEM. */
int monitor_add_host(struct monitor *monitor);

/* @err says why the VMM is no longer watched: -ESRCH or -ENODEV. */
void monitor_remove_vmm(struct monitor *monitor, size_t index, int err);

/* Removes the VMMs whose processes have ended. Returns 0 or -errno. */
int monitor_remove_ended(struct monitor *monitor);

void monitor_free_vmms(struct monitor *monitor);

#endif /* MONITOR_VMMS_H */
