// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "targets/exit_class.h"
#include "targets/stat.h"
#include "targets/stat_set.h"

void stat_sets_init(struct stat_sets *sets, const struct filter *filter)
{
	*sets = (struct stat_sets){ .filter = filter };
}

static void free_set(struct stat_set *set)
{
	kvmstats_schema_free(set->owned);
	free(set->stat);
	free(set);
}

void stat_sets_free(struct stat_sets *sets)
{
	size_t i;

	for (i = 0; i < sets->sets; i++)
		free_set(sets->set[i]);
	free(sets->set);
	*sets = (struct stat_sets){ 0 };
}

static bool is_part_of(const char *name, const char *parent)
{
	size_t len = stat_parent_length(name);

	return len && strlen(parent) == len && !strncmp(name, parent, len);
}

/* Selects statistics that match the filter, and the parents of those. */
static bool is_selected(const struct stat_set *set, const struct filter *filter, size_t i)
{
	const struct kvmstats_stat *stat = kvmstats_schema_stat(set->schema, i);
	const struct kvmstats_stat *part;

	if (filter_selects_stat(filter, stat))
		return true;
	/* In the schema, child events come after their parent. */
	while ((part = kvmstats_schema_stat(set->schema, ++i)) &&
	       is_part_of(kvmstats_stat_name(part), kvmstats_stat_name(stat))) {
		if (filter_selects_stat(filter, part))
			return true;
	}
	return false;
}

static void select_stats(struct stat_set *set, const struct filter *filter)
{
	size_t i;

	set->stats = 0;
	for (i = 0; i < kvmstats_schema_count(set->schema); i++) {
		if (is_selected(set, filter, i))
			set->stat[set->stats++] = kvmstats_schema_stat(set->schema, i);
	}
}

bool stat_sets_match_nothing(const struct stat_sets *sets)
{
	size_t i;

	for (i = 0; i < sets->sets; i++) {
		if (sets->set[i]->stats)
			return false;
	}
	return sets->sets && sets->filter->has_regex;
}

void stat_sets_select(struct stat_sets *sets)
{
	size_t i;

	for (i = 0; i < sets->sets; i++)
		select_stats(sets->set[i], sets->filter);
}

static size_t count_values(const struct kvmstats_schema *schema)
{
	size_t values = 0;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		size_t end = stat_index(stat) + kvmstats_stat_size(stat);

		if (end > values)
			values = end;
	}
	return values;
}

const uint64_t *stat_set_values(const struct stat_set *set, const struct kvmstats_sample *sample)
{
	const struct kvmstats_stat *first = kvmstats_schema_stat(set->schema, 0);
	const uint64_t *values = first ? kvmstats_sample_values(sample, first) : NULL;

	return values ? values - stat_index(first) : NULL;
}

static struct stat_set *new_set(const struct kvmstats_schema *schema)
{
	size_t count = kvmstats_schema_count(schema);
	struct stat_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->stat = calloc(count + 1, sizeof(*set->stat));
	if (!set->stat) {
		free(set);
		return NULL;
	}
	set->schema = schema;
	set->values = count_values(schema);
	set->has_exits = has_exit_stats(schema);
	return set;
}

static int append(struct stat_sets *sets, struct stat_set *set)
{
	struct stat_set **more = realloc(sets->set, (sets->sets + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	sets->set = more;
	sets->set[sets->sets++] = set;
	return 0;
}

static bool same_stat(const struct kvmstats_stat *a, const struct kvmstats_stat *b)
{
	return stat_is_like(a, b) && kvmstats_stat_offset(a) == kvmstats_stat_offset(b);
}

static bool same_schema(const struct kvmstats_schema *a, const struct kvmstats_schema *b)
{
	size_t i;

	if (kvmstats_schema_count(a) != kvmstats_schema_count(b))
		return false;
	for (i = 0; i < kvmstats_schema_count(a); i++) {
		if (!same_stat(kvmstats_schema_stat(a, i), kvmstats_schema_stat(b, i)))
			return false;
	}
	return true;
}

static struct stat_set *find_owned(const struct stat_sets *sets,
				   const struct kvmstats_schema *schema)
{
	size_t i;

	for (i = 0; i < sets->sets; i++) {
		if (sets->set[i]->owned && same_schema(sets->set[i]->schema, schema))
			return sets->set[i];
	}
	return NULL;
}

static struct stat_set *find_shared(const struct stat_sets *sets,
				    const struct kvmstats_schema *schema)
{
	size_t i;

	for (i = 0; i < sets->sets; i++) {
		if (sets->set[i]->schema == schema)
			return sets->set[i];
	}
	return NULL;
}

/* Returns NULL if memory is exhausted. */
static struct stat_set *add_set(struct stat_sets *sets, const struct kvmstats_schema *schema)
{
	struct stat_set *set = new_set(schema);

	if (!set)
		return NULL;
	if (append(sets, set)) {
		free_set(set);
		return NULL;
	}
	select_stats(set, sets->filter);
	return set;
}

int stat_sets_add_shared(struct stat_sets *sets, const struct kvmstats_schema *schema,
			 const struct stat_set **set)
{
	*set = find_shared(sets, schema);
	if (!*set)
		*set = add_set(sets, schema);
	return *set ? 0 : -ENOMEM;
}

int stat_sets_add(struct stat_sets *sets, struct kvmstats_schema *schema,
		  const struct stat_set **setp)
{
	struct stat_set *set = find_owned(sets, schema);

	*setp = set;
	if (set) {
		kvmstats_schema_free(schema);
		return 0;
	}
	set = add_set(sets, schema);
	if (!set) {
		kvmstats_schema_free(schema);
		return -ENOMEM;
	}
	set->owned = schema;
	*setp = set;
	return 0;
}
