/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvm-stats serve was asked to do. */
#ifndef SERVE_OPTIONS_H
#define SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "serve_address.h"

struct serve_options {
	const char *listen;	/* NULL: no HTTP */
	struct address address;
	const char *textfile;	/* or NULL */
	uint64_t interval;	/* ns, between writing the textfile */
	bool once;
	bool help;
	struct filter filter;
};

/* False after a complaint; either way filter_free() is the caller's to call. */
bool serve_options_parse(struct serve_options *options, int argc, char **argv);

extern const char serve_options_help[];

#endif /* SERVE_OPTIONS_H */
