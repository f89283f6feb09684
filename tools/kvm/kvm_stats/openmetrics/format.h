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

/* The statistics about the sampling itself. */
struct sampling {
	uint64_t number;	/* of samples so far */
	uint64_t time;		/* of the last sample, in ns since the epoch */
	uint64_t duration;	/* of the last sample, in ns */
};

#endif /* OPENMETRICS_FORMAT_H */
