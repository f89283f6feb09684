// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "targets/exit_class.h"
#include "top/exits.h"
#include "values/row.h"

/* ---- names ---- */

/* The name of the statistic or tracepoint that counts all exits, of each architecture */
static const char * const exits_names[] = { "exits", "sum_exits", "kvm_exit" };
/* The best statistic for page faults of a guest is first. */
static const char * const faults_names[] = { "pf_taken", "pf_fixed", "pf_storage",
					     "kvm_page_fault" };
/* Kinds of exits that have other names than most */
static const char * const kind_names[] = { "hypercalls", "pf_taken", "invlpg" };

static bool is_one_of(const char *name, const char * const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

/* Copies @name without the first occurrence of @part. Returns false if @name lacks it. */
static bool copy_without(char *buf, const char *name, const char *part)
{
	const char *at = strstr(name, part);

	if (!at)
		return false;
	snprintf(buf, EXIT_NAME_SIZE, "%.*s%s", (int)(at - name), name, at + strlen(part));
	return true;
}

bool exit_kind_name(char *buf, const char *name)
{
	static const char * const parts[] = { "_exit_stat", "_exits", "exit_", "_exit" };
	size_t len = strlen(name);
	size_t i;

	if (len > 3 && !strcmp(name + len - 3, "_ns"))
		return false;
	if (is_one_of(name, exits_names, ARRAY_SIZE(exits_names)))
		return false;
	if (!strncmp(name, "kvm_exit(", strlen("kvm_exit("))) {
		snprintf(buf, EXIT_NAME_SIZE, "%s", name + strlen("kvm_exit("));
		buf[strcspn(buf, ")")] = '\0';
		return true;
	}
	if (is_one_of(name, kind_names, ARRAY_SIZE(kind_names))) {
		snprintf(buf, EXIT_NAME_SIZE, "%s", name);
		return true;
	}
	if (!strncmp(name, "kvm_", 4))
		return false;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (copy_without(buf, name, parts[i]))
			return true;
	}
	return false;
}

/* ---- the statistics of a schema ---- */

static const struct kvmstats_stat *find(const struct stat_set *set, const char * const *names,
					size_t count)
{
	const struct kvmstats_stat *stat = NULL;
	size_t i;

	for (i = 0; !stat && i < count; i++)
		stat = kvmstats_schema_find(set->schema, names[i]);
	return stat;
}

static void find_kinds(struct exit_stats *stats, bool classes)
{
	const struct kvmstats_schema *schema = stats->set->schema;
	size_t count = kvmstats_schema_count(schema);
	size_t i;

	for (i = 0; i < count && stats->kinds < EXIT_KINDS; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		struct exit_kind_stats *kind = &stats->kind[stats->kinds];
		struct exit_class class = { 0 };

		if (kvmstats_stat_size(stat) != 1 ||
		    kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE ||
		    !exit_kind_name(kind->name, kvmstats_stat_name(stat)) ||
		    exit_class_of(schema, stat, &class) != classes)
			continue;
		kind->count = stat;
		kind->ns = class.partner;
		stats->kinds++;
	}
}

static struct exit_stats *add_entry(struct exit_stats_list *list, const struct stat_set *set)
{
	struct exit_stats *more;

	more = array_grow(list->entry, list->count, &list->capacity, sizeof(*more));
	if (!more)
		return NULL;
	list->entry = more;
	more += list->count++;
	*more = (struct exit_stats){
		.set = set,
		.exits = find(set, exits_names, ARRAY_SIZE(exits_names)),
		.faults = find(set, faults_names, ARRAY_SIZE(faults_names)),
		.polls = kvmstats_schema_find(set->schema, "halt_attempted_poll"),
		.good_polls = kvmstats_schema_find(set->schema, "halt_successful_poll"),
		.run_delay = kvmstats_schema_find(set->schema, "run_delay_ns"),
		.guest = kvmstats_schema_find(set->schema, "guest_ns"),
		.userspace = kvmstats_schema_find(set->schema, "userspace_ns"),
		.halted = kvmstats_schema_find(set->schema, "halted_ns"),
		.blocking = kvmstats_schema_find(set->schema, "blocking"),
	};
	find_kinds(more, true);
	more->classes = more->kinds;
	find_kinds(more, false);
	return more;
}

const struct exit_stats *exit_stats_of(struct exit_stats_list *list, const struct stat_set *set)
{
	struct exit_stats *entry = NULL;
	size_t i;

	for (i = 0; !entry && i < list->count; i++) {
		if (list->entry[i].set == set)
			entry = &list->entry[i];
	}
	if (!entry)
		entry = add_entry(list, set);
	if (entry)
		entry->on = list->state == EXITS_ON;
	return entry;
}

void exit_stats_free(struct exit_stats_list *list)
{
	free(list->entry);
	*list = (struct exit_stats_list){ 0 };
}

/* ---- rates ---- */

/* Adds the rate of @stat, if it is known. Returns whether it is. */
static bool add_rate(double *sum, const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row;

	if (!stat)
		return false;
	row_get(&row, target, stat);
	*sum += row.rate;
	return row.growth == GROWTH_KNOWN || row.growth == GROWTH_CLEARED;
}

static void add_kind(struct exit_tally *tally, const char *name, double rate)
{
	size_t i;

	for (i = 0; i < tally->kinds && strcmp(tally->kind[i].name, name); i++)
		;
	if (i == EXIT_KINDS)
		return;
	if (i == tally->kinds) {
		snprintf(tally->kind[i].name, EXIT_NAME_SIZE, "%s", name);
		tally->kinds++;
	}
	tally->kind[i].rate += rate;
}

bool exit_stats_count(const struct exit_stats *stats, const struct target *target)
{
	struct row row;

	if (!stats->on || !stats->classes || !stats->guest)
		return false;
	row_get(&row, target, stats->guest);
	return row.value;
}

void exit_tally_add(struct exit_tally *tally, const struct exit_stats *stats,
		    const struct target *target)
{
	bool classes = exit_stats_count(stats, target);
	size_t end = classes ? stats->classes : stats->kinds;
	size_t i;

	tally->has_exits |= add_rate(&tally->exits, target, stats->exits);
	tally->has_faults |= add_rate(&tally->faults, target, stats->faults);
	add_rate(&tally->polls, target, stats->polls);
	add_rate(&tally->good_polls, target, stats->good_polls);
	/* debugfs has sums over the vCPUs of a VM. */
	if (target->scope == SCOPE_VCPU && add_rate(&tally->run_delay, target, stats->run_delay))
		tally->vcpus++;
	for (i = classes ? 0 : stats->classes; i < end; i++) {
		double rate = 0;

		add_rate(&rate, target, stats->kind[i].count);
		if (rate > 0)
			add_kind(tally, stats->kind[i].name, rate);
	}
}

void exit_tally_add_tally(struct exit_tally *tally, const struct exit_tally *other)
{
	size_t i;

	tally->exits += other->exits;
	tally->faults += other->faults;
	tally->polls += other->polls;
	tally->good_polls += other->good_polls;
	tally->has_exits |= other->has_exits;
	tally->has_faults |= other->has_faults;
	tally->run_delay += other->run_delay;
	tally->vcpus += other->vcpus;
	for (i = 0; i < other->kinds; i++)
		add_kind(tally, other->kind[i].name, other->kind[i].rate);
}

void exit_tally_sort(struct exit_tally *tally, size_t count)
{
	size_t i, j;

	for (i = 0; i < count && i < tally->kinds; i++) {
		for (j = i + 1; j < tally->kinds; j++) {
			struct exit_kind kind = tally->kind[i];

			if (tally->kind[j].rate <= kind.rate)
				continue;
			tally->kind[i] = tally->kind[j];
			tally->kind[j] = kind;
		}
	}
}
