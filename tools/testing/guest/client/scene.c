// SPDX-License-Identifier: GPL-2.0-only
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../cli/printed.h"
#include "scene.h"

static void note_output(const struct run *run)
{
	const char *line;

	for (line = run->text; *line; line = next_line(line))
		tap_note("  %.*s", (int)strcspn(line, "\n"), line);
	tap_note("exit status %d", run->status);
}

bool scene_runs(struct scene *scene, uid_t uid, int status, const char *arguments)
{
	run_command(&scene->run, -1, uid, "%s", arguments);
	if (scene->run.status == status)
		return true;
	tap_note("kvm-stats %s: exit status %d expected", arguments, status);
	note_output(&scene->run);
	return false;
}

bool scene_printed(const struct scene *scene, const char *format, ...)
{
	char text[512];
	regex_t regex;
	va_list args;
	bool found;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB | REG_NEWLINE)) {
		tap_note("'%s' is no regular expression", text);
		return false;
	}
	found = !regexec(&regex, scene->run.text, 0, NULL, 0);
	regfree(&regex);
	if (!found) {
		tap_note("'%s' expected, found:", text);
		note_output(&scene->run);
	}
	return found;
}
