/* SPDX-License-Identifier: GPL-2.0-only */
/* Which parts of the statistics the running kernel has. */
#ifndef FEATURES_H
#define FEATURES_H

#include <stdbool.h>

#define NO_STATS_OPEN	"this kernel does not have KVM_STATS_OPEN and KVM_STATS_NEXT"
#define NO_EXIT_STATS	"this kernel does not have exit statistics"

/* Only series/5.10-extensions adds KVM_STATS_OPEN and KVM_STATS_NEXT. */
bool kernel_has_stats_open(void);

/* The parameter kvm.exit_stats switches the exit statistics of all vCPUs on and off. */
bool kernel_has_exit_stats(void);
bool exit_stats_are_enabled(void);

/* Returns false, and sets errno, if the parameter cannot be set. */
bool exit_stats_enable(bool enable);

#endif /* FEATURES_H */
