/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ask whether KVM has statistics fds, and whether it has KVM_STATS_OPEN and KVM_STATS_NEXT. series
 * 5.10-extensions and 7.2-rfc add both; mainline and the other series do not have them.
 */
#ifndef GUEST_EXTENSIONS_H
#define GUEST_EXTENSIONS_H

#include <stdbool.h>
#include <stdint.h>

#define NO_STATS_OPEN	"this kernel does not have KVM_STATS_OPEN and KVM_STATS_NEXT"

bool kernel_has_stats(void);
bool kernel_has_stats_open(void);

/* Returns the highest number of a VM of the host, or 0. The file of a VM does not hold it. */
uint64_t newest_vm(int kvm);

#endif /* GUEST_EXTENSIONS_H */
