// SPDX-License-Identifier: GPL-2.0-only
/* The statistics of all sources: which are selected, their values and growth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kvm_stat.h"

/* ---- regular expressions ---- */

/* What has another meaning in Python, for which users of kvm_stat may have written expressions. */
static const char *python_syntax(const char *regex)
{
	static const char * const syntax[] = {
		"(?", "\\d", "\\D", "\\A", "\\Z", "*?", "+?", "??", "}?",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(syntax); i++) {
		if (strstr(regex, syntax[i]))
			return syntax[i];
	}
	return NULL;
}

bool pattern_compile(regex_t *pattern, const char *regex, char *why, size_t size)
{
	const char *syntax = python_syntax(regex);
	char text[128];
	int err;

	if (syntax) {
		snprintf(why, size, "'%.200s' uses %s of Python; only POSIX extended regular "
			 "expressions are supported, see regex(7)", regex, syntax);
		return false;
	}
	err = regcomp(pattern, regex, REG_EXTENDED);
	if (!err)
		return true;
	regerror(err, pattern, text, sizeof(text));
	snprintf(why, size, "'%.200s' is not a regular expression: %s", regex, text);
	return false;
}

bool pattern_matches(const regex_t *pattern, const char *text)
{
	regmatch_t match;

	/* Of all matches, regexec() returns the one that starts first. */
	return !regexec(pattern, text, 1, &match, 0) && match.rm_so == 0;
}

/* ---- sources ---- */

/* Adds the source, or closes it, prints why, and returns false if it has no statistics. */
static bool add_source(struct stats *stats, struct source *source)
{
	if (source->count) {
		stats->source[stats->sources++] = source;
		strcpy(stats->notice, source->problem);
		return true;
	}
	complain("%s", source->problem);
	source->close(source);
	return false;
}

bool stats_open(struct stats *stats, unsigned int uses, bool include_past)
{
	*stats = (struct stats){ .regex = copy_text("") };
	if (uses != USE_DEBUGFS && !add_source(stats, tracepoints_open(NULL, NULL))) {
		if (uses)
			return false;
		complain("Trying debugfs instead.");
		uses = USE_DEBUGFS;
	}
	if (uses & USE_DEBUGFS) {
		stats->debugfs = debugfs_open(NULL, include_past);
		return add_source(stats, stats->debugfs);
	}
	return true;
}

void stats_close(struct stats *stats)
{
	while (stats->sources) {
		struct source *source = stats->source[--stats->sources];

		source->close(source);
	}
	free(stats->regex);
	free(stats->shown);
}

/* ---- the selection ---- */

/* A part of a statistic also selects the whole. */
static void select_matches(struct source *source, const regex_t *pattern)
{
	size_t i;

	for (i = 0; i < source->count; i++)
		source->stat[i].selected = !pattern ||
					   pattern_matches(pattern, source->stat[i].name);
	for (i = 0; i < source->count; i++) {
		if (source->stat[i].selected && source->stat[i].parent >= 0)
			source->stat[source->stat[i].parent].selected = true;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct statistic * const *)a)->name,
		      (*(const struct statistic * const *)b)->name);
}

static void sort_shown(struct stats *stats)
{
	size_t i, j;

	stats->count = 0;
	for (i = 0; i < stats->sources; i++) {
		struct source *source = stats->source[i];

		stats->shown = resize_array(stats->shown, stats->count + source->count + 1,
					    sizeof(struct statistic *));
		for (j = 0; j < source->count; j++) {
			if (source->stat[j].selected)
				stats->shown[stats->count++] = &source->stat[j];
		}
	}
	qsort(stats->shown, stats->count, sizeof(struct statistic *), by_name);
}

void stats_list(struct stats *stats)
{
	size_t i;

	for (i = 0; i < stats->sources; i++)
		select_matches(stats->source[i], NULL);
	sort_shown(stats);
}

bool stats_select(struct stats *stats, const char *regex, pid_t pid)
{
	char *copy = copy_text(regex);
	regex_t pattern;
	bool good = true;
	size_t i;

	*stats->problem = '\0';
	stats->has_values = false;
	stats->pid = pid;
	free(stats->regex);
	stats->regex = copy;
	if (*copy && !pattern_compile(&pattern, copy, stats->problem, sizeof(stats->problem)))
		return false;
	for (i = 0; i < stats->sources; i++) {
		struct source *source = stats->source[i];

		select_matches(source, *copy ? &pattern : NULL);
		if (!source->select(source, pid)) {
			strcpy(stats->problem, source->problem);
			good = false;
		}
	}
	if (*copy)
		regfree(&pattern);
	sort_shown(stats);
	return good;
}

/* ---- values ---- */

bool stats_read(struct stats *stats)
{
	size_t i;

	*stats->problem = '\0';
	for (i = 0; i < stats->count; i++)
		stats->shown[i]->before = stats->shown[i]->value;
	stats->time_before = stats->time;
	stats->time = clock_now();
	for (i = 0; i < stats->sources; i++) {
		struct source *source = stats->source[i];

		if (!source->read(source))
			strcpy(stats->problem, source->problem);
	}
	/* The first reading has nothing to compare with. */
	for (i = 0; !stats->has_values && i < stats->count; i++)
		stats->shown[i]->before = stats->shown[i]->value;
	stats->has_values = true;
	return !*stats->problem;
}

void stats_reset(struct stats *stats)
{
	size_t i;

	for (i = 0; i < stats->sources; i++)
		stats->source[i]->reset(stats->source[i]);
	stats->has_values = false;
}

int64_t statistic_growth(const struct statistic *stat)
{
	return stat->value - stat->before;
}
