/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics about kvm-stats itself. */
#ifndef OPENMETRICS_OWN_H
#define OPENMETRICS_OWN_H

#include "monitor/monitor.h"
#include "openmetrics/format.h"

/* @left_out is the number of statistics that have no family. */
void put_own_metrics(const struct exposition *out, const struct monitor *monitor,
		     const struct sampling *sampling, size_t left_out);

/* Writes whether exit statistics are on, if there are any. */
void put_exits_state(const struct exposition *out, enum exits_state exits);

#endif /* OPENMETRICS_OWN_H */
