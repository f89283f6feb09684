/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __KVM_STATS_H__
#define __KVM_STATS_H__

#include <linux/export.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/kvm_stats.h>
#include <linux/rbtree.h>
#include <linux/wait.h>

/**
 * struct kvm_stats_schema - the constant part of all files of one kind
 * @desc: the descriptors, aligned as u64
 * @num_desc: number of @desc
 * @data_size: size in bytes of the structure that holds the values
 */
struct kvm_stats_schema {
	const struct kvm_stats_desc *desc;
	u32 num_desc;
	u32 data_size;
};

extern const struct kvm_stats_schema kvm_vm_stats_schema;
extern const struct kvm_stats_schema kvm_vcpu_stats_schema;

/**
 * struct kvm_stats_head - the part of a file before the descriptors
 * @header: the header
 * @id: the id
 * @vcpus: only in files of observers
 */
struct kvm_stats_head {
	struct kvm_stats_header header;
	char id[KVM_STATS_NAME_SIZE];
	struct kvm_stats_vcpus vcpus;
} __aligned(sizeof(u64));

/**
 * struct kvm_stats_vm - what the statistics files of a VM share
 * @refs: held by the VM, and by each file that does not hold the VM
 * @kvm: the VM, or NULL after its end; files that do not hold it read this under
 *	rcu_read_lock_sched()
 * @values: the statistics of the VM, which exist as long as @kvm is set
 * @number: number of the VM, or 0 before its creation has succeeded
 * @node: of the tree in which KVM_STATS_NEXT finds the VM
 * @pid: process that created the VM, in the initial PID namespace
 * @wait: pollers, which the end of the VM wakes
 */
struct kvm_stats_vm {
	struct kref refs;
	struct kvm __rcu *kvm;
	const void *values;
	u64 number;
	struct rb_node node;
	pid_t pid;
	wait_queue_head_t wait;
};

/**
 * struct kvm_stats_file - an open statistics file
 * @head: the start of the file
 * @vm: the VM
 * @vcpu: the vCPU, or NULL if the file is of the VM
 * @schema: describes @values
 * @vcpu_schema: describes the records of the vCPUs, or NULL in files without them,
 *	which hold the VM
 * @values: the statistics, which the rest of KVM updates during reads
 *
 * Constant as long as the file is open.
 */
struct kvm_stats_file {
	struct kvm_stats_head head;
	struct kvm_stats_vm *vm;
	const struct kvm_vcpu *vcpu;
	const struct kvm_stats_schema *schema;
	const struct kvm_stats_schema *vcpu_schema;
	const void *values;
};

/* The buffer of a read.  Larger ones make reads of many values hardly faster. */
#define KVM_STATS_BUFFER	64

/* The buffer is not cleared: 64 stores per read.  Older releases lack this. */
#ifndef __uninitialized
#define __uninitialized
#endif

extern const struct file_operations kvm_stats_fops;
extern const struct file_operations kvm_stats_observer_fops;

/* Files of observers contain the vCPUs and do not hold the VM. */
static inline bool kvm_stats_is_observer(const struct kvm_stats_file *stats)
{
	return stats->vcpu_schema;
}

void kvm_stats_compose(struct kvm_stats_file *stats);
void kvm_stats_put_vm(struct kvm_stats_vm *vm);
void kvm_stats_free(struct kvm_stats_file *stats);

/* The KUnit suite is a module of its own and needs these symbols. */
#if IS_ENABLED(CONFIG_KVM_STATS_KUNIT_TEST)
#define KVM_STATS_STATIC
#define KVM_STATS_EXPORT_IF_KUNIT		EXPORT_SYMBOL_GPL

ssize_t kvm_stats_load(const struct kvm_stats_file *stats, loff_t pos,
		       size_t size, u64 buf[KVM_STATS_BUFFER]);

/* Tests the classes of exits of the architecture. */
extern struct kunit_suite kvm_exit_classes_suite;
#else
#define KVM_STATS_STATIC			static
#define KVM_STATS_EXPORT_IF_KUNIT(symbol)
#endif

#endif /* __KVM_STATS_H__ */
