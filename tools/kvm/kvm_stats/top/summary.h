/* SPDX-License-Identifier: GPL-2.0-only */
/* What a monitor watches, in numbers. */
#ifndef TOP_SUMMARY_H
#define TOP_SUMMARY_H

#include <stddef.h>

#include "monitor/monitor.h"

struct summary {
	size_t guests;
	size_t vms;
	size_t vcpus;
	size_t unreadable;	/* guests without any statistics */
	size_t missing;		/* VMs and vCPUs of other guests without statistics */
	size_t no_vm_values;	/* guests of which only the statistics of the VM are missing */
	unsigned int origins;	/* bit mask */
};

struct summary summary_of(const struct monitor *monitor);

/*
 * Appends what cannot be read to @buf, each part after @separator: "1 cannot be read". Writes
 * nothing if all can be read. Returns the length.
 */
int summary_put_problems(char *buf, size_t size, const struct summary *summary,
			 const char *separator);

/* The same for the sources of statistics: "statistics fds". */
int summary_put_sources(char *buf, size_t size, const struct summary *summary,
			const char *separator);

#endif /* TOP_SUMMARY_H */
