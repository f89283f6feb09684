/* SPDX-License-Identifier: GPL-2.0-only */
/* What lets kvm-stats read the fds of other processes. */
#ifndef MESSAGES_ACCESS_H
#define MESSAGES_ACCESS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/types.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* Whether kvm-stats has this capability, such as CAP_SYS_PTRACE. */
bool has_capability(int capability);

/*
 * Reading the fds of any process needs two capabilities: to trace it, and to list its fds. On a
 * kernel with KVM_STATS_NEXT, CAP_PERFMON and access to /dev/kvm suffice. Returns the
 * capabilities that kvm-stats lacks, or NULL.
 */
const char *missing_capabilities(void);

/* The same for one process: if its fds can already be listed, CAP_SYS_PTRACE is enough. */
const char *missing_capabilities_for(pid_t pid);

/*
 * Returns 0, or why there is no KVM: the error of /dev/kvm. kvm-stats can also read VMs without
 * permission to open it.
 */
int kvm_error(void);

/* Prints the advice to run as root, or to grant the capabilities @missing. */
void suggest_root(const char *missing);

/*
 * Prints that /proc is not mounted, or that it hides processes. Returns false, and prints nothing,
 * if neither is the case.
 */
bool explain_proc(void);

/* Returns kernel.yama.ptrace_scope, or 0 if the kernel does not have it. */
int yama_scope(void);

/* Returns a number in /proc/PID/status, such as "Uid" or "Tgid", or -1. */
long long process_status_number(pid_t pid, const char *key);

#endif /* MESSAGES_ACCESS_H */
