/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of kvm-stats serve. */
#ifndef SERVE_OPTIONS_H
#define SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/address.h"
#include "targets/filter.h"

struct serve_options {
	const char *listen;	/* NULL: no HTTP */
	struct address address;
	const char *textfile;	/* NULL: no file */
	uint64_t interval;	/* between two writes of the file, in ns */
	bool once;
	bool help;
	struct filter filter;
};

/*
 * Returns false after printing an error. The caller must call filter_free() in both cases.
 */
bool serve_options_parse(struct serve_options *options, int argc, char **argv);

extern const char serve_options_help[];

#endif /* SERVE_OPTIONS_H */
