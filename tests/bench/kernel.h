/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What virt/kvm/kvm_stats.c needs of the kernel, as code for user space. The compiler includes this
 * file first (-include). The kernel's own headers, which that file includes, are empty.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <assert.h>
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/types.h>
#include <unistd.h>

typedef __u32 u32;
typedef __u64 u64;

typedef struct {
	int counter;
} atomic_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))

#define __user
#define __rcu
#define __aligned(n)		__attribute__((__aligned__(n)))
#define IS_ENABLED(option)	0
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define container_of(p, type, field)	((type *)((char *)(p) - offsetof(type, field)))
#define offsetofend(type, field)	(offsetof(type, field) + sizeof(((type *)0)->field))
#define min(a, b)	\
	({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max_t(type, a, b)	({ type _x = (a), _y = (b); _x > _y ? _x : _y; })
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

/* One thread, and a VM that does not end: no locks, no waiting, no tree. */
#define rcu_read_lock_sched()	((void)0)
#define rcu_read_unlock_sched()	((void)0)
#define rcu_dereference_sched(p)	READ_ONCE(p)
#define rcu_access_pointer(p)	READ_ONCE(p)
#define rcu_dereference_protected(p, locked)	(p)
#define cond_resched()		((void)0)
#define poll_wait(file, head, table)	((void)(head))

typedef int wait_queue_head_t;
typedef struct poll_table_struct poll_table;
typedef unsigned int __poll_t;

struct kref {
	int refs;
};

struct rb_node {
	struct rb_node *left, *right;
};

/* Copy as the kernel does on a CPU with REP_GOOD. */
static inline size_t copy_to_user(void __user *to, const void *from, size_t size)
{
	size_t words = size / 8;

	if ((uintptr_t)to > INTPTR_MAX - size)
		return size;
	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
	memcpy(to, from, size % 8);
	return 0;
}

#define THIS_MODULE		NULL
#define MAX_LFS_FILESIZE	INT64_MAX
#define generic_file_llseek_size(file, offset, whence, max, eof)	((loff_t)-ESPIPE)

struct inode;

struct file {
	void *private_data;
};

struct file_operations {
	const void *owner;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char __user *buf, size_t size, loff_t *pos);
	__poll_t (*poll)(struct file *file, poll_table *wait);
	int (*release)(struct inode *inode, struct file *file);
};

#define KVM_STATS_BUCKETS	32
#define fls64(x)		((x) ? 64 - __builtin_clzll(x) : 0)

#include <linux/kvm_stats.h>

/* A VM whose only vCPU has the values of x86 with exit statistics. */
#define VCPU_VALUES		257

struct kvm {
	atomic_t online_vcpus;
};

struct kvm_vcpu {
	struct kvm *kvm;
	int vcpu_id;
	struct kvm_stats_record stats_record;
	u64 stat[VCPU_VALUES];
};

/* No file is closed. */
#define kfree(p)		((void)(p))
#define kref_put(kref, release)	((void)(kref), (void)(release))
#define kvm_put_kvm(kvm)	((void)(kvm))

#define kvm_get_vcpu(kvm, i)	((struct kvm_vcpu *)((void)(kvm), (void)(i), NULL))

#endif /* KERNEL_H */
