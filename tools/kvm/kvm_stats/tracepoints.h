/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tracepoints KVM has, and how they are split. */
#ifndef TRACEPOINTS_H
#define TRACEPOINTS_H

#include <stddef.h>

#include "exit_reason.h"
#include "kvmstats.h"
#include "perf_group.h"

/* By name; "kvm_exit(HLT)" is what a filter lets pass of kvm_exit. */
struct tracepoints {
	char **name;
	struct perf_counter *counter;
	size_t count;
	size_t capacity;
};

/*
 * Looks into @kvm, a directory like /sys/kernel/tracing/events/kvm, or NULL: where it is.
 * 0, or -errno: -ENODEV: there is none.
 */
int tracepoints_list(struct tracepoints *tracepoints, const char *kvm,
		     const struct exit_reasons *(*reasons_of)(const char *event));
void tracepoints_free(struct tracepoints *tracepoints);

/* One schema of all of them. */
int tracepoints_schema(const struct tracepoints *tracepoints, struct kvmstats_schema **schema);

#endif /* TRACEPOINTS_H */
