// SPDX-License-Identifier: GPL-2.0-only
/* The script `sizes` compiles this file to assembler code.  It is never linked. */
#include <linux/kbuild.h>
#include <linux/kvm_host.h>

void sizes(void)
{
	DEFINE(sizeof_kvm, sizeof(struct kvm));
	DEFINE(sizeof_kvm_vcpu, sizeof(struct kvm_vcpu));
	DEFINE(sizeof_vm_stat, sizeof(struct kvm_vm_stat));
	DEFINE(sizeof_vcpu_stat, sizeof(struct kvm_vcpu_stat));
}
