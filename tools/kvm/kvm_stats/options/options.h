/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

/* What a command accepts in addition to the options of options/filter.h. */
struct command_options {
	const char *command;		/* its name, such as "read"; NULL: without a command */
	const char *letters;		/* for getopt_long(), with "h" for help */
	const struct option *table;
	const char *usage;		/* how to use the command */
	const char *advice;		/* one more sentence after a usage error, or NULL */
	/*
	 * Handles an option, also one of options/filter.h. Prints a message and returns false if
	 * @value is not valid.
	 */
	bool (*set)(int option, const char *value, void *arg);
};

/*
 * Returns -1 to continue, or the exit status: after --help, or after a message about a wrong
 * option or argument. @arg is passed to options->set().
 */
int options_parse(int argc, char **argv, const struct command_options *options, void *arg);

#endif /* OPTIONS_OPTIONS_H */
