/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages about the search for VMMs. They print nothing if all is well. */
#ifndef MESSAGES_SEARCH_H
#define MESSAGES_SEARCH_H

#include "monitor/monitor.h"

/* Prints which processes could not be examined, and why. */
void explain_denied(const struct monitor *monitor);

/* Writes the same as one line, with advice, and returns @buf. */
const char *denied_text(const struct monitor *monitor, char *buf, size_t size);

/* If there is no VM because there is no KVM, prints why, and returns true. */
bool explain_no_kvm(const struct monitor *monitor);

/*
 * The same for commands that wait for VMs. They also run where only /dev/kvm is hidden, as in the
 * systemd unit.
 */
bool explain_no_kvm_yet(const struct monitor *monitor);

/* Prints why the search for new VMMs fails. */
void explain_search_error(const struct monitor *monitor);

#endif /* MESSAGES_SEARCH_H */
