// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics: the file
 *
 * A file consists of a head, which is composed when the file is opened, of the
 * constant descriptors, and of the values in struct kvm or struct kvm_vcpu.  All
 * of these are arrays of u64.  A read takes no lock and allocates no memory.
 * Each value is loaded once, and in one piece where a u64 is a machine word.  The
 * values of one read can be of different moments.
 *
 * A file of KVM_STATS_GETFD holds its VM.  The file of an observer contains the
 * vCPUs, too, but holds only struct kvm_stats_vm, which outlives the VM.  A read
 * finds the VM through it, in a section of RCU that lasts while one buffer is
 * loaded.  The end of the VM clears the pointer, and waits for these sections
 * before anything is freed.
 *
 * An open file holds the module of this code.
 */
#include <linux/fs.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kvm_stats.h"

/* The ABI.  All sizes are multiples of 8, so the data is aligned to 8 bytes. */
static_assert(offsetof(struct kvm_stats_head, id) == 24);
static_assert(offsetof(struct kvm_stats_head, vcpus) == 72);
static_assert(sizeof(struct kvm_stats_head) == 104);
static_assert(sizeof(struct kvm_stats_desc) == 64);
static_assert(sizeof(struct kvm_stats_record) == 16);

/* A record and the values behind it are one array. */
static_assert(offsetof(struct kvm_vcpu, stat) ==
	      offsetofend(struct kvm_vcpu, stats_record));

/* A file with vCPUs grows when a vCPU is created.  It never shrinks. */
static size_t kvm_stats_size_of(const struct kvm_stats_file *stats,
				const struct kvm *kvm)
{
	size_t size = stats->head.header.data_offset + stats->schema->data_size;

	if (kvm_stats_is_observer(stats))
		size += atomic_read(&kvm->online_vcpus) *
			stats->head.vcpus.record_size;
	return size;
}

/* Return the size of the file, or -ENODEV after the end of the VM. */
static ssize_t kvm_stats_size(const struct kvm_stats_file *stats)
{
	ssize_t size = -ENODEV;
	struct kvm *kvm;

	rcu_read_lock_sched();
	kvm = rcu_dereference_sched(stats->vm->kvm);
	if (kvm)
		size = kvm_stats_size_of(stats, kvm);
	rcu_read_unlock_sched();
	return size;
}

static size_t kvm_stats_find_constant(const struct kvm_stats_file *stats,
				      u32 pos, const void **from)
{
	const struct kvm_stats_head *head = &stats->head;
	u32 end = kvm_stats_is_observer(stats) ? head->vcpus.desc_offset :
						 head->header.data_offset;

	if (pos < head->header.desc_offset) {
		*from = (void *)head + pos;
		return head->header.desc_offset - pos;
	}
	if (pos < end) {
		pos -= head->header.desc_offset;
		*from = (void *)stats->schema->desc + pos;
		return end - head->header.desc_offset - pos;
	}
	pos -= end;
	*from = (void *)stats->vcpu_schema->desc + pos;
	return head->header.data_offset - end - pos;
}

/*
 * kvm_get_vcpu() orders its load of the vCPU after that of online_vcpus.  In
 * older releases, it returns the first vCPU if the index is too high.  Here it
 * never is, because @pos is in the file.
 */
static size_t kvm_stats_find_record(const struct kvm_stats_file *stats,
				    struct kvm *kvm, u32 pos, const void **from)
{
	u32 size = stats->head.vcpus.record_size;
	const struct kvm_vcpu *vcpu = kvm_get_vcpu(kvm, pos / size);

	pos %= size;
	*from = (void *)&vcpu->stats_record + pos;
	return size - pos;
}

/*
 * Find what the file has at @pos, which is a multiple of 8 and below its size.
 * Return the number of bytes that follow @from without a gap.
 */
static size_t kvm_stats_find(const struct kvm_stats_file *stats,
			     struct kvm *kvm, u32 pos, const void **from)
{
	u32 size = stats->schema->data_size;

	if (pos < stats->head.header.data_offset)
		return kvm_stats_find_constant(stats, pos, from);

	pos -= stats->head.header.data_offset;
	if (pos >= size)
		return kvm_stats_find_record(stats, kvm, pos - size, from);

	*from = stats->values + pos;
	return size - pos;
}

static size_t kvm_stats_load_from(const struct kvm_stats_file *stats,
				  struct kvm *kvm, loff_t pos, size_t size,
				  u64 buf[KVM_STATS_BUFFER])
{
	size_t skip = (u32)pos % sizeof(u64), num, i;
	const void *from;

	if (pos >= kvm_stats_size_of(stats, kvm))
		return 0;

	size = min(size + skip, kvm_stats_find(stats, kvm, pos - skip, &from));
	size = min(size, KVM_STATS_BUFFER * sizeof(u64));
	num = DIV_ROUND_UP(size, sizeof(u64));
	for (i = 0; i < num; i++)
		buf[i] = READ_ONCE(((const u64 *)from)[i]);
	return size - skip;
}

/*
 * Load up to @size bytes at @pos.  The first one is buf[0], or a later byte of it
 * if @pos is not a multiple of 8.  Return the number of bytes, 0 at the end of
 * the file, or -ENODEV after the end of the VM.
 *
 * Preemption is disabled, so neither another thread nor the limit of a cgroup can
 * keep the reader in the section that the end of the VM waits for.
 */
KVM_STATS_STATIC ssize_t kvm_stats_load(const struct kvm_stats_file *stats,
					loff_t pos, size_t size,
					u64 buf[KVM_STATS_BUFFER])
{
	ssize_t loaded = -ENODEV;
	struct kvm *kvm;

	rcu_read_lock_sched();
	kvm = rcu_dereference_sched(stats->vm->kvm);
	if (kvm)
		loaded = kvm_stats_load_from(stats, kvm, pos, size, buf);
	rcu_read_unlock_sched();
	return loaded;
}

KVM_STATS_EXPORT_IF_KUNIT(kvm_stats_load);

/*
 * Values pass through a buffer, where they cannot change.  copy_to_user() does
 * not load each value in one piece, and CONFIG_HARDENED_USERCOPY does not let it
 * copy from struct kvm_vcpu.
 */
static ssize_t kvm_stats_read(struct file *file, char __user *to, size_t size,
			      loff_t *pos)
{
	size_t copied = 0, left = 0;
	u64 buf[KVM_STATS_BUFFER] __uninitialized;

	while (copied < size && !left) {
		void *from = (void *)buf + (u32)*pos % sizeof(u64);
		ssize_t loaded = kvm_stats_load(file->private_data, *pos,
						size - copied, buf);

		if (loaded <= 0)
			return copied ?: loaded;

		left = copy_to_user(to + copied, from, loaded);
		copied += loaded - left;
		*pos += loaded - left;
		cond_resched();
	}
	return left && !copied ? -EFAULT : copied;
}

static loff_t kvm_stats_llseek(struct file *file, loff_t offset, int whence)
{
	ssize_t size = kvm_stats_size(file->private_data);

	if (size < 0 && whence == SEEK_END)
		return size;

	return generic_file_llseek_size(file, offset, whence, MAX_LFS_FILESIZE,
					max_t(ssize_t, size, 0));
}

static __poll_t kvm_stats_poll(struct file *file, poll_table *wait)
{
	struct kvm_stats_file *stats = file->private_data;

	poll_wait(file, &stats->vm->wait, wait);
	return rcu_access_pointer(stats->vm->kvm) ? EPOLLIN | EPOLLRDNORM :
						    EPOLLHUP;
}

static void kvm_stats_free_vm(struct kref *refs)
{
	kfree(container_of(refs, struct kvm_stats_vm, refs));
}

/**
 * kvm_stats_put_vm - drop a reference to what the files of a VM share
 * @vm: what they share, which is freed with the last reference
 */
void kvm_stats_put_vm(struct kvm_stats_vm *vm)
{
	kref_put(&vm->refs, kvm_stats_free_vm);
}

/**
 * kvm_stats_free - free a file that is closed or was never opened
 * @stats: the file
 */
void kvm_stats_free(struct kvm_stats_file *stats)
{
	if (kvm_stats_is_observer(stats))
		kvm_stats_put_vm(stats->vm);
	else
		kvm_put_kvm(rcu_dereference_protected(stats->vm->kvm, true));
	kfree(stats);
}

static int kvm_stats_release(struct inode *inode, struct file *file)
{
	kvm_stats_free(file->private_data);
	return 0;
}

#ifdef CONFIG_PROC_FS
static void kvm_stats_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct kvm_stats_file *stats = file->private_data;
	ssize_t size = kvm_stats_size(stats);

	seq_printf(m, "kvm-stats-target:\t%s%s\n", stats->vcpu ? "vcpu" : "vm",
		   kvm_stats_is_observer(stats) ? "+vcpus" : "");
	seq_printf(m, "kvm-stats-id:\t%s\n", stats->head.id);
	if (size >= 0)
		seq_printf(m, "kvm-stats-size:\t%zd\n", size);
}
#endif

/* The files of KVM_STATS_GETFD.  They have no ->poll, as in mainline. */
const struct file_operations kvm_stats_fops = {
	.owner = THIS_MODULE,
	.read = kvm_stats_read,
	.llseek = kvm_stats_llseek,
	.release = kvm_stats_release,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = kvm_stats_show_fdinfo,
#endif
};

const struct file_operations kvm_stats_observer_fops = {
	.owner = THIS_MODULE,
	.read = kvm_stats_read,
	.llseek = kvm_stats_llseek,
	.poll = kvm_stats_poll,
	.release = kvm_stats_release,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = kvm_stats_show_fdinfo,
#endif
};
