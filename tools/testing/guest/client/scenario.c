// SPDX-License-Identifier: GPL-2.0-only
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "client/scenario.h"

static void note_output(const struct run *run)
{
	const char *line;

	for (line = run->text; *line; line = next_line(line))
		note("  %.*s", (int)strcspn(line, "\n"), line);
	note("exit status %d", run->status);
}

bool kvm_stats_runs(struct scenario *scenario, uid_t uid, int status, const char *arguments)
{
	run_command(&scenario->run, -1, uid, "%s", arguments);
	if (scenario->run.status == status)
		return true;
	note("kvm-stats %s: exit status %d expected", arguments, status);
	note_output(&scenario->run);
	return false;
}

bool output_matches(const struct scenario *scenario, const char *format, ...)
{
	char text[512];
	regex_t regex;
	va_list args;
	bool found;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB | REG_NEWLINE)) {
		note("'%s' is not a regular expression", text);
		return false;
	}
	found = !regexec(&regex, scenario->run.text, 0, NULL, 0);
	regfree(&regex);
	if (!found) {
		note("'%s' expected, found:", text);
		note_output(&scenario->run);
	}
	return found;
}
