// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "serve/names.h"
#include "util.h"

/* With a larger exponent a converted value would consist of zeros only. */
#define MAX_EXPONENT	64

#define MIN_TIME_NS	8192
/* KVM polls for 10 us at first, and never longer than halt_poll_ns, which is 200 us on x86. */
#define MIN_POLL_NS	10000
#define MAX_POLL_NS	524288

/* The rules use these. */
static const char * const minimal[] = {
	"exits", "halt_poll_fail_ns", "insn_emulation_fail", "mmu_recycled", "run_delay_ns", NULL
};

/* The dashboard of a guest also uses these, and the exit statistics. */
static const char * const usual[] = {
	"directed_yield_attempted", "halt_attempted_poll", "halt_exits", "halt_poll_success_ns",
	"halt_successful_poll", "halt_wait_ns", "hypercalls", "insn_emulation", "io_exits",
	"irq_exits", "irq_window_exits", "mmio_exits", "mmu_cache_miss", "mmu_shadow_zapped",
	"pages_1g", "pages_2m", "pages_4k", "pf_emulate", "pf_fast", "pf_fixed", "pf_spurious",
	"pf_taken", "preemption_other", "preemption_reported", "preemptions",
	"remote_tlb_flush", "remote_tlb_flush_requests", "signal_exits", "tlb_flush", NULL
};

/*
 * Statistics of the host file about the threads of vCPUs. The others are times on clocks, and
 * states. Guests have metrics of their own for the times, see about.c.
 */
static const char * const thread_events[] = {
	"thread_involuntary_switches", "thread_minor_faults", "thread_voluntary_switches", NULL
};

static const char * const thread_times[] = {
	"thread_guest_ns", "thread_major_faults", "thread_run_delay_ns", "thread_runtime_ns",
	"thread_system_ns", "thread_user_ns", NULL
};

/* The dashboard of all hosts uses these. */
static const char * const host[] = { "exits", "run_delay_hist", "run_delay_ns", NULL };

static const struct {
	const char *prefix;
	const char *addition;	/* to the text that describes the statistic */
} kinds[] = {
	[KIND_GUEST] = { "kvm_guest_", " Sum over all vCPUs." },
	[KIND_VM] = { "kvm_vm_", "" },
	[KIND_VCPU] = { "kvm_vcpu_", "" },
	[KIND_HOST] = { "kvm_host_",
			" Sum over all vCPUs of all guests since kvm-stats started." },
};

const struct type_name type_names[] = {
	[METRIC_COUNTER] = { "counter", "counter", "_total" },
	[METRIC_GAUGE] = { "gauge", "gauge", "" },
	[METRIC_HISTOGRAM] = { "histogram", "histogram", "" },
	[METRIC_INFO] = { "info", "gauge", "_info" },
	[METRIC_UNKNOWN] = { "unknown", "untyped", "" },
};

/* ---- the choice ---- */

/* Whether the statistic means something as a metric of this kind. */
static bool has_meaning(enum kind kind, const char *name)
{
	if (strncmp(name, "thread_", strlen("thread_")) || is_one_of(name, thread_events))
		return true;
	return kind == KIND_VCPU && is_one_of(name, thread_times);
}

bool metric_is_exposed(enum kind kind, const struct stat_set *set, const struct kvmstats_stat *stat,
		       const struct exposition_options *options, const struct filter *filter)
{
	const char *name = kvmstats_stat_name(stat);
	bool is_hist = kvmstats_stat_is_hist(stat);

	/* Histograms of vCPUs would be most of all samples. */
	if ((options->excludes && !regexec(&options->excluded, name, 0, NULL, 0)) ||
	    (is_hist && kind == KIND_VCPU) || !has_meaning(kind, name))
		return false;
	if (kind == KIND_HOST)
		return is_one_of(name, host);
	if (filter->has_regex)
		return true;
	if (is_hist)
		return options->histograms;
	if (options->metrics == METRICS_ALL || is_one_of(name, minimal))
		return true;
	if (kind == KIND_VCPU && is_one_of(name, thread_times))
		return options->metrics == METRICS_DEFAULT;
	return options->metrics == METRICS_DEFAULT &&
	       (is_exit_stat(set->schema, stat) || is_one_of(name, usual));
}

/* ---- types and units ---- */

static enum metric_type type_of(const struct kvmstats_stat *stat)
{
	static const enum metric_type types[] = {
		[KVMSTATS_TYPE_CUMULATIVE] = METRIC_COUNTER,
		[KVMSTATS_TYPE_INSTANT] = METRIC_GAUGE,
		[KVMSTATS_TYPE_PEAK] = METRIC_GAUGE,
		[KVMSTATS_TYPE_LINEAR_HIST] = METRIC_HISTOGRAM,
		[KVMSTATS_TYPE_LOG_HIST] = METRIC_HISTOGRAM,
	};
	unsigned int type = kvmstats_stat_type(stat);

	return type < ARRAY_SIZE(types) ? types[type] : METRIC_UNKNOWN;
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
static const char *metric_unit_of(const struct kvmstats_stat *stat)
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

/* Returns 4096 for pages_4k, which counts pages, or 0. */
static uint64_t page_size_of(const char *name)
{
	if (!strcmp(name, "pages_4k"))
		return 1 << 12;
	if (!strcmp(name, "pages_2m"))
		return 1 << 21;
	return strcmp(name, "pages_1g") ? 0 : 1 << 30;
}

/* ---- names ---- */

static void strip_suffix(char *name, const char *suffix)
{
	if (ends_with(name, suffix))
		name[strlen(name) - strlen(suffix)] = '\0';
}

/* Sets the label that distinguishes the metric in its family, and returns the family's stem. */
static const char *stem_of(struct metric *metric)
{
	const char *name = kvmstats_stat_name(metric->stat);
	struct exit_class class;

	if (exit_class_of(metric->set->schema, metric->stat, &class)) {
		metric->label = "class";
		snprintf(metric->label_value, LABEL_VALUE_SIZE, "%.*s", (int)class.length,
			 class.name);
		return class.is_time ? "exit_ns" : "exits_by_class";
	}
	metric->page_size = page_size_of(name);
	if (metric->page_size) {
		metric->label = "page_size";
		metric->unit = "bytes";
		snprintf(metric->label_value, LABEL_VALUE_SIZE, "%s", strrchr(name, '_') + 1);
		return "mapped";
	}
	/* kvm_guest_guest_seconds would be hard to read. */
	return strcmp(name, "guest_ns") ? name : "running_ns";
}

static char *make_name(struct metric *metric)
{
	/* By OpenMetrics, whether or not there are samples with these suffixes */
	static const char * const reserved[] = {
		"_total", "_created", "_bucket", "_sum", "_count", "_info",
	};
	static const char * const units[] = {
		"_ns", "_us", "_ms", "_seconds", "_bytes", "_cycles",
	};
	char *name, *full = NULL, *at;
	size_t i;

	if (asprintf(&name, "%s%s", kinds[metric->kind].prefix, stem_of(metric)) < 0)
		return NULL;
	for (at = name; *at; at++) {
		if (!isascii((unsigned char)*at) || !isalnum((unsigned char)*at))
			*at = '_';
	}
	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		strip_suffix(name, reserved[i]);
	if (!metric->unit)
		return name;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		strip_suffix(name, units[i]);
	if (asprintf(&full, "%s_%s", name, metric->unit) < 0)
		full = NULL;
	free(name);
	return full;
}

const char *metric_help(const struct metric *metric, const char **more)
{
	const char *name = kvmstats_stat_name(metric->stat), *help = NULL;

	*more = kinds[metric->kind].addition;
	if (metric->kind == KIND_GUEST && kvmstats_stat_type(metric->stat) == KVMSTATS_TYPE_PEAK)
		*more = " Maximum of all vCPUs.";
	if (metric->label && metric->page_size)
		return "Guest memory that is mapped by pages of this size.";
	if (metric->label && metric->unit)
		return "Time that KVM spent on the exits of each class, from the exit until the "
		       "vCPU runs again or returns to user space. A class without exits has no "
		       "series.";
	if (metric->label)
		return "Exits of each class. A class without exits has no series.";
	if (metric->kind == KIND_VM)
		help = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	if (!help && metric->kind != KIND_VM)
		help = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);
	return help ? help : "A statistic that this version of kvm-stats does not describe.";
}

/* ---- histograms ---- */

/* The form that OpenMetrics recommends for numbers in labels: "12.0", "0.00025", "2.5e-05" */
static void put_canonical(const char *decimal, char *buf)
{
	int digits = 0;

	/* The fewest digits that identify the number */
	do
		snprintf(buf, 30, "%.*g", ++digits, strtod(decimal, NULL));
	while (strtod(buf, NULL) != strtod(decimal, NULL) && digits < 17);
	if (!strpbrk(buf, ".e"))
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

/*
 * The choice depends on the schema only, so that the bounds of all guests and hosts are equal. le
 * is inclusive. Values are integers, so a bound is the largest value in its bucket. A histogram of
 * times starts at MIN_TIME_NS, if the kernel counts in ns.
 */
static void make_bounds(struct metric *metric)
{
	const struct kvmstats_stat *stat = metric->stat;
	bool poll = !strncmp(kvmstats_stat_name(stat), "halt_poll_", strlen("halt_poll_"));
	bool ns = is_time(stat) && kvmstats_stat_exponent(stat) == -9;
	unsigned int bounds = 0, n = 0, step;
	char decimal[SCALED_SIZE];
	uint64_t min, max;

	while (bounds < kvmstats_stat_size(stat) &&
	       !kvmstats_stat_bucket(stat, bounds, &min, &max) && max != UINT64_MAX) {
		n += ns && max < MIN_TIME_NS - 1;
		bounds++;
	}
	if (n == bounds)
		n = 0;
	step = (bounds - n + MAX_BOUNDS - 1) / MAX_BOUNDS;
	for (; n < bounds; n += step) {
		kvmstats_stat_bucket(stat, n, &min, &max);
		/* Shorter and longer polls are rare. */
		if (poll && (max < MIN_POLL_NS || max >= MAX_POLL_NS))
			continue;
		metric->bound[metric->bounds].bucket = n;
		put_canonical(stat_scaled(stat, max, decimal),
			      metric->bound[metric->bounds++].le);
	}
}

/* ---- metrics ---- */

bool metric_init(struct metric *metric, enum kind kind, const struct stat_set *set,
		 const struct kvmstats_stat *stat)
{
	*metric = (struct metric){
		.kind = kind, .set = set, .stat = stat, .type = type_of(stat),
		.unit = metric_unit_of(stat), .exits = is_exit_stat(set->schema, stat),
	};
	if (metric->type == METRIC_HISTOGRAM) {
		metric->sum = find_sum(set, stat);
		make_bounds(metric);
	}
	metric->name = make_name(metric);
	metric->value = calloc(kvmstats_stat_size(stat), sizeof(*metric->value));
	return metric->name && metric->value;
}

void metric_free(struct metric *metric)
{
	free(metric->name);
	free(metric->value);
}
