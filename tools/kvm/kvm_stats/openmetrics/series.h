/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which values are exposed together, and their labels, formatted once for all samples.
 *
 * A series of KIND_GUEST is the sum over all vCPUs of a guest. The other series are those of one
 * VM or vCPU each. If a process has several VMs, the kernel does not report which of them a vCPU
 * belongs to: then the vCPUs with the same ID have one series together, their sum.
 *
 * All series have the labels of the guest. VMs have the label vm if their process has several.
 * vCPUs have the label vcpu.
 */
#ifndef OPENMETRICS_SERIES_H
#define OPENMETRICS_SERIES_H

#include "base/text.h"
#include "openmetrics/family.h"
#include "openmetrics/identity.h"

struct series {
	enum kind kind;
	const struct stat_set *set;	/* of the first target; all have the same statistics */
	size_t first;		/* index in series_list.target of the targets that are added up */
	size_t targets;
	size_t labels;		/* offset in series_list.labels of a NUL-terminated string */
};

struct series_list {
	bool per_vcpu;		/* make series of KIND_VCPU */
	struct series *series;
	size_t count;
	const struct target **target;	/* a copy of those of the VMMs: scans move theirs */
	size_t targets;
	struct text labels;
	struct identities identities;
	uint64_t generation;	/* monitor->generation when the list was made */
	bool made;
};

/* Does nothing unless the monitor's targets have changed. Returns 0 or -ENOMEM. */
int series_update(struct series_list *list, const struct monitor *monitor);
void series_free(struct series_list *list);

static inline const char *series_labels(const struct series_list *list,
					const struct series *series)
{
	return list->labels.data + series->labels;
}

/* Returns the targets of a series. */
static inline const struct target *const *series_targets(const struct series_list *list,
							 const struct series *series)
{
	return list->target + series->first;
}

#endif /* OPENMETRICS_SERIES_H */
