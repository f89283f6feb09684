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

/* Writes the same as one line, with advice, and returns @buf. */
const char *denied_text(const struct monitor *monitor, char *buf, size_t size);

/*
 * If there is no VM because there is no KVM, prints why, and returns true. It is for commands that
 * wait for VMs. They also run where only /dev/kvm is hidden, as in the systemd unit.
 */
bool explain_no_kvm_yet(const struct monitor *monitor);

/*
 * Returns 0, or why there is no KVM: the error of /dev/kvm. kvm-stats can also read VMs without
 * permission to open it.
 */
int kvm_error(void);

/* ---- what the user selected must exist: these print a message if not ---- */

/* Like monitor_open(), but returns NULL if it fails. */
struct monitor *require_monitor(const struct monitor_options *options);

/* Returns false if the selected VMMs do not exist. */
bool require_vmms(const struct monitor *monitor);

/* The same if no VMM has the selected vCPUs. */
bool require_selection(const struct monitor *monitor);

/*
 * The same if none of the selected statistics can be read. If some can be read, it prints nothing
 * about the others: use report_unread().
 */
bool require_statistics(const struct monitor *monitor);

/*
 * Returns false if the regular expression matches no statistic or tracepoint that can be read.
 * Then reports what cannot be read, which may have it.
 */
bool require_matches(const struct monitor *monitor);

/* ---- notices ---- */

/* Prints the number of VMMs and the sources, and from now on each change. */
void notice_start(struct monitor *monitor);

/*
 * A callback for monitor_options.event that only reports when the search for new VMMs fails,
 * and when it works again. @monitor is the struct monitor.
 */
void notice_search(enum kvmstats_event event, const struct vmm *vmm, void *monitor);

/*
 * Prints a line if the filter selects exit statistics, and since the last call they have been
 * switched off or on. The first call prints only that they are off.
 */
void notice_exits(const struct monitor *monitor);

/* ---- messages about several VMMs ---- */

#define GROUPED_TEXT_SIZE	256

/*
 * If many VMMs have the same message, it is printed once, with their process IDs and guests.
 * Initialize it with zeros.
 */
struct grouped {
	struct grouped_message {
		const struct vmm *vmm;
		char text[GROUPED_TEXT_SIZE];
		bool printed;
	} *message;
	size_t messages;
	size_t capacity;
};

/* Adds a message. The VMM must remain until grouped_print(). */
void grouped_add(struct grouped *grouped, const struct vmm *vmm, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/* Prints the messages in the order in which they were added, and removes them. */
void grouped_print(struct grouped *grouped);

#endif /* UNREAD_H */
