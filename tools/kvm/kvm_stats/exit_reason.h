/* SPDX-License-Identifier: GPL-2.0-only */
/* By which field tracepoints are split, and what its numbers are called. */
#ifndef EXIT_REASON_H
#define EXIT_REASON_H

#include <stddef.h>

struct exit_reason {
	unsigned int number;
	const char *name;
};

struct exit_reasons {
	const char *field;
	const struct exit_reason *reason;
	size_t reasons;
};

/*
 * For the tracepoint @event on a machine that is @machine, as uname() says; @svm: an x86 with
 * AMD's extensions.  NULL: it is not split.
 */
const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int svm);

/* For the machine that this runs on. */
const struct exit_reasons *exit_reasons_for_this_machine(const char *event);

#endif /* EXIT_REASON_H */
