/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on why a source has no statistics, and what the user can do. */
#ifndef MESSAGES_SOURCES_H
#define MESSAGES_SOURCES_H

#include "targets/vmm.h"

/* Prints a message for each source that failed for @vmm. */
void explain_sources(const struct vmm *vmm);

/* Print why debugfs has no statistics of @vmm, and what the user can do about the error @err. */
void report_debugfs(const struct vmm *vmm);
void suggest_debugfs(int err);

/* Prints why tracepoints cannot be counted, and what the user can do. @err is -errno. */
void explain_tracepoints(int err);

#endif /* MESSAGES_SOURCES_H */
