// SPDX-License-Identifier: GPL-2.0-only
/* Compiled with the kernel's own headers, as the function that it calls: see enter.c. */
#include <linux/entry-kvm.h>
#include <linux/kvm_host.h>

#include "enter.h"

int kvm_enter_kernel_work(void)
{
	/* The function writes to these and does not read them. */
	static struct kvm_run run;
	static struct kvm_vcpu vcpu = { .run = &run };

	return xfer_to_guest_mode_handle_work(&vcpu);
}
