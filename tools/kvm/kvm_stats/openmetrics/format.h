/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPENMETRICS_FORMAT_H
#define OPENMETRICS_FORMAT_H

#include <stdint.h>

#include "base/text.h"

enum exposition_format {
	OPENMETRICS_1_0,
	PROMETHEUS_TEXT_0_0_4,
};

/* Where an exposition is written. */
struct exposition {
	enum exposition_format format;
	struct text *text;
};

/* What the process kvm-stats uses. */
struct process_figures {
	uint64_t cpu_time;	/* in ns */
	uint64_t resident;	/* in bytes */
	uint64_t virtual;
	uint64_t open_fds;
	uint64_t max_fds;
	uint64_t start;		/* in ns since the epoch */
};

/* The statistics about the sampling itself. */
struct sampling {
	uint64_t number;	/* of samples so far */
	uint64_t time;		/* of the last sample, in ns since the epoch */
	uint64_t duration;	/* of the last sample, in ns */
	const struct process_figures *process;	/* NULL: not exposed */
};

#endif /* OPENMETRICS_FORMAT_H */
