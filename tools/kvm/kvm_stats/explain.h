/* SPDX-License-Identifier: GPL-2.0-only */
/* Why something cannot be had, and what would help. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <sys/types.h>

/* @what of process @pid failed with @err; @what may be NULL. */
void explain(pid_t pid, const char *what, int err);

#endif /* EXPLAIN_H */
