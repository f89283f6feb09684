// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "util.h"
#include "targets/exit_class.h"

#define PREFIX		"exit_"
#define TIME_SUFFIX	"_ns"

static bool is_counter(const struct kvmstats_stat *stat, enum kvmstats_unit unit)
{
	return kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE &&
	       kvmstats_stat_size(stat) == 1 && kvmstats_stat_unit(stat) == unit;
}

/* Removes the prefix, and the suffix of a time. */
static bool parse_name(const struct kvmstats_stat *stat, struct exit_class *class)
{
	const char *name = kvmstats_stat_name(stat);
	size_t length = strlen(name);
	size_t suffix = class->is_time ? strlen(TIME_SUFFIX) : 0;

	if (length <= strlen(PREFIX) + suffix || strncmp(name, PREFIX, strlen(PREFIX)))
		return false;
	class->name = name + strlen(PREFIX);
	class->length = length - strlen(PREFIX) - suffix;
	return !suffix || !strcmp(class->name + class->length, TIME_SUFFIX);
}

static bool same_class(const struct exit_class *a, const struct exit_class *b)
{
	return a->length == b->length && !memcmp(a->name, b->name, a->length);
}

/* Returns the time of the counter @class, or the counter of the time, or NULL. */
static const struct kvmstats_stat *find_partner(const struct kvmstats_schema *schema,
						const struct exit_class *class)
{
	enum kvmstats_unit unit = class->is_time ? KVMSTATS_UNIT_NONE : KVMSTATS_UNIT_SECONDS;
	struct exit_class partner = { .is_time = !class->is_time };
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);

		if (is_counter(stat, unit) && parse_name(stat, &partner) &&
		    same_class(&partner, class))
			return stat;
	}
	return NULL;
}

bool exit_class_of(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat,
		   struct exit_class *class)
{
	struct exit_class found = { .is_time = is_counter(stat, KVMSTATS_UNIT_SECONDS) };

	if (!found.is_time && !is_counter(stat, KVMSTATS_UNIT_NONE))
		return false;
	if (!parse_name(stat, &found))
		return false;
	found.partner = find_partner(schema, &found);
	if (!found.partner)
		return false;
	*class = found;
	return true;
}

bool has_exit_stats(const struct kvmstats_schema *schema)
{
	struct exit_class class;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		if (exit_class_of(schema, kvmstats_schema_stat(schema, i), &class))
			return true;
	}
	return false;
}

bool is_exit_stat(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat)
{
	static const char * const others[] = {
		"exit_hist", "guest_ns", "userspace_ns", "halted_ns",
	};
	struct exit_class class;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(kvmstats_stat_name(stat), others[i]))
			return true;
	}
	return exit_class_of(schema, stat, &class);
}
