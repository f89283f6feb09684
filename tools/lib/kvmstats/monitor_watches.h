/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* The table of VMMs that a monitor watches. */
#ifndef KVMSTATS_MONITOR_WATCHES_H
#define KVMSTATS_MONITOR_WATCHES_H

#include "monitor_state.h"

/* Returns NULL if the VMM is not in the table. */
struct kvmstats_watch *kvmstats_watches_find(const struct kvmstats_monitor *monitor, pid_t pid);

/* Starts to watch the VMM. Owns @vmm from now on, also on failure. Returns 0 or -errno. */
int kvmstats_watches_add(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm);

/* kvmstats_watch_attach(), and waits for the end of each VM. */
int kvmstats_watches_attach(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch);

/* @err says why the VMM is no longer watched: -ESRCH or -ENODEV. */
void kvmstats_watches_remove(struct kvmstats_monitor *monitor, size_t index, int err);

/*
 * Removes the VMMs whose processes have ended, and closes the files of VMs that have ended. Returns
 * 0 or -errno.
 */
int kvmstats_watches_remove_ended(struct kvmstats_monitor *monitor);

void kvmstats_watches_free(struct kvmstats_monitor *monitor);

/* Returns NULL if the caller did not select this process by its PID. */
struct named_process *kvmstats_named_find(const struct kvmstats_monitor *monitor, pid_t pid);

#endif /* KVMSTATS_MONITOR_WATCHES_H */
