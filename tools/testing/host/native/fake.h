/* SPDX-License-Identifier: GPL-2.0-only */
/* A fake VM with one vCPU, and their statistics files, in user space. */
#ifndef NATIVE_FAKE_H
#define NATIVE_FAKE_H

#include <linux/file.h>
#include <linux/kvm_host.h>
#include <linux/uio.h>

extern struct kvm vm;
extern struct kvm_vcpu vcpu;

/* Open a statistics file as KVM_STATS_GETFD does. */
struct file *open_stats(struct kvm_stats_source *source);

/* Read as pread() and preadv() do. */
ssize_t pread_file(struct file *file, void *buf, size_t size, loff_t pos);
ssize_t preadv_file(struct file *file, const struct iovec *iov, int num, loff_t pos);

/* Accesses to user memory at or beyond @end fault. NULL removes the limit. */
void set_user_end(const void *end);

#endif /* NATIVE_FAKE_H */
