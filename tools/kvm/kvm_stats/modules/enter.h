/* SPDX-License-Identifier: GPL-2.0-only */
struct kvm_vcpu;

int kvm_enter_handle_work(struct kvm_vcpu *vcpu);
int kvm_enter_kernel_work(void);
