// SPDX-License-Identifier: GPL-2.0-only
/* Checks that kvm-stats prints what QEMU reports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "qemu/answer.h"
#include "qemu/check/checks.h"

#define TRIES	10

/* Returns the array "return" that "kvm-stats COMMAND -p PID MORE" prints, or NULL. */
static json_t *run(const struct session *s, const char *command, const char *more)
{
	const char *program = getenv("KVM_STATS") ?: "/bin/kvm-stats";
	json_t *answer, *results;
	json_error_t error;
	char line[256];
	FILE *pipe;

	snprintf(line, sizeof(line), "%s %s -p %d %s", program, command, s->vmm.pid, more);
	pipe = popen(line, "r");
	if (!pipe)
		return NULL;
	answer = json_loadf(pipe, 0, &error);
	if (pclose(pipe) || !answer)
		note("%s: %s", line, error.text);
	results = json_object_get(answer, "return");
	json_incref(results);
	json_decref(answer);
	return results;
}

/* Stores value @n that kvm-stats printed. Its buckets are in the order of the kernel. */
static bool printed_value(const json_t *stat, size_t n, uint64_t *value)
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

static bool same_value(const json_t *printed, const json_t *reported)
{
	uint64_t a, b;
	size_t n;

	if (answer_size(printed) != answer_size(reported) ||
	    json_typeof(json_object_get(printed, "value")) !=
	    json_typeof(json_object_get(reported, "value")))
		return false;
	for (n = 0; n < answer_size(reported); n++) {
		if (!printed_value(printed, n, &a) || !answer_value(reported, n, &b) || a != b)
			return false;
	}
	return true;
}

/* Returns the name of a statistic that differs, or NULL. */
static const char *first_difference(const json_t *printed, const json_t *reported)
{
	json_t *stat;
	size_t i;

	json_array_foreach(reported, i, stat) {
		if (!same_value(answer_find(printed, answer_name(stat)), stat))
			return answer_name(stat);
	}
	return NULL;
}

/*
 * The guest is stopped, but the memory management of the kernel may still change a few values.
 * So this tries again until the values agree.
 */
static bool agrees(struct session *s, int vcpu, const char *more)
{
	const char *differs = "";
	char name[64] = "";
	int tries;

	for (tries = 0; differs && tries < TRIES; tries++) {
		json_t *results = run(s, "query", more);
		json_t *printed = json_object_get(json_array_get(results, 0), "stats");
		json_t *reported = query_one(s, vcpu, NULL);

		if (json_array_size(results) != 1 || !answer_same_names(printed, reported))
			tries = TRIES;
		else
			differs = first_difference(printed, reported);
		snprintf(name, sizeof(name), "%s", differs ?: "");
		json_decref(results);
		json_decref(reported);
		if (differs)
			ms_sleep(100);
	}
	if (differs)
		note("kvm-stats query %s: %s differs from QEMU", more, name);
	return !differs;
}

static enum verdict skip_or_fail(const struct session *s)
{
	if ((s->native || s->unpatched) && s->direct_error == -EIO)
		return skip("on this kernel only the VMM can use KVM_STATS_GETFD");
	note("cannot open the statistics fds of QEMU: %s", strerror(-s->direct_error));
	return FAIL;
}

enum verdict check_command_values(void *ctx)
{
	struct session *s = ctx;
	char more[32];
	bool ok;
	int i;

	if (s->direct_error)
		return skip_or_fail(s);
	ok = agrees(s, -1, "--vm");
	for (i = 0; i < VMM_CPUS; i++) {
		snprintf(more, sizeof(more), "--vcpu %d", i);
		ok &= agrees(s, i, more);
	}
	return ok ? PASS : FAIL;
}

static bool same_schemas(struct session *s, const json_t *results, const char *target)
{
	json_t *printed = answer_stats(results, "target", target);
	json_t *reported = query_schemas(s, target, false);
	bool ok = answer_same_names(printed, reported);
	json_t *schema;
	size_t i;

	json_array_foreach(reported, i, schema) {
		if (json_equal(answer_find(printed, answer_name(schema)), schema))
			continue;
		note("%s: kvm-stats schema --json is not what QEMU answers",
		     answer_name(schema));
		ok = false;
	}
	json_decref(reported);
	return ok;
}

enum verdict check_command_schemas(void *ctx)
{
	struct session *s = ctx;
	json_t *results;
	bool ok;

	if (s->direct_error)
		return skip_or_fail(s);
	results = run(s, "schema --json", "");
	ok = json_array_size(results) == 2 && same_schemas(s, results, "vm");
	ok = ok && same_schemas(s, results, "vcpu");
	json_decref(results);
	return ok ? PASS : FAIL;
}
