/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics that are no statistics of KVM: of the VMMs, and of what reads them. */
#ifndef OPENMETRICS_VMM_H
#define OPENMETRICS_VMM_H

#include "openmetrics.h"
#include "openmetrics_head.h"

/* @left_out: statistics that have no family. */
void put_own_metrics(struct head_writer *to, const struct monitor *monitor,
		     const struct sampling *sampling, size_t left_out);

#endif /* OPENMETRICS_VMM_H */
