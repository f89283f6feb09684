/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameter of KVM's module that switches exit statistics on and off, for all VMs. */
#ifndef EXIT_STATS_H
#define EXIT_STATS_H

#include <stdbool.h>

#define EXIT_STATS_PATH	"/sys/module/kvm/parameters/exit_stats"
#define NO_EXIT_STATS	"this kernel does not have exit statistics"

bool kernel_has_exit_stats(void);
bool exit_stats_are_on(void);

/* Returns false, and sets errno, if the parameter cannot be set. */
bool exit_stats_switch(bool on);

#endif /* EXIT_STATS_H */
