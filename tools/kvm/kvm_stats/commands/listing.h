/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints a list of what the user selected, once: for the commands list and schema. */
#ifndef COMMANDS_LISTING_H
#define COMMANDS_LISTING_H

#include <stdbool.h>

#include "model.h"

struct listing {
	const char *command;
	const char *usage;
	/* Prints a message and returns false if the options are not valid. May be NULL. */
	bool (*check)(const struct filter *filter, bool json);
	/* Prints JSON if @json is set, otherwise a table. Returns the exit status. */
	int (*print)(const struct monitor *monitor, bool json);
};

/* Accepts --json and the options of the filter. Returns the exit status. */
int listing_run(int argc, char **argv, const struct listing *listing);

#endif /* COMMANDS_LISTING_H */
