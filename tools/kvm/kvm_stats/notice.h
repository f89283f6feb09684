/* SPDX-License-Identifier: GPL-2.0-only */
/* On standard error: whose numbers there are, from where, and who appears and ends. */
#ifndef NOTICE_H
#define NOTICE_H

#include "monitor.h"
#include "total.h"

/* Who is there now; from then on each change is told. */
void notice_start(struct monitor *monitor);

/* An event of a monitor, for who tells no others: VMMs that appear are not found, or again. */
void notice_search(enum monitor_event event, const struct vmm *vmm, void *monitor);

/* Which statistics have fallen back since the last sample, in one line. */
void notice_cleared(const struct totals *totals);

#endif /* NOTICE_H */
