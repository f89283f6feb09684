// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/exposition.h"
#include "qemu/answer.h"

#define NAME_SIZE	128
#define SERIES_SIZE	512

/* ---- lines ---- */

static const char *value_of(const char *text, const char *series)
{
	static char value[64];
	size_t len = strlen(series);
	const char *at = text;

	value[0] = '\0';
	while ((at = strstr(at, series))) {
		if ((at == text || at[-1] == '\n') && at[len] == ' ') {
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(at + len + 1, "\n "),
				 at + len + 1);
			break;
		}
		at += len;
	}
	return value;
}

const char *exposition_value(const char *text, const struct exposed *labels, const char *name,
			     const char *more)
{
	char series[SERIES_SIZE], vcpu[32] = "";

	if (labels->vcpu >= 0)
		snprintf(vcpu, sizeof(vcpu), ",vcpu=\"%d\"", labels->vcpu);
	snprintf(series, sizeof(series), "%s{guest=\"%s\",uuid=\"\"%s%s}", name, labels->guest,
		 vcpu, more);
	return value_of(text, series);
}

bool exposition_of_vmm(const char *text, const struct exposed *labels, const char *name,
		       const char *value)
{
	char series[SERIES_SIZE];

	snprintf(series, sizeof(series), "%s{guest=\"%s\",uuid=\"\"}", name, labels->guest);
	return !strcmp(value_of(text, series), value);
}

bool exposition_names(const char *text, pid_t pid)
{
	char label[32];

	snprintf(label, sizeof(label), "pid=\"%d\"", (int)pid);
	return strstr(text, label);
}

/* ---- statistics ---- */

static bool is(const json_t *schema, const char *key, const char *value)
{
	const char *found = json_string_value(json_object_get(schema, key));

	return found && !strcmp(found, value);
}

/* For example, the metric of the statistic halt_wait_ns is kvm_vcpu_halt_wait_seconds_total. */
static void make_name(char *name, const struct exposed *labels, const json_t *schema)
{
	const char *stat = answer_name(schema);
	size_t len = strlen(stat);
	bool time = is(schema, "unit", "seconds");

	if (time && len > 3 && !strcmp(stat + len - 3, "_ns"))
		len -= 3;
	snprintf(name, NAME_SIZE, "kvm_%s_%.*s%s%s", labels->vcpu < 0 ? "vm" : "vcpu", (int)len,
		 stat, time ? "_seconds" : "", is(schema, "type", "cumulative") ? "_total" : "");
}

/* Parses seconds with up to nine decimal places, and stores them in ns. */
static bool parse_time(const char *text, uint64_t *ns)
{
	char *end;
	int digit;

	*ns = strtoull(text, &end, 10);
	if (end == text)
		return false;
	if (*end == '.')
		end++;
	for (digit = 0; digit < 9; digit++) {
		*ns *= 10;
		if (*end >= '0' && *end <= '9')
			*ns += *end++ - '0';
	}
	return !*end;
}

static bool has_value(const char *text, const struct exposed *labels, const char *name,
		      const json_t *schema, uint64_t expected)
{
	const char *value = exposition_value(text, labels, name, "");
	uint64_t found;
	char *end;

	if (is(schema, "unit", "seconds"))
		return json_integer_value(json_object_get(schema, "exponent")) == -9 &&
		       parse_time(value, &found) && found == expected;
	found = strtoull(value, &end, 10);
	return *value && !*end && found == expected;
}

static uint64_t count_samples(const json_t *stat)
{
	uint64_t sum = 0, value;
	size_t n;

	for (n = 0; n < answer_size(stat) && answer_value(stat, n, &value); n++)
		sum += value;
	return sum;
}

bool exposition_has_samples(const char *text, const char *guest, const char *stat, uint64_t count)
{
	struct exposed labels = { .guest = guest, .vcpu = -1 };
	char buckets[NAME_SIZE + 8];
	const char *shown;
	uint64_t found;
	char *end;

	snprintf(buckets, sizeof(buckets), "kvm_guest_%s_seconds_bucket", stat);
	shown = exposition_value(text, &labels, buckets, ",le=\"+Inf\"");
	found = strtoull(shown, &end, 10);
	return *shown && !*end && found == count;
}

void exposition_count_samples(const json_t *stats, const char *name, uint64_t *count)
{
	const json_t *stat = answer_find(stats, name);

	if (stat)
		*count += count_samples(stat);
}

/* serve does not export them while they are off, and classes as labels. See check/exits.c. */
static bool is_exit_stat(const char *name)
{
	return !strncmp(name, "exit_", 5) || !strcmp(name, "guest_ns") ||
	       !strcmp(name, "userspace_ns") || !strcmp(name, "halted_ns");
}

const char *exposition_difference(const char *text, const struct exposed *labels,
				  const json_t *stats, const json_t *schemas)
{
	char name[NAME_SIZE];
	uint64_t value;
	json_t *stat;
	size_t i;

	if (!json_array_size(stats))
		return "all statistics";
	json_array_foreach(stats, i, stat) {
		const json_t *schema = answer_find(schemas, answer_name(stat));
		bool good;

		make_name(name, labels, schema);
		good = is_exit_stat(answer_name(stat)) ||
		       is(schema, "type", "log2-histogram") ||
		       (answer_value(stat, 0, &value) &&
			has_value(text, labels, name, schema, value));
		if (!good)
			return answer_name(stat);
	}
	return NULL;
}
