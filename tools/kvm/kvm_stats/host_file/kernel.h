/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members that the BPF programs use of the kernel's structures, and how they read others.
 * libbpf finds the offsets of the former in the running kernel's BTF, except in the contexts of
 * iterators, which are the same in all kernels.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <linux/types.h>

#include "host_file.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct seq_file {
	unsigned long size;
	unsigned long count;
};

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
};

struct file {
	void *f_op;
	void *private_data;
};

struct sched_info {
	unsigned long long run_delay;	/* in ns */
	unsigned long long last_arrival;	/* by the scheduler's clock, in ns */
	unsigned long long last_queued;
};

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
	struct sched_info sched_info;
};

struct kvm_vcpu {
	int vcpu_id;
};

/* A run queue */
struct rq {
	__u64 clock;
	__u64 clock_task;
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

#pragma clang attribute pop

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key;		/* NULL: the end of the pass */
	void *value;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;	/* aligned to 8 bytes on all 64-bit kernels */
};

/* One for each CPU */
extern const struct rq runqueues __ksym __weak;

/* From Linux 6.2 on */
void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/* ---- reading kernel memory ---- */

/*
 * Returns 0 if the memory cannot be read (then the helper function clears the value), or if the
 * kernel does not have the member. A branch on the result would double the verifier's work.
 */
static __always_inline __u64 read_field(__u64 base, const volatile struct host_field *field)
{
	__u32 size = field->size;
	__u64 value = 0;

	if (!size || size > sizeof(value))
		return 0;
	bpf_probe_read_kernel(&value, size, (void *)(base + field->offset));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value >>= 64 - 8 * size;
#endif
	return value;
}

/* The same for a pointer that may be NULL. On s390, memory at low addresses can be read. */
static __always_inline __u64 follow(__u64 pointer, const volatile struct host_field *field)
{
	return pointer ? read_field(pointer, field) : 0;
}

static __always_inline bool is_error(__u64 pointer)
{
	return pointer >= (__u64)-4095;
}

/*
 * Returns the number of the VM's folder in debugfs, which no other VM ever has, or 0 if there is
 * no debugfs.
 */
static __always_inline __u64 inode_of(__u64 kvm, const volatile struct host_layout *layout)
{
	__u64 dentry = read_field(kvm, &layout->kvm_dentry);

	if (!dentry || is_error(dentry))
		return 0;
	return follow(read_field(dentry, &layout->dentry_inode), &layout->inode_number);
}

#endif /* KERNEL_H */
