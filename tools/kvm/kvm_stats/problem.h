/* SPDX-License-Identifier: GPL-2.0-only */
/* Why there are no statistics, as messages with advice. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "kvmstats.h"
#include "message.h"

/*
 * Sets why the last pass has no statistics, or clears @problem. @private says why no host file
 * could be loaded for this process, or is empty. Returns 0, or -errno if no VM can be found.
 */
int problem_of_host(struct message *problem, const struct kvmstats_host *host,
		    const struct message *private);

/* Sets why the host file @from, or with NULL any origin, could not be read. @err is -errno. */
void problem_of_read(struct message *problem, const char *from, int err);

#endif /* PROBLEM_H */
