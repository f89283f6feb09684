/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* A VMM that a monitor watches, and the readers of its VMs and vCPUs. */
#ifndef KVMSTATS_WATCH_H
#define KVMSTATS_WATCH_H

#include "internal.h"
#include "reader.h"

struct kvmstats_watch {
	struct kvmstats_vmm *vmm;
	struct kvmstats_reader **reader;	/* in the order of the targets of @vmm */
	size_t readers;
	/* In ns of CLOCK_MONOTONIC: */
	uint64_t next_check;
	uint64_t next_scan;
};

/* Owns @vmm, also on failure. Returns NULL if memory is exhausted. */
struct kvmstats_watch *kvmstats_watch_new(struct kvmstats_vmm *vmm);
void kvmstats_watch_free(struct kvmstats_watch *watch);

/*
 * Opens the statistics of the VMM's current targets, and closes those of targets that are gone.
 * Returns 1 if a reader was added or removed, became readable or unreadable, or has another
 * schema now. Returns 0 if nothing has changed, or -ENOMEM.
 */
int kvmstats_watch_attach(struct kvmstats_watch *watch,
			  const struct kvmstats_monitor_options *options,
			  struct kvmstats_schemas *schemas);

/*
 * Reads a sample of each reader. Returns 1 if the VMM must be scanned again: a reader failed, or
 * a file has another number of vCPUs than before. Otherwise returns 0.
 */
int kvmstats_watch_sample(struct kvmstats_watch *watch);

#endif /* KVMSTATS_WATCH_H */
