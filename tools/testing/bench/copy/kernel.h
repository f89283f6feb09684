/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What virt/kvm/kvm_stats*.c need of the kernel, as code for user space. The compiler includes this
 * file first (-include). The kernel's own headers, which those files include, are empty.
 */
#ifndef COPY_KERNEL_H
#define COPY_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
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

/* ---- types and macros ---- */

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

typedef struct {
	s64 counter;
} atomic64_t;

typedef struct {
	int counter;
} atomic_t;

#define atomic_read(v)		(*(volatile int *)&(v)->counter)
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))

#define __user
#define __aligned(n)		__attribute__((__aligned__(n)))

/* 1 if the option is defined as 1, 0 if it is not defined */
#define COPY_COMMA_1		0,
#define COPY_SECOND(ignored, second, ...)	second
#define COPY_IS_1(comma)	COPY_SECOND(comma 1, 0)
#define COPY_PASTE(value)	COPY_IS_1(COPY_COMMA_##value)
#define IS_ENABLED(option)	COPY_PASTE(option)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BUILD_BUG_ON_ZERO(e)	((int)sizeof(struct { int:(-!!(e)); }))
#define sizeof_field(type, field)	sizeof(((type *)0)->field)
#define offsetofend(type, field)	(offsetof(type, field) + sizeof_field(type, field))
#define container_of(pointer, type, field)	\
	((type *)((char *)(pointer) - offsetof(type, field)))

#define min(a, b)	\
	({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max_t(type, a, b)	({ type _x = (a), _y = (b); _x > _y ? _x : _y; })
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#define IS_ERR(pointer)		((uintptr_t)(pointer) >= (uintptr_t)-4095)
#define PTR_ERR(pointer)	((long)(pointer))

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* ---- one thread, one VM: no locks, no waiting, a tree with at most a root ---- */

#define DEFINE_SPINLOCK(lock)	int lock
#define spin_lock(lock)		((void)(lock))
#define spin_unlock(lock)	((void)(lock))
#define rcu_read_lock_sched()	((void)0)
#define rcu_read_unlock_sched()	((void)0)
#define synchronize_rcu()	((void)0)
#define cond_resched()		((void)0)

typedef int wait_queue_head_t;

#define init_waitqueue_head(head)	((void)(head))
#define wake_up_all(head)		((void)(head))

struct kref {
	int refs;
};

#define kref_init(kref)		((void)((kref)->refs = 1))
#define kref_get(kref)		((void)(kref)->refs++)
#define kref_read(kref)		((kref)->refs)
#define kref_put(kref, release)	((void)(--(kref)->refs || ((release)(kref), 0)))

struct rb_node {
	struct rb_node *rb_left, *rb_right;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT			((struct rb_root) { NULL })
#define RB_CLEAR_NODE(node)	((void)(node))
#define RB_EMPTY_NODE(node)	false
#define rb_entry(node, type, field)	container_of(node, type, field)
#define rb_last(root)		((root)->rb_node)
#define rb_link_node(node, parent, link)	((void)(parent), (void)(*(link) = (node)))
#define rb_insert_color(node, root)	((void)(node), (void)(root))
#define rb_erase(node, root)	((void)(node), (void)((root)->rb_node = NULL))

/* ---- memory ---- */

#define GFP_KERNEL_ACCOUNT	0
#define kzalloc(size, flags)	calloc(1, size)
#define kfree(pointer)		free((void *)(pointer))

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

#define copy_from_user(to, from, size)	(memcpy(to, from, size), 0)
#define put_user(value, to)	(*(to) = (value), 0)

/* ---- files ---- */

#define THIS_MODULE		NULL
#define MAX_LFS_FILESIZE	INT64_MAX
#define FMODE_LSEEK		0x1
#define FMODE_PREAD		0x2

typedef unsigned int __poll_t;
struct poll_table_struct;
typedef struct poll_table_struct poll_table;
struct inode;
struct seq_file;

struct file {
	const struct file_operations *f_op;
	unsigned int f_mode;
	loff_t f_pos;
	void *private_data;
};

struct file_operations {
	const void *owner;
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read)(struct file *file, char __user *buf, size_t size, loff_t *pos);
	__poll_t (*poll)(struct file *file, struct poll_table_struct *wait);
	int (*release)(struct inode *inode, struct file *file);
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

/* The file that was opened last. Each file gets the same fd. */
extern struct file *opened_file;

#define get_unused_fd_flags(flags)	3
#define put_unused_fd(fd)	((void)(fd))
#define fd_install(fd, file)	((void)(fd), (void)(opened_file = (file)))
#define fput(file)		((void)(file)->f_op->release(NULL, file), free(file))
#define generic_file_llseek_size(file, offset, whence, max, eof)	((loff_t)-ESPIPE)
#define poll_wait(file, head, table)	((void)(file), (void)(head), (void)(table))
#define seq_printf(m, ...)	((void)(m), (void)printf(__VA_ARGS__))

static inline struct file *anon_inode_getfile(const char *name, const struct file_operations *fops,
					      void *private_data, int flags)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return (void *)-ENOMEM;
	file->f_op = fops;
	file->private_data = private_data;
	return file;
}

/* ---- KVM: the macros that the series adds to linux/kvm_types.h ---- */

#define KVM_STAT_FIELD(declaration)	declaration;
#define KVM_STAT_DESC(statistic, field, kind)
#define KVM_STAT_AS(field, statistic, kind)				\
	KVM_STAT_FIELD(u64 field) KVM_STAT_DESC(statistic, field, kind)
#define KVM_STAT(field, kind)		KVM_STAT_AS(field, field, kind)
#define KVM_STAT_ATOMIC(field, kind)					\
	KVM_STAT_FIELD(atomic64_t field) KVM_STAT_DESC(field, field, kind)
#define KVM_STAT_HIST(field, kind)					\
	KVM_STAT_FIELD(u64 field[KVM_STATS_BUCKETS]) KVM_STAT_DESC(field, field, kind)

#define KVM_STATS_BUCKETS	32

#define KVM_EXIT_CLASS(class)	EXIT_CLASS_##class,
enum kvm_exit_class {
#include <asm/kvm_exit_classes.h>
	KVM_EXIT_CLASSES
};

#undef KVM_EXIT_CLASS
#define KVM_EXIT_CLASS(class)						\
	KVM_STAT_DESC(exit_##class, exit_class[EXIT_CLASS_##class].count, COUNTER) \
	KVM_STAT_DESC(exit_##class##_ns, exit_class[EXIT_CLASS_##class].ns, COUNTER_NS)

struct kvm_exit_class_stat {
	u64 count;
	u64 ns;
};

/* ---- KVM: linux/kvm_host.h ---- */

#include <linux/kvm_stats.h>

#define KVMIO			0xAE	/* of linux/kvm.h */
#define KVM_NR_PAGE_SIZES	3
#define KVM_MAX_VCPUS		256
#define task_tgid_nr(task)	getpid()
#define perfmon_capable()	true

struct kvm_vm_stat {
#include <asm/kvm_vm_stat_defs.h>
};

struct kvm_vcpu_stat {
#include <asm/kvm_vcpu_stat_defs.h>
};

struct kvm {
	struct kvm_vm_stat stat;
	struct kvm_stats_vm *stats_vm;
	struct kvm_vcpu *vcpus[KVM_MAX_VCPUS];
	atomic_t online_vcpus;
};

struct kvm_vcpu {
	struct kvm *kvm;
	int vcpu_id;
	struct kvm_stats_record stats_record;
	struct kvm_vcpu_stat stat;
};

#define kvm_get_vcpu(kvm, i)	((kvm)->vcpus[i])
#define kvm_get_kvm(kvm)	((void)(kvm))
#define kvm_put_kvm(kvm)	((void)(kvm))

#endif /* COPY_KERNEL_H */
