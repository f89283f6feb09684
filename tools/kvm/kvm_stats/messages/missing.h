/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages about selected VMMs, VMs and vCPUs that cannot be read. Each is reported once, with the
 * process ID, the guest and the reason.
 */
#ifndef MESSAGES_MISSING_H
#define MESSAGES_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#include "messages/gap.h"
#include "monitor/monitor.h"

#define MAX_HINTS	16

/* The errors for which the advice was printed. */
struct hints {
	int err[MAX_HINTS];
	size_t count;
};

/* What has been reported. Initialize it with zeros. */
struct missing {
	struct gap *gap;
	size_t gaps;
	size_t capacity;
	struct hints fds;
	struct hints qmp;
	struct hints debugfs;
	struct hints tracepoints;
	bool started;
	bool offered_qmp;	/* the advice to add --qmp was printed */
	bool kcmp;		/* that fds cannot be compared was printed */
};

/*
 * Prints what cannot be read now, except for what @missing says was printed. The first call also
 * prints why the search for VMMs fails. Returns whether all that is selected can be read, except
 * for what gap_is_failure() excuses.
 */
bool missing_report(struct missing *missing, const struct monitor *monitor);

void missing_free(struct missing *missing);

/* Returns the number of VMMs of which nothing can be read. */
size_t missing_vmms(const struct monitor *monitor);

#endif /* MESSAGES_MISSING_H */
