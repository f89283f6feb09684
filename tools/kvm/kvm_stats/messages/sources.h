/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on why a source has no statistics, and what the user can do. */
#ifndef MESSAGES_SOURCES_H
#define MESSAGES_SOURCES_H

#include <stddef.h>

#include "targets/vmm.h"

/* Prints a message for each source that failed for @vmm. */
void explain_sources(const struct vmm *vmm);

/* Returns the meaning of an error of debugfs. @err is -errno. */
const char *debugfs_reason(int err, char *buf, size_t size);

/* Prints what the user can do about it. */
void suggest_debugfs(int err);

/* Prints why tracepoints cannot be counted, and what the user can do. @err is -errno. */
void explain_tracepoints(int err);

#endif /* MESSAGES_SOURCES_H */
