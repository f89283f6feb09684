/* SPDX-License-Identifier: GPL-2.0-only */
/* A fake VM with several vCPUs, and their statistics files, in user space. */
#ifndef NATIVE_FAKE_H
#define NATIVE_FAKE_H

#include <linux/file.h>
#include <linux/kvm_host.h>

#define NUM_VCPUS	3

extern struct kvm vm;
extern struct kvm_vcpu vcpu;	/* vm.vcpus[0] */

/*
 * Open a file of the VM as KVM_STATS_OPEN or KVM_STATS_GETFD does. The first @online_vcpus vCPUs
 * are online.
 */
struct file *open_vm(bool with_vcpus, int online_vcpus);

/* Open the file of the vCPU as KVM_STATS_GETFD does. */
struct file *open_vcpu(void);

ssize_t pread_file(struct file *file, void *buf, size_t size, loff_t pos);

/* Accesses to user memory at or beyond @end fault. NULL removes the limit. */
void set_user_end(const void *end);

#endif /* NATIVE_FAKE_H */
