/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members that the BPF program uses of the kernel's structures. libbpf finds their offsets in
 * the running kernel's BTF, except in the contexts of iterators, which are the same in all kernels.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <bpf/bpf_helpers.h>
#include <linux/types.h>

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

struct task_struct {
	int tgid;
};

/* A run queue */
struct rq {
	__u64 clock;
	__u64 clock_task;
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

#endif /* KERNEL_H */
