// SPDX-License-Identifier: GPL-2.0-only
/* Points about the human monitor's "info stats". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "checks.h"
#include "clock.h"

#define STILL_TRIES	10

/* The text of a monitor command, to free. */
static char *monitor_text(struct session *s, const char *command)
{
	json_t *answer = ask(s, "human-monitor-command",
			     json_pack("{s:s}", "command-line", command));
	const char *text = json_string_value(answer);
	char *copy = text ? strdup(text) : NULL;

	json_decref(answer);
	return copy;
}

/* "    NAME (TYPE, UNIT): VALUE" is in @text for the number that @stat is. */
static bool monitor_has(const char *text, const json_t *stat, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type")) ?: "";
	const char *at, *value;
	char start[128];
	uint64_t number;

	snprintf(start, sizeof(start), "\n    %s (%s", answer_name(stat), type);
	at = strstr(text, start);
	value = at ? strstr(at, "): ") : NULL;
	if (!value) {
		tap_note("a line '%s...' expected, not found", start + 1);
		return false;
	}
	if (!json_is_integer(json_object_get(stat, "value")))
		return true;
	if (answer_value(stat, 0, &number) && strtoull(value + 3, NULL, 10) == number)
		return true;
	tap_note("%s: %llu expected, found %.24s", answer_name(stat), (unsigned long long)number,
		 value + 3);
	return false;
}

/*
 * Both answers, about the same numbers: of the stopped guest, and if the host's
 * memory management touched it in between, once more.  The text is to be freed.
 */
static char *monitor_and_query(struct session *s, const char *target, int vcpu, json_t **stats)
{
	char command[32], *text;
	int tries;

	snprintf(command, sizeof(command), "info stats %s", target);
	for (tries = 0;; tries++) {
		json_t *before = query_one(s, vcpu, NULL);
		bool still;

		text = monitor_text(s, command);
		*stats = query_one(s, vcpu, NULL);
		still = json_equal(before, *stats);
		json_decref(before);
		if (still || !text || !*stats || tries == STILL_TRIES)
			return text;
		free(text);
		json_decref(*stats);
		ms_sleep(100);
	}
}

static enum verdict monitor_agrees(struct session *s, const char *target, int vcpu)
{
	json_t *stats, *schemas = query_schemas(s, target, false);
	char *text = monitor_and_query(s, target, vcpu, &stats);
	bool ok = json_array_size(stats);
	json_t *stat;
	size_t i;

	if (!text || strncmp(text, "provider: kvm", 13)) {
		tap_note("'provider: kvm' expected first, found '%.40s'", text ?: "");
		ok = false;
	} else {
		json_array_foreach(stats, i, stat)
			ok &= monitor_has(text, stat, answer_find(schemas, answer_name(stat)));
	}
	free(text);
	json_decref(schemas);
	json_decref(stats);
	return ok ? PASS : FAIL;
}

enum verdict check_monitor_vm(void *ctx)
{
	return monitor_agrees(ctx, "vm", -1);
}

enum verdict check_monitor_vcpu(void *ctx)
{
	return monitor_agrees(ctx, "vcpu", 0);
}

enum verdict check_monitor_nothing(void *ctx)
{
	char *text = monitor_text(ctx, "info stats vm");
	bool ok = text && !*text;

	if (text && !ok)
		tap_note("nothing expected, found '%.60s'", text);
	free(text);
	return ok ? PASS : FAIL;
}
