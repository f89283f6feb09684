/* SPDX-License-Identifier: GPL-2.0-only */
/* Derives the name, type, unit and help text of a metric family from a statistic. */
#ifndef OPENMETRICS_NAME_H
#define OPENMETRICS_NAME_H

#include <stdbool.h>

#include "kvmstats.h"
#include "targets/exit_class.h"

/* Families of different kinds are separate. The kind is the prefix of the name. */
enum kind {
	KIND_GUEST,		/* kvm_guest_: sums over the vCPUs of a guest */
	KIND_VM,		/* kvm_vm_ */
	KIND_VCPU,		/* kvm_vcpu_ */
	KIND_DEBUGFS,		/* kvm_debugfs_: VMs, including the sums of their vCPUs */
	KIND_TRACEPOINT,	/* kvm_tracepoint_ */
};

enum family_type {
	FAMILY_COUNTER,
	FAMILY_GAUGE,
	FAMILY_HISTOGRAM,
	FAMILY_INFO,
	FAMILY_UNKNOWN,
};

enum family_type stat_family_type(const struct kvmstats_stat *stat);

/* Whether the values can be converted to the base unit, such as seconds or bytes. */
bool stat_can_scale(const struct kvmstats_stat *stat);

/* Returns "seconds", "bytes", "cycles" or NULL. */
const char *stat_family_unit(const struct kvmstats_stat *stat);

/*
 * The name for halt_wait_ns of a vCPU is kvm_vcpu_halt_wait_seconds. All classes of exits have one
 * family for their counters and one for their times: @class is that of @stat, or NULL. Both return
 * NULL if there is not enough memory. The caller frees the result.
 */
char *stat_family_name(enum kind kind, const struct kvmstats_stat *stat,
		       const struct exit_class *class);
char *stat_family_help(enum kind kind, const struct kvmstats_stat *stat,
		       const struct exit_class *class);

#endif /* OPENMETRICS_NAME_H */
