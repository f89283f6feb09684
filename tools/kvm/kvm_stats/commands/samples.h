/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the user selected, once or after each interval: for the commands read and query. */
#ifndef COMMANDS_SAMPLES_H
#define COMMANDS_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

struct samples_options {
	uint64_t interval;	/* in ns; 0: one sample, no rates */
	unsigned long count;	/* of intervals; 0: until all VMMs of -p end */
	struct filter filter;
};

/* For getopt_long() and usage texts. */
#define SAMPLES_LETTERS	"i:c:"
#define SAMPLES_HELP	\
	"  -i, --interval=SEC  interval in seconds, for example 1 or 0.5\n" \
	"  -c, --count=N       stop after N intervals (default: when all VMMs of -p end)\n"

/* Handles these options, and those of the filter. */
bool samples_option(struct samples_options *options, int option, const char *value);

/* What a command does with the samples. @arg is that of samples_run(). */
struct samples_printer {
	/* Called after the first sample. Prints a message and returns false if it fails. */
	bool (*start)(const struct monitor *monitor, void *arg);
	/* Prints a sample. @interval is 1 after the first interval, 0 without intervals. */
	void (*print)(const struct monitor *monitor, unsigned long interval, void *arg);
};

/* Returns the exit status. */
int samples_run(struct samples_options *options, const struct samples_printer *printer, void *arg);

#endif /* COMMANDS_SAMPLES_H */
