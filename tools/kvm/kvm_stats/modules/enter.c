// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instead of xfer_to_guest_mode_handle_work(), which is not in KVM's modules: it writes to struct
 * kvm_vcpu, and knows only the layout without the patches.
 */
#include <linux/kvm_host.h>
#include <linux/module.h>

#include "enter.h"

MODULE_VERSION("kvm-stats " KVM_STATS_VERSION);

int kvm_enter_handle_work(struct kvm_vcpu *vcpu)
{
	int r = kvm_enter_kernel_work();

	/* Only a signal causes it. */
	if (r == -EINTR)
		kvm_handle_signal_exit(vcpu);
	return r;
}
