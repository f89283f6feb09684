/* SPDX-License-Identifier: GPL-2.0-only */
/* The statistics of this process's vCPUs in the host file, see kvm-stats-host-file(5). */
#ifndef GUEST_HOST_STATS_H
#define GUEST_HOST_STATS_H

#include <stdbool.h>

#include "kvm_stats_file.h"

/* Whether the host file is published, and counts exits. */
bool host_file_has_exits(void);

/*
 * Fills @stats with the statistics of a vCPU in the host file, in the form of KVM's own file.
 * The vCPU is that of this thread if it has one, otherwise one in the newest VM of this process.
 */
void host_file_read(struct stats_file *stats);

#endif /* GUEST_HOST_STATS_H */
