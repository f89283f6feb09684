/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on why statistics cannot be read, and what the user can do. */
#ifndef MESSAGES_EXPLAIN_H
#define MESSAGES_EXPLAIN_H

#include <stddef.h>
#include <sys/types.h>

struct monitor;
struct vmm;

/*
 * Prints why the statistics of process @pid cannot be opened: @err (-errno). @label is the label
 * of the VM or vCPU, or NULL.
 */
void explain(pid_t pid, const char *label, int err);

/* Prints a message for each source that failed for @vmm. */
void explain_sources(const struct vmm *vmm);

/* The same for debugfs only, and for the error @err (-errno) of tracepoints. */
void explain_debugfs(const struct vmm *vmm);
void explain_tracepoints(int err);

/* Prints how many processes could not be examined, and why. Prints nothing for 0. */
void explain_denied(size_t count);

/* Prints why the search for new VMMs fails. Prints nothing if it works. */
void explain_search_error(const struct monitor *monitor);

#endif /* MESSAGES_EXPLAIN_H */
