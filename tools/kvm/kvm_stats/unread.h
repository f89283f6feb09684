/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages on standard error: what cannot be read, why, and what the user can do about it. Each is
 * printed once, as long as its reason remains.
 */
#ifndef UNREAD_H
#define UNREAD_H

#include "model.h"

/* ---- what cannot be read ---- */

/*
 * Prints what cannot be read now, except for what was printed already. The first call also prints
 * why the search for VMMs fails. Returns whether all that is selected can be read, except for what
 * vmm_fails() excuses.
 */
bool report_unread(const struct monitor *monitor);

/* Prints a message for each source that failed for @vmm, also if it was printed already. */
void explain_sources(const struct vmm *vmm);

/* Prints why tracepoints cannot be counted, and what the user can do. @err is -errno. */
void explain_tracepoints(int err);

/* Prints which processes could not be examined, and why, if there are any. */
void explain_denied(const struct monitor *monitor);

/* Returns the same as one line, with advice. */
const char *denied_text(const struct monitor *monitor);

/* Prints why the search for new VMMs fails, if it does. */
void explain_search_error(const struct monitor *monitor);

/*
 * Prints that /proc is not mounted, or that it hides processes. Returns false, and prints nothing,
 * if neither is the case.
 */
bool explain_proc(void);

/* If there is no VM because there is no KVM, prints why, and returns true. */
bool explain_no_kvm(const struct monitor *monitor);

/*
 * The same for commands that wait for VMs. They also run where only /dev/kvm is hidden, as in the
 * systemd unit.
 */
bool explain_no_kvm_yet(const struct monitor *monitor);

/* Prints why statistics of the process cannot be opened. @err is -errno. */
void explain_pid(pid_t pid, int err);

/*
 * Returns 0, or why there is no KVM: the error of /dev/kvm. kvm-stats can also read VMs without
 * permission to open it.
 */
int kvm_error(void);

/* ---- messages about VMMs: the text is valid until the function is called again ---- */

/* Returns which VMM it is: PID 4711 (qemu), guest "web" */
const char *vmm_name(const struct vmm *vmm);

/* Returns what is known of it: 1 VM, 2 vCPUs; source: debugfs */
const char *vmm_summary(const struct vmm *vmm);

#endif /* UNREAD_H */
