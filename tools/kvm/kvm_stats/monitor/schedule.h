/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MONITOR_SCHEDULE_H
#define MONITOR_SCHEDULE_H

#include "base/clock.h"
#include "targets/vmm.h"

#define CHECK_INTERVAL	SECOND
#define SCAN_INTERVAL	(5 * SECOND)

/* The VMM was scanned at @now. */
static inline void schedule_scan(struct vmm *vmm, uint64_t now)
{
	vmm->next_check = now + CHECK_INTERVAL;
	vmm->next_scan = now + SCAN_INTERVAL;
}

#endif /* MONITOR_SCHEDULE_H */
