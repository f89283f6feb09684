/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel of the test machine shows of its VMs and of its configuration. */
#ifndef CLI_KERNEL_H
#define CLI_KERNEL_H

#include <stdbool.h>
#include <sys/types.h>

/* Does a VM of the process @pid exist? It has a directory "PID-FD" in debugfs. */
bool vm_of_pid_exists(pid_t pid);

/* Waits up to five seconds until no VM of @pid exists. */
bool vm_of_pid_disappears(pid_t pid);

/* Stores the value of a debugfs file of the VM of @pid. */
bool debugfs_value(pid_t pid, const char *stat, unsigned long long *value);

bool has_tracepoints(void);

/* Only the kernel of the boot "lockdown" is locked down. */
bool locked_down(void);

#endif /* CLI_KERNEL_H */
