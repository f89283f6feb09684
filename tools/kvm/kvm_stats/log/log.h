/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a record for each interval to standard output or to a file. */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "monitor/monitor.h"
#include "options/kvm_stat.h"

/* Returns the exit status. */
int log_write(const struct kvm_stat_options *options, struct monitor *monitor);

#endif /* LOG_LOG_H */
