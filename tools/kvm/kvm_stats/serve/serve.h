/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/launch.h"
#include "serve/text.h"
#include "targets/filter.h"

struct serve_options {
	const char *listen;	/* see address_is_valid(); NULL: no HTTP */
	const char *textfile;	/* NULL: no file */
	uint64_t interval;	/* between two writes of the file, in ns */
	bool once;
	struct exposition_options exposed;
	struct filter filter;
};

/* Serves until a signal ends it. Returns the exit status. */
int serve_run(const struct serve_options *options);

#endif /* SERVE_SERVE_H */
