/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints two samples, one second apart, like kvm_stat -1. */
#ifndef COMMANDS_ONCE_H
#define COMMANDS_ONCE_H

#include "model.h"
#include "options/kvm_stat.h"

/* Returns the exit status. */
int once_print(const struct kvm_stat_options *options, struct monitor *monitor);

/* Prints the names that -f can select. Returns the exit status. */
int names_print(struct monitor *monitor);

#endif /* COMMANDS_ONCE_H */
