/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the commands. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "filter.h"
#include "message.h"
#include "replay.h"

/* The exit status of kvm-stats. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* ---- numbers: @option is the name for messages, such as "-i" ---- */

#define MAX_SECONDS	86400.0
#define MIN_INTERVAL	0.1	/* in seconds, of log, serve and top */

/*
 * Parses a number of seconds from @min to MAX_SECONDS, and stores it in ns. Returns false with a
 * message if @text is not one.
 */
bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns,
		   struct message *why);

/* Parses "90s", "30m", "6h" or "2d". Returns the ns, or 0 if @text is not such a time. */
uint64_t parse_duration(const char *text);

/*
 * Parses a time, and stores it in ns of CLOCK_REALTIME: "02:10" or "02:10:30", which is the last
 * time that it was so late, "-90s", "-30m", "-6h" or "-2d" before now, or a time in ISO 8601, in
 * UTC if it ends with Z. Returns false with a message.
 */
bool parse_time(const char *option, const char *text, uint64_t *time, struct message *why);

/* ---- the options of a command, from which getopt_long() and --help know them ---- */

enum option_kind {
	OPTION_OTHER,		/* handled by command_options.set() */
	OPTION_FLAG,		/* sets a bool */
	OPTION_TEXT,		/* stores the argument in a const char * */
	OPTION_COUNT,		/* stores a number of intervals in an unsigned long */
	OPTION_SECONDS,		/* parse_seconds() stores it in a uint64_t */
	OPTION_TIME,		/* parse_time() does */
};

/* The options of a command that have no letter are numbered from here. */
#define FIRST_LONG_OPTION	512
#define LONG_OPTION_FROM	511
#define LONG_OPTION_EXITS	510
#define LONG_OPTION_DIR		509
#define LONG_OPTION_AT		508
#define LONG_OPTION_SINCE	507
#define LONG_OPTION_UNTIL	506
#define LONG_OPTION_SWITCHES	505

struct command_option {
	int letter;			/* or such a number */
	const char *name;		/* NULL: the end of the table */
	const char *argument;		/* for the help: "FILE"; "[=FILE]" if it may be omitted */
	const char *help;		/* lines, separated by '\n'; NULL: not in the help */
	enum option_kind kind;
	size_t member;			/* its offset in the struct that the option changes */
	double min;			/* of OPTION_SECONDS */
};

/* For the commands that can read a host file of another time or host */
#define FROM_OPTION(from_member) \
	{ LONG_OPTION_FROM, "from", "FILE", \
	  "read FILE, a recording, a copy of a host file, a socket,\nor - for standard input", \
	  .kind = OPTION_TEXT, .member = (from_member) }

/* For those that can look back: @replay_member is a struct replay_options. */
#define REPLAY_OPTION(letter, name, argument, help, replay_kind, replay_member, its_member) \
	{ letter, name, argument, help, .kind = replay_kind, \
	  .member = (replay_member) + offsetof(struct replay_options, its_member) }
#define AT_OPTION(replay_member) \
	REPLAY_OPTION(LONG_OPTION_AT, "at", "TIME", \
		      "show what was recorded at this time: 02:10, -6h, or\n2026-11-28T02:10", \
		      OPTION_TIME, replay_member, at)
#define SINCE_OPTION(replay_member) \
	REPLAY_OPTION(LONG_OPTION_SINCE, "since", "TIME", \
		      "show what was recorded from this time on", OPTION_TIME, replay_member, since)
#define UNTIL_OPTION(replay_member) \
	REPLAY_OPTION(LONG_OPTION_UNTIL, "until", "TIME", "and up to this time", OPTION_TIME, \
		      replay_member, until)
#define DIR_OPTION(replay_member) \
	REPLAY_OPTION(LONG_OPTION_DIR, "dir", "DIR", "the recording (default: " RECORDING_DIR ")", \
		      OPTION_TEXT, replay_member, dir)

/* For those that run long enough for something to be counted */
#define EXITS_OPTION(exits_member) \
	{ LONG_OPTION_EXITS, "exits", NULL, \
	  "count exits by class, and their times, of what is selected\nwhile the command runs", \
	  .kind = OPTION_FLAG, .member = (exits_member) }

/* For those that give verdicts */
#define SWITCHES_OPTION(switches_member) \
	{ LONG_OPTION_SWITCHES, "switches", NULL, \
	  "watch all context switches of the host, to say exactly\n" \
	  "which threads take CPUs from vCPUs", \
	  .kind = OPTION_FLAG, .member = (switches_member) }

/* For those that read what can be missing */
#define VERBOSE_OPTION(verbose_member) \
	{ 'v', "verbose", NULL, "print details of what cannot be read", \
	  .kind = OPTION_FLAG, .member = (verbose_member) }

/*
 * What a command accepts in addition to -h and to the options that select VMs, vCPUs and
 * statistics, which all commands have.
 */
struct command_options {
	const char *command;		/* its name, such as "read" */
	const char *usage;		/* the help text before the options */
	const struct command_option *table;
	/*
	 * Handles an option of the kind OPTION_OTHER. Returns false with a message if @value is not
	 * valid. NULL: there is no such option.
	 */
	bool (*set)(int option, const char *value, void *arg, struct message *why);
};

/*
 * Sets members of @arg, and of @filter, which is NULL if the command selects nothing. Returns -1 to
 * continue, or the exit status: after --help, or after printing a message about a wrong option or
 * argument, as commands do.
 */
int options_parse(int argc, char **argv, const struct command_options *options, void *arg,
		  struct filter *filter);

#endif /* OPTIONS_H */
