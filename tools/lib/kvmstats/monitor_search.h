/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Finds VMMs that the monitor does not watch yet. */
#ifndef KVMSTATS_MONITOR_SEARCH_H
#define KVMSTATS_MONITOR_SEARCH_H

#include "monitor_state.h"

/* Searches if it is time to. @now is in ns of CLOCK_MONOTONIC. */
void kvmstats_search(struct kvmstats_monitor *monitor, uint64_t now);

#endif /* KVMSTATS_MONITOR_SEARCH_H */
