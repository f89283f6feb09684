// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "serve/names.h"

/* With a larger exponent a converted value would consist of zeros only. */
#define MAX_EXPONENT	64

#define MIN_TIME_NS	8192
/* KVM polls for 10 us at first, and never longer than halt_poll_ns, which is 200 us on x86. */
#define MIN_POLL_NS	10000
#define MAX_POLL_NS	524288

static const struct {
	const char *prefix;
	const char *description;	/* for a statistic without a text in the library */
	const char *addition;		/* to the text in the library */
} kinds[] = {
	[KIND_GUEST] = { "kvm_guest_", "of all vCPUs of a guest", " Sum over all vCPUs." },
	[KIND_VM] = { "kvm_vm_", "of a VM", "" },
	[KIND_VCPU] = { "kvm_vcpu_", "of a vCPU", "" },
	[KIND_DEBUGFS] = { "kvm_debugfs_", "of a VM and its vCPUs, from debugfs",
			   " From debugfs, with the sum over all vCPUs." },
};

const struct type_name type_names[] = {
	[METRIC_COUNTER] = { "counter", "counter", "_total" },
	[METRIC_GAUGE] = { "gauge", "gauge", "" },
	[METRIC_HISTOGRAM] = { "histogram", "histogram", "" },
	[METRIC_INFO] = { "info", "gauge", "_info" },
	[METRIC_UNKNOWN] = { "unknown", "untyped", "" },
};

/* ---- types and units ---- */

static enum metric_type type_of(const struct kvmstats_stat *stat)
{
	switch (kvmstats_stat_type(stat)) {
	case KVMSTATS_TYPE_CUMULATIVE:
		return METRIC_COUNTER;
	case KVMSTATS_TYPE_INSTANT:
	case KVMSTATS_TYPE_PEAK:
		return METRIC_GAUGE;
	case KVMSTATS_TYPE_LINEAR_HIST:
	case KVMSTATS_TYPE_LOG_HIST:
		return METRIC_HISTOGRAM;
	default:
		return METRIC_UNKNOWN;
	}
}

/* Whether the values can be converted to the base unit, such as seconds or bytes. */
static bool can_scale(const struct kvmstats_stat *stat)
{
	return kvmstats_base_name(kvmstats_stat_base(stat)) &&
	       abs(kvmstats_stat_exponent(stat)) <= MAX_EXPONENT;
}

static bool is_time(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_SECONDS && can_scale(stat);
}

/* Returns "seconds", "bytes", "cycles" or NULL. */
static const char *unit_of(const struct kvmstats_stat *stat)
{
	unsigned int unit = kvmstats_stat_unit(stat);

	if (!can_scale(stat))
		return NULL;
	if (unit == KVMSTATS_UNIT_SECONDS || unit == KVMSTATS_UNIT_BYTES ||
	    unit == KVMSTATS_UNIT_CYCLES)
		return kvmstats_unit_name(unit);
	return NULL;
}

const char *stat_scaled(const struct kvmstats_stat *stat, uint64_t value, char *buf)
{
	if (!can_scale(stat) || kvmstats_stat_scale(stat, value, buf, SCALED_SIZE) < 0)
		snprintf(buf, SCALED_SIZE, "%" PRIu64, value);
	return buf;
}

/* ---- names ---- */

static bool strip_suffix(char *name, const char *suffix)
{
	size_t len = strlen(name), cut = strlen(suffix);

	if (len < cut || strcmp(name + len - cut, suffix))
		return false;
	name[len - cut] = '\0';
	return true;
}

static bool ends_with_unit(const char *name, const char *unit)
{
	size_t len = strlen(name), cut = strlen(unit);

	return len >= cut && !strcmp(name + len - cut, unit) &&
	       (len == cut || name[len - cut - 1] == '_');
}

/* The name of the statistic, or the one that all classes have together. */
static const char *joint_name(const struct metric *metric)
{
	if (!metric->by_class)
		return kvmstats_stat_name(metric->stat);
	return metric->class.is_time ? "exit_ns" : "exits_by_class";
}

static char *make_name(const struct metric *metric)
{
	const char *unit = metric->unit;
	char *stem = strdup(joint_name(metric)), *name = NULL, *at;

	for (at = stem; at && *at; at++) {
		if (!isascii((unsigned char)*at) || !isalnum((unsigned char)*at))
			*at = '_';
	}
	if (stem && metric->type == METRIC_COUNTER)
		strip_suffix(stem, "_total");
	if (stem && unit && !strcmp(unit, "seconds"))
		(void)(strip_suffix(stem, "_ns") || strip_suffix(stem, "_us") ||
		       strip_suffix(stem, "_ms"));
	if (stem && unit && ends_with_unit(stem, unit))
		unit = NULL;
	if (stem && asprintf(&name, "%s%s%s%s", kinds[metric->kind].prefix, stem,
			     unit ? "_" : "", unit ? unit : "") < 0)
		name = NULL;
	free(stem);
	return name;
}

bool metric_is_same(const struct metric *a, const struct metric *b)
{
	return a->type == b->type && a->kind == b->kind && a->unit == b->unit &&
	       a->by_class == b->by_class && !strcmp(a->name, b->name);
}

bool metric_names_conflict(const char *a, enum metric_type type_of_a, const char *b,
			   enum metric_type type_of_b)
{
	/* OpenMetrics reserves them whether or not there are samples with this suffix. */
	static const char * const suffixes[][6] = {
		[METRIC_COUNTER] = { "", "_total", "_created" },
		[METRIC_GAUGE] = { "" },
		[METRIC_HISTOGRAM] = { "", "_bucket", "_sum", "_count", "_created" },
		[METRIC_INFO] = { "", "_info" },
		[METRIC_UNKNOWN] = { "" },
	};
	const char *const *i, *const *j;
	size_t len = strlen(a), other = strlen(b), common = len < other ? len : other;

	if (strncmp(a, b, common))
		return false;
	/* One name is the start of the other. What follows decides. */
	for (i = suffixes[type_of_a]; *i; i++) {
		for (j = suffixes[type_of_b]; *j; j++) {
			const char *more = len < other ? *i : *j, *rest = len < other ? *j : *i;
			const char *tail = len < other ? b + common : a + common;
			size_t tail_len = strlen(tail);

			if (!strncmp(more, tail, tail_len) && !strcmp(more + tail_len, rest))
				return true;
		}
	}
	return false;
}

/* ---- help ---- */

static const char *library_text(enum kind kind, const char *name)
{
	const char *text = NULL;

	if (kind != KIND_GUEST && kind != KIND_VCPU)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	if (!text && kind != KIND_VM)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);
	return text;
}

static char *default_text(enum kind kind, const struct kvmstats_stat *stat)
{
	bool plain = kvmstats_stat_unit(stat) == KVMSTATS_UNIT_BOOLEAN;
	char unit[64] = "", type[32] = "", *help;

	if (!plain && kvmstats_stat_unit_text(stat, unit, sizeof(unit)) < 0)
		snprintf(unit, sizeof(unit), "unit %u", kvmstats_stat_unit(stat));
	if (!kvmstats_type_name(kvmstats_stat_type(stat)))
		snprintf(type, sizeof(type), ", of type %u", kvmstats_stat_type(stat));
	if (asprintf(&help, "KVM's statistic %s %s%s%s%s.", kvmstats_stat_name(stat),
		     kinds[kind].description, type, *unit ? ", counted in " : "", unit) < 0)
		return NULL;
	return help;
}

static const char *class_text(const struct exit_class *class)
{
	return class->is_time ?
	       "Time that KVM spent on the exits of each class, from the exit until the vCPU runs "
	       "again or returns to user space. A class without exits has no series." :
	       "Exits of each class. A class without exits has no series.";
}

static char *make_help(const struct metric *metric)
{
	const struct kvmstats_stat *stat = metric->stat;
	const char *text = metric->by_class ? class_text(&metric->class) :
			   library_text(metric->kind, kvmstats_stat_name(stat));
	bool peak = kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK;
	char *help, *at;

	if (!text)
		help = default_text(metric->kind, stat);
	else if (asprintf(&help, "%s%s", text, metric->kind == KIND_GUEST && peak ?
			  " Maximum of all vCPUs." : kinds[metric->kind].addition) < 0)
		help = NULL;
	/* The two formats escape these characters differently, so avoid them. */
	for (at = help; at && *at; at++) {
		if (*at == '\\' || *at == '"')
			*at = '?';
	}
	return help;
}

/* ---- histograms ---- */

/*
 * Converts @decimal ("12", "0.00025", "0.000025") to the form that OpenMetrics recommends for
 * numbers in labels, which is Go's %g: "12.0", "0.00025", "2.5e-05". @buf has 32 bytes.
 */
static void canonical_number(const char *decimal, char *buf)
{
	double value = strtod(decimal, NULL);
	int digits = 0, power;

	/* The fewest digits that identify the number */
	do
		snprintf(buf, 32, "%.*e", digits, value);
	while (strtod(buf, NULL) != value && ++digits < 17);
	power = atoi(strchr(buf, 'e') + 1);
	if (power < -4 || power >= 6)
		return;
	snprintf(buf, 32, "%.*f", digits > power ? digits - power : 0, value);
	if (!strchr(buf, '.'))
		strcat(buf, ".0");
}

/* halt_wait_ns, for example, is the sum of all samples of halt_wait_hist. */
static const struct kvmstats_stat *find_sum(const struct stat_set *set,
					    const struct kvmstats_stat *hist)
{
	const char *name = kvmstats_stat_name(hist);
	const char *end = strrchr(name, '_');
	const struct kvmstats_stat *sum;
	char sum_name[64];

	if (!is_time(hist) || !end || strcmp(end, "_hist") ||
	    snprintf(sum_name, sizeof(sum_name), "%.*s_ns", (int)(end - name), name) >=
	    (int)sizeof(sum_name))
		return NULL;
	sum = kvmstats_schema_find(set->schema, sum_name);
	return sum && kvmstats_stat_type(sum) == KVMSTATS_TYPE_CUMULATIVE &&
	       kvmstats_stat_size(sum) == 1 && is_time(sum) ? sum : NULL;
}

/* Returns the number of buckets with an upper bound. */
static unsigned int count_bounds(const struct kvmstats_stat *stat)
{
	unsigned int size = kvmstats_stat_size(stat), n;
	uint64_t min, max;

	for (n = 0; n < size; n++) {
		if (kvmstats_stat_bucket(stat, n, &min, &max) || max == UINT64_MAX)
			break;
	}
	return n;
}

/*
 * Returns the first bucket that is exposed with a bound of its own. A histogram of times starts
 * at MIN_TIME_NS, if the kernel counts in ns.
 */
static unsigned int first_bound(const struct kvmstats_stat *stat, unsigned int bounds)
{
	uint64_t min, max;
	unsigned int n;

	if (!is_time(stat) || kvmstats_stat_exponent(stat) != -9)
		return 0;
	for (n = 0; n < bounds; n++) {
		if (!kvmstats_stat_bucket(stat, n, &min, &max) && max >= MIN_TIME_NS - 1)
			return n;
	}
	return 0;
}

/*
 * The choice depends on the schema only, so that the bounds of all guests and hosts are equal. le
 * is inclusive. Values are integers, so a bound is the largest value in its bucket.
 */
static void make_bounds(struct metric *metric)
{
	const struct kvmstats_stat *stat = metric->stat;
	bool poll = !strncmp(kvmstats_stat_name(stat), "halt_poll_", strlen("halt_poll_"));
	unsigned int bounds = count_bounds(stat), n = first_bound(stat, bounds);
	unsigned int step = (bounds - n + MAX_BOUNDS - 1) / MAX_BOUNDS;
	char decimal[SCALED_SIZE];
	uint64_t min, max;

	for (; n < bounds; n += step) {
		kvmstats_stat_bucket(stat, n, &min, &max);
		/* Shorter and longer polls are rare. */
		if (poll && (max < MIN_POLL_NS || max >= MAX_POLL_NS))
			continue;
		metric->bound[metric->bounds].bucket = n;
		canonical_number(stat_scaled(stat, max, decimal),
				 metric->bound[metric->bounds++].le);
	}
}

/* ---- metrics ---- */

struct metric *metric_new(enum kind kind, const struct stat_set *set,
			  const struct kvmstats_stat *stat)
{
	struct metric *metric = calloc(1, sizeof(*metric));

	if (!metric)
		return NULL;
	metric->kind = kind;
	metric->set = set;
	metric->stat = stat;
	metric->type = type_of(stat);
	metric->unit = unit_of(stat);
	metric->exits = is_exit_stat(set->schema, stat);
	metric->by_class = exit_class_of(set->schema, stat, &metric->class);
	if (metric->type == METRIC_HISTOGRAM) {
		metric->sum = find_sum(set, stat);
		make_bounds(metric);
	}
	metric->name = make_name(metric);
	metric->help = make_help(metric);
	if (metric->name && metric->help)
		return metric;
	metric_free(metric);
	return NULL;
}

void metric_free(struct metric *metric)
{
	while (metric) {
		struct metric *next = metric->next;

		free(metric->name);
		free(metric->help);
		free(metric);
		metric = next;
	}
}
