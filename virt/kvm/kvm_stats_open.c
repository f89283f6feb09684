// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics: opening files
 *
 * A file of KVM_STATS_GETFD holds its VM, and thereby the vCPUs and the vendor
 * module.  The files of KVM_STATS_OPEN and KVM_STATS_NEXT are for observers.  They
 * hold only struct kvm_stats_vm, which outlives the VM.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kvm_host.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "kvm_stats.h"

/* The VMs of the host by their number.  The lock can be taken under kvm_lock. */
static struct rb_root kvm_stats_vms = RB_ROOT;
static DEFINE_SPINLOCK(kvm_stats_vms_lock);

/**
 * kvm_stats_init_vm - make the statistics of a new VM readable
 * @kvm: the VM, which the current process is creating
 *
 * Return: 0 or -ENOMEM.
 */
int kvm_stats_init_vm(struct kvm *kvm)
{
	struct kvm_stats_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);

	if (!vm)
		return -ENOMEM;

	kref_init(&vm->refs);
	init_waitqueue_head(&vm->wait);
	RB_CLEAR_NODE(&vm->node);
	vm->pid = task_tgid_nr(current);
	vm->values = &kvm->stat;
	RCU_INIT_POINTER(vm->kvm, kvm);
	kvm->stats_vm = vm;
	return 0;
}

/**
 * kvm_stats_number_vm - let KVM_STATS_NEXT find a new VM
 * @kvm: the VM, whose creation cannot fail any more
 * @number: its number, higher than that of all VMs before
 *
 * Called with kvm_lock held, so that the VMs are added in the order of their
 * numbers.
 */
void kvm_stats_number_vm(struct kvm *kvm, u64 number)
{
	struct kvm_stats_vm *vm = kvm->stats_vm;
	struct rb_node *last;

	vm->number = number;
	spin_lock(&kvm_stats_vms_lock);
	last = rb_last(&kvm_stats_vms);
	rb_link_node(&vm->node, last,
		     last ? &last->rb_right : &kvm_stats_vms.rb_node);
	rb_insert_color(&vm->node, &kvm_stats_vms);
	spin_unlock(&kvm_stats_vms_lock);
}

/**
 * kvm_stats_end_vm - end the access of observers to a VM
 * @kvm: the VM, which has no references any more
 *
 * Waits for a grace period only if an observer has a file open.  Without an open
 * file no read can be in progress, and no new file can be opened.
 */
void kvm_stats_end_vm(struct kvm *kvm)
{
	struct kvm_stats_vm *vm = kvm->stats_vm;

	spin_lock(&kvm_stats_vms_lock);
	if (!RB_EMPTY_NODE(&vm->node))
		rb_erase(&vm->node, &kvm_stats_vms);
	spin_unlock(&kvm_stats_vms_lock);

	rcu_assign_pointer(vm->kvm, NULL);
	wake_up_all(&vm->wait);
	if (kref_read(&vm->refs) > 1)
		synchronize_rcu();
	kvm_stats_put_vm(vm);
}

static void kvm_stats_compose_vcpus(struct kvm_stats_file *stats)
{
	const struct kvm_stats_schema *schema = stats->vcpu_schema;
	struct kvm_stats_header *header = &stats->head.header;
	struct kvm_stats_vcpus *vcpus = &stats->head.vcpus;

	vcpus->num_desc = schema->num_desc;
	vcpus->desc_offset = header->data_offset;
	header->flags = KVM_STATS_HEADER_VCPUS;
	header->data_offset += schema->num_desc * sizeof(*schema->desc);
	vcpus->records_offset = header->data_offset + stats->schema->data_size;
	vcpus->data_offset = sizeof(struct kvm_stats_record);
	vcpus->record_size = vcpus->data_offset + schema->data_size;
}

/**
 * kvm_stats_compose - compose the head of a file
 * @stats: the file; everything else is set
 */
void kvm_stats_compose(struct kvm_stats_file *stats)
{
	struct kvm_stats_header *header = &stats->head.header;
	char *id = stats->head.id;

	header->name_size = KVM_STATS_NAME_SIZE;
	header->num_desc = stats->schema->num_desc;
	header->id_offset = offsetof(struct kvm_stats_head, id);
	header->desc_offset = kvm_stats_is_observer(stats) ?
			      sizeof(stats->head) :
			      offsetof(struct kvm_stats_head, vcpus);
	header->data_offset = header->desc_offset +
			      header->num_desc * sizeof(*stats->schema->desc);
	if (kvm_stats_is_observer(stats))
		kvm_stats_compose_vcpus(stats);

	if (stats->vcpu)
		snprintf(id, KVM_STATS_NAME_SIZE, "kvm-%d/vcpu-%d",
			 stats->vm->pid, stats->vcpu->vcpu_id);
	else
		snprintf(id, KVM_STATS_NAME_SIZE, "kvm-%d", stats->vm->pid);
}

KVM_STATS_EXPORT_IF_KUNIT(kvm_stats_compose);

/* For the file of a VM or, if it is not NULL, of @vcpu. */
static struct kvm_stats_file *kvm_stats_alloc(struct kvm_stats_vm *vm,
					      const struct kvm_vcpu *vcpu)
{
	struct kvm_stats_file *stats;

	stats = kzalloc(sizeof(*stats), GFP_KERNEL_ACCOUNT);
	if (!stats)
		return NULL;

	stats->vm = vm;
	stats->vcpu = vcpu;
	stats->schema = vcpu ? &kvm_vcpu_stats_schema : &kvm_vm_stats_schema;
	stats->values = vcpu ? &vcpu->stat : vm->values;
	return stats;
}

static struct kvm_stats_file *kvm_stats_alloc_holder(struct kvm *kvm,
						     const struct kvm_vcpu *vcpu)
{
	struct kvm_stats_file *stats = kvm_stats_alloc(kvm->stats_vm, vcpu);

	if (!stats)
		return NULL;

	kvm_get_kvm(kvm);
	kvm_stats_compose(stats);
	return stats;
}

/* @number: of the VM in files of KVM_STATS_NEXT, else 0 */
static struct kvm_stats_file *kvm_stats_alloc_observer(struct kvm_stats_vm *vm,
						       u64 number)
{
	struct kvm_stats_file *stats = kvm_stats_alloc(vm, NULL);

	if (!stats)
		return NULL;

	kref_get(&vm->refs);
	stats->vcpu_schema = &kvm_vcpu_stats_schema;
	stats->head.vcpus.vm = number;
	kvm_stats_compose(stats);
	return stats;
}

static struct file *kvm_stats_getfile(struct kvm_stats_file *stats)
{
	char name[sizeof("kvm-vcpu-stats:-2147483648")] = "kvm-vm-stats";
	const struct file_operations *fops = &kvm_stats_fops;
	struct file *file;

	if (stats->vcpu)
		snprintf(name, sizeof(name), "kvm-vcpu-stats:%d",
			 stats->vcpu->vcpu_id);
	if (kvm_stats_is_observer(stats))
		fops = &kvm_stats_observer_fops;

	file = anon_inode_getfile(name, fops, stats, O_RDONLY);
	if (!IS_ERR(file))
		file->f_mode |= FMODE_LSEEK | FMODE_PREAD;
	return file;
}

/*
 * Return a new fd and, if @next is not NULL, store it there with the number of the
 * VM.  After an error, @stats has been freed, and the number does not change.
 */
static int kvm_stats_getfd(struct kvm_stats_file *stats,
			   struct kvm_stats_next __user *next)
{
	struct file *file;
	int fd;

	if (!stats)
		return -ENOMEM;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		goto free;

	file = kvm_stats_getfile(stats);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		fd = PTR_ERR(file);
		goto free;
	}

	if (next && (put_user(fd, &next->fd) ||
		     put_user(stats->head.vcpus.vm, &next->vm))) {
		put_unused_fd(fd);
		fput(file);
		return -EFAULT;
	}

	fd_install(fd, file);
	return fd;

free:
	kvm_stats_free(stats);
	return fd;
}

static int kvm_stats_open(struct kvm *kvm, const void __user *argp)
{
	struct kvm_stats_open open;

	if (copy_from_user(&open, argp, sizeof(open)))
		return -EFAULT;
	if (open.flags || open.reserved)
		return -EINVAL;

	return kvm_stats_getfd(kvm_stats_alloc_observer(kvm->stats_vm, 0),
			       NULL);
}

/**
 * kvm_stats_vm_ioctl - open a statistics file of a VM
 * @kvm: the VM whose fd the caller holds
 * @ioctl: KVM_STATS_GETFD, KVM_STATS_OPEN, or an ioctl that does not exist
 * @argp: argument of KVM_STATS_OPEN
 *
 * Takes no lock.  Any process can call it, also while vCPUs run.
 *
 * Return: the file descriptor, or an error such as -EMFILE, -ENFILE or -ENOMEM.
 */
int kvm_stats_vm_ioctl(struct kvm *kvm, unsigned int ioctl, void __user *argp)
{
	switch (ioctl) {
	case KVM_STATS_GETFD:
		return kvm_stats_getfd(kvm_stats_alloc_holder(kvm, NULL), NULL);
	case KVM_STATS_OPEN:
		return kvm_stats_open(kvm, argp);
	default:
		return -ENOTTY;
	}
}

/**
 * kvm_stats_vcpu_ioctl - open a statistics file of a vCPU
 * @vcpu: the vCPU whose fd the caller holds
 * @ioctl: KVM_STATS_GETFD, or an ioctl that does not exist
 *
 * Takes no lock.  Any process can call it, also while the vCPU runs.
 *
 * Return: the file descriptor, or an error such as -EMFILE, -ENFILE or -ENOMEM.
 */
int kvm_stats_vcpu_ioctl(struct kvm_vcpu *vcpu, unsigned int ioctl)
{
	if (ioctl != KVM_STATS_GETFD)
		return -ENOTTY;

	return kvm_stats_getfd(kvm_stats_alloc_holder(vcpu->kvm, vcpu), NULL);
}

/* Find the VM with the lowest number above @number, and get a reference. */
static struct kvm_stats_vm *kvm_stats_find_next_vm(u64 number)
{
	struct kvm_stats_vm *vm, *next = NULL;
	struct rb_node *node;

	spin_lock(&kvm_stats_vms_lock);
	node = kvm_stats_vms.rb_node;
	while (node) {
		vm = rb_entry(node, struct kvm_stats_vm, node);
		if (vm->number > number) {
			next = vm;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (next)
		kref_get(&next->refs);
	spin_unlock(&kvm_stats_vms_lock);
	return next;
}

/**
 * kvm_stats_next_vm - open the statistics of the next VM of the host
 * @argp: argument of KVM_STATS_NEXT
 *
 * Never gets a reference to the VM itself.  Otherwise the last one could be
 * dropped here, with the mm of another process than the VMM.
 *
 * Return: 0, -ENOENT after the last VM, -EPERM without CAP_PERFMON in the
 * initial user namespace, or an error such as -EMFILE, -ENFILE or -ENOMEM.
 */
int kvm_stats_next_vm(struct kvm_stats_next __user *argp)
{
	struct kvm_stats_next next;
	struct kvm_stats_vm *vm;
	int fd;

	if (!perfmon_capable())
		return -EPERM;
	if (copy_from_user(&next, argp, sizeof(next)))
		return -EFAULT;
	if (next.flags)
		return -EINVAL;

	vm = kvm_stats_find_next_vm(next.vm);
	if (!vm)
		return -ENOENT;

	fd = kvm_stats_getfd(kvm_stats_alloc_observer(vm, vm->number), argp);
	kvm_stats_put_vm(vm);
	return min(fd, 0);
}
