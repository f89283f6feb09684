/* SPDX-License-Identifier: GPL-2.0-only */
/* The names in an exposition: of metrics, from the descriptors of statistics, and of guests. */
#ifndef SERVE_NAMES_H
#define SERVE_NAMES_H

#include <stdio.h>

#include "serve/serve.h"

/* ---- metrics: names.c ---- */

/* Whose statistic it is. The kind is the prefix of the name. */
enum kind {
	KIND_GUEST,		/* kvm_guest_: sums over the vCPUs of a guest */
	KIND_VM,		/* kvm_vm_ */
	KIND_VCPU,		/* kvm_vcpu_ */
	KIND_HOST,		/* kvm_host_: what all vCPUs have counted since kvm-stats started */
};

enum metric_type {
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM,
	METRIC_INFO,
	METRIC_UNKNOWN,
};

struct type_name {
	const char *openmetrics;
	const char *text;	/* in the text format */
	const char *suffix;	/* of samples; in the text format, also of the metric */
};

extern const struct type_name type_names[];

/* A histogram has far more buckets than anyone needs. These are the exposed ones. */
#define MAX_BOUNDS	9

struct bound {
	unsigned int bucket;	/* the last one that it includes */
	char le[32];		/* value of the label le */
};

#define LABEL_VALUE_SIZE	48

/*
 * How statistics that are alike are exposed. Metrics with the same name and different labels are
 * one family: their samples follow each other.
 */
struct metric {
	char *name;		/* without _total */
	enum metric_type type;
	const char *unit;	/* NULL: no unit */
	enum kind kind;
	const char *label;	/* NULL, or a label that distinguishes it in its family */
	char label_value[LABEL_VALUE_SIZE];
	uint64_t page_size;	/* numbers of pages are exposed in bytes; 0: it is not one */
	const struct stat_set *set;
	const struct kvmstats_stat *stat;
	const struct kvmstats_stat *sum;	/* a histogram's sum, or NULL */
	bool exits;				/* an exit statistic */
	struct bound bound[MAX_BOUNDS];		/* without +Inf */
	size_t bounds;
	uint64_t *value;	/* the sums of a series, or those of the host since the start */
};

/*
 * Sets a metric of @stat, which is in @set. Returns false if there is not enough memory. The name
 * of halt_wait_ns of a vCPU is kvm_vcpu_halt_wait_seconds. All classes of exits have one name for
 * their counters and one for their times, and so have the numbers of pages of all sizes.
 */
bool metric_init(struct metric *metric, enum kind kind, const struct stat_set *set,
		 const struct kvmstats_stat *stat);
void metric_free(struct metric *metric);

/* Whether the user asked for @stat as a metric of this kind. */
bool metric_is_exposed(enum kind kind, const struct stat_set *set, const struct kvmstats_stat *stat,
		       const struct exposition_options *options, const struct filter *filter);

/* Returns the text that describes the metric, to which the caller adds @more. */
const char *metric_help(const struct metric *metric, const char **more);

/* Formats @value of @stat, in seconds or bytes if it can be converted. */
#define SCALED_SIZE	160
const char *stat_scaled(const struct kvmstats_stat *stat, uint64_t value, char *buf);

/* ---- labels: guests.c ---- */

/* Longer values are cut. */
#define LABEL_TEXT_SIZE	256

/*
 * Copies @text to @buf. Characters that are not harmless on a terminal, and bytes that are not
 * valid UTF-8, become U+FFFD.
 */
void label_text(const char *text, char *buf);

/* Writes NAME="VALUE" after @before: '{', or ',' if another label precedes it. */
void put_label(FILE *to, char before, const char *name, const char *value);

/* ---- guests: guests.c ---- */

struct guest {
	const struct vmm *vmm;
	/* Or that of the systemd unit or cgroup, or "pid 4711" if that is not known or ambiguous */
	char name[LABEL_TEXT_SIZE];
	bool ambiguous;		/* only the PID distinguishes it from all other guests */
	/* '{' and guest, uuid, and pid if a name is ambiguous: what all of its metrics have */
	const char *labels;
};

/* Initialize it with zeros. */
struct guest_list {
	struct guest *guest;	/* one for each of monitor->vmm */
	size_t count;
	char *labels;		/* of all guests, one string after the other */
	uint64_t waited;	/* growth of the times that all vCPUs waited for a CPU, in ns */
};

/* Lists all guests of the last sample. Returns false if there is not enough memory. */
bool guest_list_examine(struct guest_list *guests, const struct monitor *monitor);
void guest_list_free(struct guest_list *guests);

/* Writes '{' and the labels guest and uuid. */
void put_guest(FILE *to, const struct guest *guest);

/* ---- metrics that KVM does not count: about.c ---- */

struct text {
	FILE *to;
	enum exposition_format format;
};

/* Writes the lines before the samples of a metric. The description is @help and @more. */
void put_metadata(const struct text *text, const char *name, enum metric_type type,
		  const char *unit, const char *help, const char *more);

/* Writes the verdicts on guests. */
void put_verdicts(const struct text *text, const struct guest_list *guests,
		  const struct evidence *evidence);

/*
 * Writes the metrics of /proc and of the cgroups about guests. With @waiting, also how long vCPUs
 * wait for a CPU, which KVM counts on some kernels.
 */
void put_guests(const struct text *text, const struct guest_list *guests, enum metrics metrics,
		bool waiting);

/* Writes the sums over all guests, and how the statistics were read. */
void put_host(const struct text *text, const struct guest_list *guests,
	      const struct monitor *monitor, bool waiting);

/* Writes metrics about kvm-stats. @left_out: number of statistics that have no metric */
void put_own(const struct text *text, const struct sampling *sampling,
	     const struct monitor *monitor, size_t left_out);

#endif /* SERVE_NAMES_H */
