/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the sources of statistics, and attaches them to VMMs. */
#ifndef MONITOR_ATTACH_H
#define MONITOR_ATTACH_H

#include <stdbool.h>

#include "monitor/state.h"

/* Whether the user selected one of @sources. */
bool monitor_uses(const struct monitor *monitor, enum sources sources);

/* Whether statistics fds are used: the user selected them, or no source. */
bool monitor_uses_fds(const struct monitor *monitor);

/* Returns 0, or -errno if a source that the user selected is unusable. */
int monitor_open_sources(struct monitor *monitor);
void monitor_close_sources(struct monitor *monitor);

/* Asks the sources for the targets of @vmm again. Returns whether the targets changed. */
bool monitor_attach_sources(struct monitor *monitor, struct vmm *vmm);

/* Prepares the sources for the next call of targets_read(). */
void monitor_sample_sources(struct monitor *monitor);

#endif /* MONITOR_ATTACH_H */
