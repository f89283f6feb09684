/* SPDX-License-Identifier: GPL-2.0-only */
/* Two readings, one second apart, as kvm_stat -1 prints them. */
#ifndef ONCE_H
#define ONCE_H

#include "kvm_stat_options.h"

/* Returns the exit status. */
int once_print(const struct kvm_stat_options *options, struct monitor *monitor);

/* The names of all that could be chosen by -f. */
int names_print(struct monitor *monitor);

#endif /* ONCE_H */
