/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the statistics and writes them as an exposition. Leaves enough file descriptors for
 * HTTP clients.
 */
#ifndef SERVE_SAMPLER_H
#define SERVE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fd_reserve.h"
#include "messages/missing.h"
#include "monitor/monitor.h"
#include "openmetrics/exposition.h"

struct sampler {
	struct monitor *monitor;
	struct openmetrics *metrics;
	struct missing missing;
	enum exits_state exits;		/* that were reported */
	struct sampling sampling;
	struct process_figures process;
	struct fd_reserve reserve;
	size_t clients;			/* number of HTTP clients now; the caller updates it */
	bool refresh_failed;		/* the last refresh failed, and the error was reported */
};

/*
 * Starts to watch what the filter selects. Prints a message and returns false if that fails.
 * sampler_close() is needed in both cases.
 */
bool sampler_open(struct sampler *sampler, const struct filter *filter,
		  const struct openmetrics_options *exposed);
void sampler_close(struct sampler *sampler);

/* Updates the list of VMMs. Reports an error once, because it can be temporary. */
void sampler_refresh(struct sampler *sampler);

/*
 * Reads a sample and appends it to @text, with metrics about this process if @process is set.
 * Prints a message and returns -errno if that fails.
 */
int sampler_expose(struct sampler *sampler, enum exposition_format format, bool process,
		   struct text *text);

#endif /* SERVE_SAMPLER_H */
