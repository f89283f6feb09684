// SPDX-License-Identifier: GPL-2.0-only
/* Points about kvm-stats, which answers from outside what QEMU answers itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "checks.h"
#include "clock.h"

#define TRIES	10

/* The array "return" of what "kvm-stats COMMAND --json -p PID MORE" prints, or NULL. */
static json_t *run(const struct session *s, const char *command, const char *more)
{
	const char *program = getenv("KVM_STATS") ?: "/bin/kvm-stats";
	json_t *answer, *results;
	json_error_t error;
	char line[256];
	FILE *pipe;

	snprintf(line, sizeof(line), "%s %s --json -p %d %s", program, command, s->vmm.pid, more);
	pipe = popen(line, "r");
	if (!pipe)
		return NULL;
	answer = json_loadf(pipe, 0, &error);
	if (pclose(pipe) || !answer)
		tap_note("%s: %s", line, error.text);
	results = json_object_get(answer, "return");
	json_incref(results);
	json_decref(answer);
	return results;
}

/* Value @n of ours; its buckets are in the order of the kernel. */
static bool our_value(const json_t *stat, size_t n, uint64_t *value)
{
	const json_t *v = json_object_get(stat, "value");

	if (json_is_array(v))
		v = json_array_get(v, n);
	else if (n)
		return false;
	if (!json_is_integer(v) && !json_is_boolean(v))
		return false;
	*value = json_is_boolean(v) ? json_is_true(v) : json_integer_value(v);
	return true;
}

static bool same_value(const json_t *ours, const json_t *theirs)
{
	uint64_t a, b;
	size_t n;

	if (answer_size(ours) != answer_size(theirs) ||
	    json_typeof(json_object_get(ours, "value")) !=
	    json_typeof(json_object_get(theirs, "value")))
		return false;
	for (n = 0; n < answer_size(theirs); n++) {
		if (!our_value(ours, n, &a) || !answer_value(theirs, n, &b) || a != b)
			return false;
	}
	return true;
}

/* The name of one that differs, or NULL. */
static const char *first_difference(const json_t *ours, const json_t *theirs)
{
	json_t *stat;
	size_t i;

	json_array_foreach(theirs, i, stat) {
		if (!same_value(answer_find(ours, answer_name(stat)), stat))
			return answer_name(stat);
	}
	return NULL;
}

/* The guest is stopped; what the host's memory management touches comes to rest. */
static bool agrees(struct session *s, int vcpu, const char *more)
{
	const char *differs = "";
	char name[64] = "";
	int tries;

	for (tries = 0; differs && tries < TRIES; tries++) {
		json_t *results = run(s, "read", more);
		json_t *ours = json_object_get(json_array_get(results, 0), "stats");
		json_t *theirs = query_one(s, vcpu, NULL);

		if (json_array_size(results) != 1 || !answer_same_names(ours, theirs))
			tries = TRIES;
		else
			differs = first_difference(ours, theirs);
		snprintf(name, sizeof(name), "%s", differs ?: "");
		json_decref(results);
		json_decref(theirs);
		if (differs)
			ms_sleep(100);
	}
	if (differs)
		tap_note("kvm-stats read --json %s: %s is not what QEMU answers", more, name);
	return !differs;
}

static enum verdict cannot_ask(const struct session *s)
{
	if (s->native)
		return tap_skip("kvm-stats is run in boots only");
	tap_note("the fds of QEMU's statistics: %s", strerror(-s->direct_error));
	return FAIL;
}

enum verdict check_command_values(void *ctx)
{
	struct session *s = ctx;
	char more[32];
	bool ok;
	int i;

	if (s->native || s->direct_error)
		return cannot_ask(s);
	ok = agrees(s, -1, "--vm");
	for (i = 0; i < VMM_CPUS; i++) {
		snprintf(more, sizeof(more), "--vcpu %d", i);
		ok &= agrees(s, i, more);
	}
	return ok ? PASS : FAIL;
}

static bool same_schemas(struct session *s, const json_t *results, const char *target)
{
	json_t *ours = answer_stats(results, "target", target);
	json_t *theirs = query_schemas(s, target, false);
	bool ok = answer_same_names(ours, theirs);
	json_t *schema;
	size_t i;

	json_array_foreach(theirs, i, schema) {
		if (json_equal(answer_find(ours, answer_name(schema)), schema))
			continue;
		tap_note("%s: kvm-stats schema --json is not what QEMU answers",
			 answer_name(schema));
		ok = false;
	}
	json_decref(theirs);
	return ok;
}

enum verdict check_command_schemas(void *ctx)
{
	struct session *s = ctx;
	json_t *results;
	bool ok;

	if (s->native || s->direct_error)
		return cannot_ask(s);
	results = run(s, "schema", "");
	ok = json_array_size(results) == 2 && same_schemas(s, results, "vm");
	ok = ok && same_schemas(s, results, "vcpu");
	json_decref(results);
	return ok ? PASS : FAIL;
}
