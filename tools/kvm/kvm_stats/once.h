/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints two samples, one second apart, like kvm_stat -1. */
#ifndef ONCE_H
#define ONCE_H

#include "kvm_stat_options.h"

/* Returns the exit status. */
int once_print(const struct kvm_stat_options *options, struct monitor *monitor);

/* Prints the names that -f can select. Returns the exit status. */
int names_print(struct monitor *monitor);

#endif /* ONCE_H */
