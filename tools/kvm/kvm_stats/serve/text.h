/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the last sample of a monitor for Prometheus, in OpenMetrics 1.0 or in the older text
 * format 0.0.4. Names, labels and values are the same in both formats.
 *
 *	struct exposition *exposition = exposition_new(monitor, &options);
 *
 *	monitor_sample(monitor);
 *	exposition_write(exposition, OPENMETRICS_1_0, &sampling, &text);
 */
#ifndef SERVE_TEXT_H
#define SERVE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "monitor/monitor.h"
#include "serve/http.h"

/* What the process kvm-stats uses. What cannot be read is 0. */
struct process_use {
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
	const struct process_use *process;	/* NULL: not exposed */
};

struct exposition_options {
	bool per_vcpu;		/* in addition to the sums over the vCPUs of each guest */
	const char *libvirt;	/* for tests, instead of /run/libvirt; or NULL */
};

struct exposition;

/* Returns NULL if there is not enough memory. @monitor must outlive the result. */
struct exposition *exposition_new(const struct monitor *monitor,
				  const struct exposition_options *options);
void exposition_free(struct exposition *exposition);

/* Appends the exposition to @text. Returns 0 or -ENOMEM. */
int exposition_write(struct exposition *exposition, enum exposition_format format,
		     const struct sampling *sampling, struct text *text);

#endif /* SERVE_TEXT_H */
