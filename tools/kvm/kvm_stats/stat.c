// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "util.h"

/* ---- statistics ---- */

bool stat_counts_up(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

bool stat_is_like(const struct kvmstats_stat *a, const struct kvmstats_stat *b)
{
	return kvmstats_stat_flags(a) == kvmstats_stat_flags(b) &&
	       kvmstats_stat_exponent(a) == kvmstats_stat_exponent(b) &&
	       kvmstats_stat_size(a) == kvmstats_stat_size(b) &&
	       kvmstats_stat_bucket_size(a) == kvmstats_stat_bucket_size(b) &&
	       !strcmp(kvmstats_stat_name(a), kvmstats_stat_name(b));
}

size_t stat_index(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_offset(stat) / sizeof(uint64_t);
}

double stat_factor(const struct kvmstats_stat *stat)
{
	return pow(kvmstats_stat_base(stat) == KVMSTATS_BASE_POW2 ? 2 : 10,
		   kvmstats_stat_exponent(stat));
}

bool stat_is_in_exits(const char *name)
{
	return !strncmp(name, "exit_", strlen("exit_"));
}

/* ---- exit statistics ---- */

static bool is_counter(const struct kvmstats_stat *stat, enum kvmstats_unit unit)
{
	return stat && kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE &&
	       kvmstats_stat_size(stat) == 1 && kvmstats_stat_unit(stat) == unit;
}

bool exit_class_of(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat,
		   struct exit_class *class)
{
	const char *name = kvmstats_stat_name(stat);
	bool is_time = is_counter(stat, KVMSTATS_UNIT_SECONDS);
	const struct kvmstats_stat *partner;
	size_t length = strlen(name);
	char other[128];

	if ((!is_time && !is_counter(stat, KVMSTATS_UNIT_NONE)) || !stat_is_in_exits(name) ||
	    (is_time && !ends_with(name, "_ns")))
		return false;
	length -= is_time ? strlen("_ns") : 0;
	snprintf(other, sizeof(other), "%.*s%s", (int)length, name, is_time ? "" : "_ns");
	partner = kvmstats_schema_find(schema, other);
	if (length <= strlen("exit_") ||
	    !is_counter(partner, is_time ? KVMSTATS_UNIT_NONE : KVMSTATS_UNIT_SECONDS))
		return false;
	*class = (struct exit_class){
		.name = name + strlen("exit_"),
		.length = length - strlen("exit_"),
		.is_time = is_time,
		.partner = partner,
	};
	return true;
}

bool is_exit_stat(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat)
{
	static const char * const others[] = {
		"exit_hist", "guest_ns", "userspace_ns", "halted_ns", NULL
	};
	struct exit_class class;

	return is_one_of(kvmstats_stat_name(stat), others) || exit_class_of(schema, stat, &class);
}

/* ---- sets of statistics ---- */

const uint64_t *stat_set_values(const struct stat_set *set, const struct kvmstats_sample *sample)
{
	const struct kvmstats_stat *first = kvmstats_schema_stat(set->schema, 0);
	const uint64_t *values = first && sample ? kvmstats_sample_values(sample, first) : NULL;

	return values ? values - stat_index(first) : NULL;
}

static void select_stats(struct stat_set *set, const struct filter *filter)
{
	size_t i;

	set->stats = 0;
	for (i = 0; i < kvmstats_schema_count(set->schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(set->schema, i);

		if (filter_selects_name(filter, kvmstats_stat_name(stat)))
			set->stat[set->stats++] = stat;
	}
}

static void free_set(struct stat_set *set)
{
	free(set->stat);
	free(set);
}

void stat_sets_free(struct stat_sets *sets)
{
	while (sets->sets)
		free_set(sets->set[--sets->sets]);
	free(sets->set);
	sets->set = NULL;
}

static struct stat_set *new_set(const struct kvmstats_schema *schema)
{
	size_t count = kvmstats_schema_count(schema), i;
	struct stat_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->schema = schema;
	set->stat = calloc(count + 1, sizeof(*set->stat));
	for (i = 0; i < count; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		size_t end = stat_index(stat) + kvmstats_stat_size(stat);

		if (end > set->values)
			set->values = end;
	}
	return set;
}

const struct stat_set *stat_set_get(struct stat_sets *sets, const struct kvmstats_schema *schema)
{
	struct stat_set *set, **more;
	size_t i;

	for (i = 0; i < sets->sets; i++) {
		if (sets->set[i]->schema == schema)
			return sets->set[i];
	}
	set = new_set(schema);
	if (!set)
		return NULL;
	more = realloc(sets->set, (sets->sets + 1) * sizeof(*more));
	if (more)
		sets->set = more;
	if (!more || !set->stat) {
		free_set(set);
		return NULL;
	}
	more[sets->sets++] = set;
	select_stats(set, sets->filter);
	return set;
}
