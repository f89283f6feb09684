/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a record for each interval to standard output or to a file. */
#ifndef LOG_H
#define LOG_H

#include "kvm_stat_options.h"

/* Returns the exit status. */
int log_write(const struct kvm_stat_options *options, struct monitor *monitor);

#endif /* LOG_H */
