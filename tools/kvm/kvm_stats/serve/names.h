/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names in an exposition: those of metrics, which are derived from the descriptors of
 * statistics, and those of guests.
 */
#ifndef SERVE_NAMES_H
#define SERVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "monitor/monitor.h"
#include "targets/exit_class.h"

/* ---- metrics: names.c ---- */

/* Whose statistic it is. The kind is the prefix of the name. */
enum kind {
	KIND_GUEST,		/* kvm_guest_: sums over the vCPUs of a guest */
	KIND_VM,		/* kvm_vm_ */
	KIND_VCPU,		/* kvm_vcpu_ */
	KIND_DEBUGFS,		/* kvm_debugfs_: VMs, including the sums of their vCPUs */
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

/*
 * How a statistic of one set is exposed. Statistics of different sets, and the classes of exits
 * of one set, are the same metric if name, type, unit and kind are equal. All their samples are
 * written together.
 */
struct metric {
	struct metric *next;	/* the next one with the same name, or NULL */
	char *name;		/* without _total */
	char *help;
	enum metric_type type;
	const char *unit;	/* NULL: no unit */
	enum kind kind;
	const struct stat_set *set;
	const struct kvmstats_stat *stat;
	const struct kvmstats_stat *sum;	/* a histogram's sum, or NULL */
	bool exits;				/* an exit statistic */
	bool by_class;				/* it has the label class */
	struct exit_class class;
	struct bound bound[MAX_BOUNDS];		/* without +Inf */
	size_t bounds;
};

/*
 * Returns NULL if there is not enough memory. The name of halt_wait_ns of a vCPU is
 * kvm_vcpu_halt_wait_seconds. All classes of exits have one name for their counters and one for
 * their times.
 */
struct metric *metric_new(enum kind kind, const struct stat_set *set,
			  const struct kvmstats_stat *stat);
/* Frees @metric and all that follow it. */
void metric_free(struct metric *metric);

bool metric_is_same(const struct metric *a, const struct metric *b);

/* Whether some sample of one could have the name of the other or of one of its samples. */
bool metric_names_conflict(const char *a, enum metric_type type_of_a, const char *b,
			   enum metric_type type_of_b);

/* Formats @value of @stat, in seconds or bytes if it can be converted. */
#define SCALED_SIZE	160
const char *stat_scaled(const struct kvmstats_stat *stat, uint64_t value, char *buf);

/* ---- guests: guests.c ---- */

/*
 * The names by which a guest is known after a restart of its VMM: the name and the UUID.
 *
 * QEMU has them on its command line. For a VMM without them, the files in which libvirt keeps
 * the state of its guests have both. A guest without a name has that of the systemd unit or cgroup.
 */
struct guest {
	const struct vmm *vmm;
	const struct kvmstats_watch *watch;	/* which process it is, together with the key */
	uint64_t key;
	char *name;		/* "" if unknown */
	bool named;		/* otherwise @name is its cgroup, in which others can be, too */
	char *uuid;		/* "" if unknown */
	bool ambiguous;		/* only the PID distinguishes it from all other guests */
};

struct guest_names {
	struct guest *guest;	/* in the order of the monitor */
	size_t count;
};

/*
 * Finds the names of all guests. Does not read those again that it knows, so that a name does not
 * change while its process ends. @libvirt is the directory of libvirt. Returns 0 or -ENOMEM.
 */
int guest_names_update(struct guest_names *guests, const struct monitor *monitor,
		       const char *libvirt);
void guest_names_free(struct guest_names *guests);

/*
 * Writes NAME="VALUE", after a comma if another label precedes it. Bytes that are not valid
 * UTF-8 become U+FFFD.
 */
void put_label(struct text *text, const char *name, const char *value);
void put_number_label(struct text *text, const char *name, int number);

/* Writes the labels guest and uuid. An ambiguous guest without a name is "pid 4711". */
void put_guest(struct text *text, const struct guest *guest);

/* The same, and the label pid if the name is ambiguous. */
void put_guest_labels(struct text *text, const struct guest *guest);

#endif /* SERVE_NAMES_H */
