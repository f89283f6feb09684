/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The labels of each VM and vCPU, written once for all its samples.
 *
 * VMs have pid, guest and vm, vCPUs in addition vcpu.  The kernel does not tell which of
 * several VMs of a process a vCPU belongs to: then vm is empty, and fd, the number of the
 * vCPU's file descriptor in the VMM, tells vCPUs with the same ID apart.
 */
#ifndef OPENMETRICS_SERIES_H
#define OPENMETRICS_SERIES_H

#include "openmetrics_family.h"
#include "openmetrics_text.h"

struct series {
	const struct target *target;
	enum kind kind;
	size_t labels;		/* where they start in series_list.labels, with a NUL behind */
};

struct series_list {
	struct series *series;
	size_t count;
	struct text labels;
	uint64_t generation;	/* the monitor's that it was made for */
	bool made;
};

/* Does nothing unless the monitor's targets are others than before: 0 or -ENOMEM. */
int series_update(struct series_list *list, const struct monitor *monitor);
void series_free(struct series_list *list);

static inline const char *series_labels(const struct series_list *list,
					const struct series *series)
{
	return list->labels.data + series->labels;
}

/* Those that all of a VMM have: pid and guest. */
void put_vmm_labels(struct text *text, const struct vmm *vmm);

#endif /* OPENMETRICS_SERIES_H */
