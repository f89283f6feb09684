/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics about the VMMs and about kvm-stats itself. */
#ifndef OPENMETRICS_VMMS_H
#define OPENMETRICS_VMMS_H

#include "monitor/monitor.h"
#include "openmetrics/format.h"

/* @left_out is the number of statistics that have no family. */
void put_monitor_metrics(struct exposition *out, const struct monitor *monitor,
			 const struct sampling *sampling, size_t left_out);

#endif /* OPENMETRICS_VMMS_H */
