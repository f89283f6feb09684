/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPENMETRICS_CMDLINE_H
#define OPENMETRICS_CMDLINE_H

#include <sys/types.h>

/*
 * Returns the UUID of the guest: the argument of -uuid on the command line of QEMU, in lower
 * case. Returns NULL without this option, or without memory. @proc is where procfs is mounted. The
 * caller frees the result.
 */
char *cmdline_uuid(const char *proc, pid_t pid);

/* Copies @text in lower case if it is a UUID. Returns NULL if not, or if there is no memory. */
char *uuid_copy(const char *text);

#endif /* OPENMETRICS_CMDLINE_H */
