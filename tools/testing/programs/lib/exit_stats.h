/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameter kvm.exit_stats, which switches the exit statistics of all vCPUs on and off. */
#ifndef EXIT_STATS_H
#define EXIT_STATS_H

#include <stdbool.h>

#define NO_EXIT_STATS	"this kernel does not have exit statistics"

bool kernel_has_exit_stats(void);
bool exit_stats_are_enabled(void);

/* Returns false, and sets errno, if the parameter cannot be set. */
bool exit_stats_enable(bool enable);

#endif /* EXIT_STATS_H */
