/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_EVENT_TEXT_H
#define TOP_EVENT_TEXT_H

#include <stddef.h>

#include "monitor/monitor.h"

/* Writes a message about an event to @buf, and returns it. @vmm is NULL if the search changed. */
const char *event_text(char *buf, size_t size, const struct monitor *monitor,
		       enum monitor_event event, const struct vmm *vmm);

#endif /* TOP_EVENT_TEXT_H */
