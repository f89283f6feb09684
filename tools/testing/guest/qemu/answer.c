// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <string.h>

#include "qemu/answer.h"
#include "qemu/check/table.h"

/* The number of buckets of the histograms that all architectures have. */
#define HIST_SIZE	32

/* The properties that a name requires. The first pattern that matches applies. */
static const struct rule {
	const char *pattern;
	const char *type;
	const char *unit;
	int exponent;		/* of 10 */
} rules[] = {
	{ "*_hist",		"log2-histogram",	"seconds",	-9 },
	{ "*_max_ns",		"peak",			"seconds",	-9 },
	{ "*_ns",		"cumulative",		"seconds",	-9 },
	{ "max_*",		"peak",			NULL,		0 },
	{ "blocking",		"instant",		"boolean",	0 },
	{ "guest_mode",		"instant",		"boolean",	0 },
	{ "pages_*",		"instant",		NULL,		0 },
	{ "mmu_unsync",		"instant",		NULL,		0 },
	{ "mmu_shadow_pages",	"instant",		NULL,		0 },
	{ "nx_lpage_splits",	"instant",		NULL,		0 },
	{ "*",			"cumulative",		NULL,		0 },
};

static const char *text(const json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key)) ?: "";
}

const char *answer_name(const json_t *stat)
{
	return text(stat, "name");
}

json_t *answer_find(const json_t *stats, const char *name)
{
	json_t *stat;
	size_t i;

	json_array_foreach(stats, i, stat)
		if (!strcmp(answer_name(stat), name))
			return stat;
	return NULL;
}

json_t *answer_stats(const json_t *results, const char *key, const char *value)
{
	json_t *found = NULL;
	json_t *result;
	size_t i;

	json_array_foreach(results, i, result) {
		if (strcmp(text(result, key), value))
			continue;
		if (found)
			return NULL;
		found = json_object_get(result, "stats");
	}
	return found;
}

size_t answer_size(const json_t *stat)
{
	const json_t *value = json_object_get(stat, "value");

	return json_is_array(value) ? json_array_size(value) : value ? 1 : 0;
}

bool answer_value(const json_t *stat, size_t n, uint64_t *value)
{
	const json_t *v = json_object_get(stat, "value");

	/* QEMU 7.2 lists the buckets in reverse order. */
	if (json_is_array(v))
		v = n < json_array_size(v) ?
		    json_array_get(v, json_array_size(v) - 1 - n) : NULL;
	else if (n)
		return false;

	if (json_is_boolean(v))
		*value = json_is_true(v);
	else if (json_is_integer(v))
		*value = json_integer_value(v);
	else
		return false;
	return true;
}

static bool names_within(const json_t *a, const json_t *b)
{
	bool ok = true;
	json_t *stat;
	size_t i;

	json_array_foreach(a, i, stat) {
		if (answer_find(a, answer_name(stat)) != stat) {
			note("%s occurs twice", answer_name(stat));
			ok = false;
		}
		if (!answer_find(b, answer_name(stat))) {
			note("%s is only in one of the answers", answer_name(stat));
			ok = false;
		}
	}
	return ok;
}

bool answer_same_names(const json_t *a, const json_t *b)
{
	bool ok = json_array_size(a) && json_array_size(b);

	if (!ok)
		note("names expected, found none");
	ok &= names_within(a, b);
	ok &= names_within(b, a);
	return ok;
}

bool answer_right_schema(const json_t *schema)
{
	const char *name = answer_name(schema);
	const struct rule *rule = rules;
	json_int_t base, exponent;

	while (fnmatch(rule->pattern, name, 0))
		rule++;

	base = json_integer_value(json_object_get(schema, "base"));
	exponent = json_integer_value(json_object_get(schema, "exponent"));
	if (!strcmp(text(schema, "type"), rule->type) &&
	    !strcmp(text(schema, "unit"), rule->unit ?: "") &&
	    base == (rule->exponent ? 10 : 0) && exponent == rule->exponent &&
	    !json_object_get(schema, "bucket-size"))
		return true;

	note("%s: expected %s, unit '%s', exponent %d", name, rule->type, rule->unit ?: "",
	     rule->exponent);
	note("%s: found %s, unit '%s', base %lld, exponent %lld", name, text(schema, "type"),
	     text(schema, "unit"), (long long)base, (long long)exponent);
	return false;
}

bool answer_right_value(const json_t *stat, const json_t *schema)
{
	const json_t *value = json_object_get(stat, "value");
	bool ok;

	if (!strcmp(text(schema, "unit"), "boolean"))
		ok = json_is_boolean(value);
	else if (!strcmp(text(schema, "type"), "log2-histogram"))
		ok = json_is_array(value) && json_array_size(value) == HIST_SIZE;
	else
		ok = json_is_integer(value) && json_integer_value(value) >= 0;

	if (!ok)
		note("%s: the value does not have the type of its schema", answer_name(stat));
	return ok;
}
