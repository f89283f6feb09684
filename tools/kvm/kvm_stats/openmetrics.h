/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a monitor has seen last, as text for Prometheus: OpenMetrics 1.0, or the older text
 * format 0.0.4.  Names, labels and numbers are the same in both.
 *
 *	struct openmetrics *metrics = openmetrics_open(monitor);
 *
 *	monitor_sample(monitor);
 *	openmetrics_write(metrics, OPENMETRICS_1_0, &sampling, &text);
 */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdint.h>

#include "monitor.h"
#include "openmetrics_text.h"

enum exposition_format {
	OPENMETRICS_1_0,
	PROMETHEUS_TEXT_0_0_4,
};

/* What is told of the sampling itself. */
struct sampling {
	uint64_t number;	/* how many there were */
	uint64_t time;		/* ns since the epoch */
	uint64_t duration;	/* ns */
};

struct openmetrics;

/* NULL: no memory.  @monitor has to outlive it. */
struct openmetrics *openmetrics_open(const struct monitor *monitor);
void openmetrics_close(struct openmetrics *metrics);

/* Adds the exposition to @text: 0 or -ENOMEM. */
int openmetrics_write(struct openmetrics *metrics, enum exposition_format format,
		      const struct sampling *sampling, struct text *text);

#endif /* OPENMETRICS_H */
