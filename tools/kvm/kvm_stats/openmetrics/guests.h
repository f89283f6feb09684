/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics about the guests themselves: kvm_guest_up, kvm_guest_info and others. */
#ifndef OPENMETRICS_GUESTS_H
#define OPENMETRICS_GUESTS_H

#include "openmetrics/format.h"
#include "openmetrics/identity.h"

void put_guests(const struct exposition *out, const struct identities *identities,
		const struct filter *filter);

/*
 * Whether all selected statistics of the VMM can be read, except for what vmm_may_lack_vm()
 * excuses. If statistics fds cannot be opened, all of its debugfs files are enough.
 */
bool is_up(const struct vmm *vmm, const struct filter *filter);

#endif /* OPENMETRICS_GUESTS_H */
