/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The labels of each VM and vCPU, formatted once and used for all its samples.
 *
 * VMs have the labels pid, guest and vm; vCPUs also have vcpu. If a process has several VMs,
 * the kernel does not report which of them a vCPU belongs to. Then vm is empty, and the label
 * fd, the number of the vCPU's file descriptor in the VMM, distinguishes vCPUs with equal IDs.
 */
#ifndef OPENMETRICS_SERIES_H
#define OPENMETRICS_SERIES_H

#include "openmetrics/family.h"
#include "base/text.h"

struct series {
	const struct target *target;
	enum kind kind;
	size_t labels;		/* offset in series_list.labels of a NUL-terminated string */
};

struct series_list {
	struct series *series;
	size_t count;
	struct text labels;
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

/* Writes the labels that all series of a VMM share: pid and guest. */
void put_vmm_labels(struct text *text, const struct vmm *vmm);

#endif /* OPENMETRICS_SERIES_H */
