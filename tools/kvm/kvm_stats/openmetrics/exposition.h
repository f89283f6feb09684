/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the last sample of a monitor for Prometheus, in OpenMetrics 1.0 or in the older text
 * format 0.0.4. Names, labels and values are the same in both formats.
 *
 *	struct openmetrics *metrics = openmetrics_open(monitor, &options);
 *
 *	monitor_sample(monitor);
 *	openmetrics_write(metrics, OPENMETRICS_1_0, &sampling, &text);
 */
#ifndef OPENMETRICS_EXPOSITION_H
#define OPENMETRICS_EXPOSITION_H

#include <stdbool.h>

#include "monitor/monitor.h"
#include "openmetrics/format.h"

struct openmetrics;

struct openmetrics_options {
	bool per_vcpu;		/* in addition to the sums over the vCPUs of each guest */
	const char *libvirt;	/* for tests, instead of /run/libvirt; or NULL */
};

/* Returns NULL if there is not enough memory. @monitor must outlive the result. */
struct openmetrics *openmetrics_open(const struct monitor *monitor,
				     const struct openmetrics_options *options);
void openmetrics_close(struct openmetrics *metrics);

/* Appends the exposition to @text. Returns 0 or -ENOMEM. */
int openmetrics_write(struct openmetrics *metrics, enum exposition_format format,
		      const struct sampling *sampling, struct text *text);

#endif /* OPENMETRICS_EXPOSITION_H */
