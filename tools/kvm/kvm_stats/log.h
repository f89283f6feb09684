/* SPDX-License-Identifier: GPL-2.0-only */
/* A record for each interval, on standard output or in a file. */
#ifndef LOG_H
#define LOG_H

#include "kvm_stat_options.h"

/* Returns the exit status. */
int log_write(const struct kvm_stat_options *options, struct monitor *monitor);

#endif /* LOG_H */
