/* SPDX-License-Identifier: GPL-2.0-only */
/* Ask whether KVM has KVM_STATS_OPEN and KVM_STATS_NEXT. Only series/5.10-extensions adds them. */
#ifndef GUEST_EXTENSIONS_H
#define GUEST_EXTENSIONS_H

#include <stdbool.h>

#define NO_STATS_OPEN	"this kernel does not have KVM_STATS_OPEN and KVM_STATS_NEXT"

bool kernel_has_stats_open(void);

#endif /* GUEST_EXTENSIONS_H */
