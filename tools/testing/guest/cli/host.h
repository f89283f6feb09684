/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host tells of VMs, and of itself. */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <stdbool.h>
#include <sys/types.h>

/* debugfs has a directory for each VM that the kernel keeps: "<pid>-<fd>". */
bool vm_is_kept(pid_t pid);

/* Within five seconds. */
bool vm_goes_away(pid_t pid);

bool debugfs_value(pid_t pid, const char *stat, unsigned long long *value);

bool has_tracepoints(void);

/* The boot "lockdown" is, by its command line: it would be in the way of other tests. */
bool locked_down(void);

#endif /* CLI_HOST_H */
