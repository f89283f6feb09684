/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MESSAGES_FDS_H
#define MESSAGES_FDS_H

#include <sys/types.h>

/*
 * Prints why the statistics fds of process @pid cannot be opened, and what the user can do.
 * @err is -errno. @label is the label of the VM or vCPU, or NULL.
 */
void explain_fds(pid_t pid, const char *label, int err);

/* Prints only what the user can do. */
void suggest_fds(pid_t pid, int err);

#endif /* MESSAGES_FDS_H */
