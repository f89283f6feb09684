/* SPDX-License-Identifier: GPL-2.0-only */
/* What a statistic is called as a metric family: name, type, unit, and a line of help. */
#ifndef OPENMETRICS_NAME_H
#define OPENMETRICS_NAME_H

#include <stdbool.h>

#include "kvmstats.h"

/* Whose statistics have families of their own; it is the beginning of the name. */
enum kind {
	KIND_VM,		/* kvm_vm_ */
	KIND_VCPU,		/* kvm_vcpu_ */
	KIND_DEBUGFS,		/* kvm_debugfs_: of VMs, with the sums of their vCPUs */
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

/* Whether its values can be told in whole units, seconds or bytes. */
bool stat_can_scale(const struct kvmstats_stat *stat);

/* "seconds", "bytes", "cycles", or NULL. */
const char *stat_family_unit(const struct kvmstats_stat *stat);

/* "halt_wait_ns" of a vCPU: "kvm_vcpu_halt_wait_seconds"; NULL: no memory.  To be freed. */
char *stat_family_name(enum kind kind, const struct kvmstats_stat *stat);
char *stat_family_help(enum kind kind, const struct kvmstats_stat *stat);

#endif /* OPENMETRICS_NAME_H */
