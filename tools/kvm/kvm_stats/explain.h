/* SPDX-License-Identifier: GPL-2.0-only */
/* Why something cannot be had, and what would help. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <sys/types.h>

struct monitor;
struct vmm;

/* @what of process @pid failed with @err; @what may be NULL. */
void explain(pid_t pid, const char *what, int err);

/* Why there are no numbers of a VMM, for each source that was tried. */
void explain_sources(const struct vmm *vmm);

/* Why debugfs gives nothing of a VMM, or not all; why tracepoints cannot be counted. */
void explain_debugfs(const struct vmm *vmm);
void explain_tracepoints(int err);

/* Why VMMs that appear are not found, if it is so. */
void explain_search_error(const struct monitor *monitor);

#endif /* EXPLAIN_H */
