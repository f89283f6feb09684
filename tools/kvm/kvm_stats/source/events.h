/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints of KVM, and their split by exit reason. */
#ifndef SOURCE_EVENTS_H
#define SOURCE_EVENTS_H

#include <stddef.h>

#include "kvmstats.h"
#include "source/exit_reason.h"
#include "source/perf_group.h"

struct tracepoint {
	char *name;
	struct perf_counter counter;
};

/*
 * Tracepoints sorted by name. Each one is followed by its exit reasons: "kvm_exit(HLT)" counts
 * the hits of kvm_exit with the exit reason HLT.
 */
struct tracepoints {
	struct tracepoint *tracepoint;
	size_t count;
	size_t capacity;
};

/*
 * Reads the directory @kvm (NULL: events/kvm in the mounted tracefs). Returns 0, -ENODEV if
 * there are no tracepoints of KVM, or another -errno.
 */
int tracepoints_list(struct tracepoints *tracepoints, const char *kvm,
		     const struct exit_reasons *(*reasons_of)(const char *event));
void tracepoints_free(struct tracepoints *tracepoints);

/* Makes one schema that has all tracepoints. Returns 0 or -errno. */
int tracepoints_schema(const struct tracepoints *tracepoints, struct kvmstats_schema **schema);

#endif /* SOURCE_EVENTS_H */
