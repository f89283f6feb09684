/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a record for each interval to standard output or to a file. */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

struct log_options {
	const struct filter *filter;
	const char *file;	/* NULL: standard output */
	bool csv;
	bool skip_zero;		/* omit records in which all values are 0 */
	bool kvm_stat_stamps;	/* the time without its fraction and zone, as in kvm_stat */
	uint64_t interval;	/* in ns */
	unsigned long count;	/* of records; 0: no limit */
};

/* Returns the exit status. */
int log_write(const struct log_options *options, struct monitor *monitor);

#endif /* LOG_LOG_H */
