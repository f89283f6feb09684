/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages about the search for VMMs. They print nothing if all is well. */
#ifndef MESSAGES_SEARCH_H
#define MESSAGES_SEARCH_H

#include "monitor/monitor.h"

/* Prints how many processes could not be examined, and why. */
void explain_denied(size_t count);

/* Prints why the search for new VMMs fails. */
void explain_search_error(const struct monitor *monitor);

#endif /* MESSAGES_SEARCH_H */
