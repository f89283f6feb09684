// SPDX-License-Identifier: GPL-2.0-only
/* Checks of the command "info stats" of the human monitor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "qemu/answer.h"
#include "qemu/check/checks.h"

#define MAX_TRIES	10

/* Returns the output of a monitor command, which the caller frees. */
static char *monitor_text(struct session *s, const char *command)
{
	json_t *answer = query(s, "human-monitor-command",
			       json_pack("{s:s}", "command-line", command));
	const char *text = json_string_value(answer);
	char *copy = text ? strdup(text) : NULL;

	json_decref(answer);
	return copy;
}

/* Does @text have a line "    NAME (TYPE, UNIT): VALUE" with the value of @stat? */
static bool monitor_has(const char *text, const json_t *stat, const json_t *schema)
{
	const char *type = json_string_value(json_object_get(schema, "type")) ?: "";
	const char *at, *value;
	char start[128];
	uint64_t expected;

	snprintf(start, sizeof(start), "\n    %s (%s", answer_name(stat), type);
	at = strstr(text, start);
	value = at ? strstr(at, "): ") : NULL;
	if (!value) {
		note("a line '%s...' expected, not found", start + 1);
		return false;
	}
	if (!json_is_integer(json_object_get(stat, "value")))
		return true;
	if (answer_value(stat, 0, &expected) && strtoull(value + 3, NULL, 10) == expected)
		return true;
	note("%s: %llu expected, found %.24s", answer_name(stat), (unsigned long long)expected,
	     value + 3);
	return false;
}

/*
 * Gets the same values from the monitor and from query-stats. The guest is stopped, but the memory
 * management of the kernel may still change a few values. In that case this tries again. The
 * caller frees the returned text.
 */
static char *monitor_and_query(struct session *s, const char *target, int vcpu, json_t **stats)
{
	char command[32], *text;
	int tries;

	snprintf(command, sizeof(command), "info stats %s", target);
	for (tries = 0;; tries++) {
		json_t *before = query_one(s, vcpu, NULL);
		bool unchanged;

		text = monitor_text(s, command);
		*stats = query_one(s, vcpu, NULL);
		unchanged = json_equal(before, *stats);
		json_decref(before);
		if (unchanged || !text || !*stats || tries == MAX_TRIES)
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
		note("'provider: kvm' expected first, found '%.40s'", text ?: "");
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
		note("nothing expected, found '%.60s'", text);
	free(text);
	return ok ? PASS : FAIL;
}
