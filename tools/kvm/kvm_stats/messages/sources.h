/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on why a source has no statistics, and what the user can do. */
#ifndef MESSAGES_SOURCES_H
#define MESSAGES_SOURCES_H

#include "targets/vmm.h"

/* Prints a message for each source that failed for @vmm. */
void explain_sources(const struct vmm *vmm);

/* The same for debugfs only, and for the error @err (-errno) of tracepoints. */
void explain_debugfs(const struct vmm *vmm);
void explain_tracepoints(int err);

#endif /* MESSAGES_SOURCES_H */
