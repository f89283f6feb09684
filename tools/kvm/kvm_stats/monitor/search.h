/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds VMMs that the monitor does not watch yet. */
#ifndef MONITOR_SEARCH_H
#define MONITOR_SEARCH_H

#include "monitor/state.h"

/* Searches if it is time to. @now is in ns of CLOCK_MONOTONIC. */
void monitor_search(struct monitor *monitor, uint64_t now);

#endif /* MONITOR_SEARCH_H */
