// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics: the file
 *
 * A read composes the file from the constant descriptors, the id, and the
 * values in struct kvm or struct kvm_vcpu.  It takes no lock and allocates no
 * memory.  Each value is loaded once, and in one piece where a u64 is a machine
 * word.  The values of one read can be of different moments.
 *
 * The part of the file behind the constants consists of runs: arrays of u64
 * that are contiguous in memory.  The file of a VM or of a vCPU has one run.  The
 * file of a VM and all its vCPUs has one for the VM and one for each vCPU.  A vCPU
 * with exit statistics has a second run for them.
 *
 * A file holds its VM, and thereby the vCPUs and the vendor module.  It also
 * holds the module of this code, which drops the reference to the VM.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kvm_exit_stats.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "kvm_stats.h"

/**
 * struct kvm_stats_head - the part of a file before the descriptors
 * @header: the header
 * @id: the id
 * @vcpus: in files that contain the vCPUs of the VM
 */
struct kvm_stats_head {
	struct kvm_stats_header header;
	char id[KVM_STATS_NAME_SIZE];
	struct kvm_stats_vcpus vcpus;
};

/* The ABI.  All sizes are multiples of 8, so the data is aligned to 8 bytes. */
static_assert(offsetof(struct kvm_stats_head, id) == 24);
static_assert(offsetof(struct kvm_stats_head, vcpus) == 72);
static_assert(sizeof(struct kvm_stats_head) == 104);
static_assert(sizeof(struct kvm_stats_desc) == 64);
static_assert(sizeof(struct kvm_stats_record) == 16);

/* A record and the values behind it are one run. */
static_assert(offsetof(struct kvm_vcpu, stat) ==
	      offsetofend(struct kvm_vcpu, stats_record));

static size_t kvm_stats_desc_size(const struct kvm_stats_schema *schema)
{
	return schema->num_desc * sizeof(*schema->desc);
}

static size_t kvm_stats_head_size(const struct kvm_stats_source *source)
{
	return source->vcpu_schema ? sizeof(struct kvm_stats_head) :
				     offsetof(struct kvm_stats_head, vcpus);
}

static u32 kvm_stats_data_offset(const struct kvm_stats_source *source)
{
	size_t offset = kvm_stats_head_size(source) +
			kvm_stats_desc_size(source->schema);

	if (source->vcpu_schema)
		offset += kvm_stats_desc_size(source->vcpu_schema);
	return offset;
}

static u32 kvm_stats_data_size(const struct kvm_stats_schema *schema)
{
	return schema->data_size + schema->exits_size;
}

static u32 kvm_stats_record_size(const struct kvm_stats_source *source)
{
	return sizeof(struct kvm_stats_record) +
	       kvm_stats_data_size(source->vcpu_schema);
}

/* A file with vCPUs grows when a vCPU is created.  It never shrinks. */
static size_t kvm_stats_size(const struct kvm_stats_source *source)
{
	size_t size = source->data_offset + kvm_stats_data_size(source->schema);

	if (source->vcpu_schema)
		size += atomic_read(&source->kvm->online_vcpus) *
			kvm_stats_record_size(source);
	return size;
}

/* Write the id, padded with NULs to KVM_STATS_NAME_SIZE bytes. */
static void kvm_stats_format_id(const struct kvm_stats_source *source, char *id)
{
	memset(id, 0, KVM_STATS_NAME_SIZE);
	if (source->vcpu_id < 0)
		snprintf(id, KVM_STATS_NAME_SIZE, "kvm-%d", source->pid);
	else
		snprintf(id, KVM_STATS_NAME_SIZE, "kvm-%d/vcpu-%d", source->pid,
			 source->vcpu_id);
}

/*
 * Copy what a read at @pos selects of the block of @size bytes at @start.
 * Return true if the read continues behind the block.
 */
static bool kvm_stats_read_block(const void *block, size_t start, size_t size,
				 size_t *pos, struct iov_iter *to)
{
	size_t skip = *pos - start;

	if (*pos >= start + size)
		return true;

	*pos += copy_to_iter(block + skip, size - skip, to);
	return *pos == start + size;
}

static void kvm_stats_compose_vcpus(const struct kvm_stats_source *source,
				    struct kvm_stats_head *head)
{
	const struct kvm_stats_schema *schema = source->schema;

	head->header.flags = KVM_STATS_HEADER_VCPUS;
	head->vcpus = (struct kvm_stats_vcpus) {
		.vm = source->kvm->stats_vm,
		.num_desc = source->vcpu_schema->num_desc,
		.desc_offset = sizeof(*head) + kvm_stats_desc_size(schema),
		.records_offset = source->data_offset + schema->data_size,
		.record_size = kvm_stats_record_size(source),
		.data_offset = sizeof(struct kvm_stats_record),
	};
}

static void kvm_stats_compose_head(const struct kvm_stats_source *source,
				   struct kvm_stats_head *head)
{
	head->header = (struct kvm_stats_header) {
		.name_size = KVM_STATS_NAME_SIZE,
		.num_desc = source->schema->num_desc,
		.id_offset = offsetof(struct kvm_stats_head, id),
		.desc_offset = kvm_stats_head_size(source),
		.data_offset = source->data_offset,
	};
	kvm_stats_format_id(source, head->id);
	if (source->vcpu_schema)
		kvm_stats_compose_vcpus(source, head);
}

static bool kvm_stats_read_descs(const struct kvm_stats_schema *schema,
				 size_t start, size_t *pos, struct iov_iter *to)
{
	return kvm_stats_read_block(schema->desc, start,
				    kvm_stats_desc_size(schema), pos, to);
}

static bool kvm_stats_read_constants(const struct kvm_stats_source *source,
				     size_t *pos, struct iov_iter *to)
{
	size_t head_size = kvm_stats_head_size(source);
	struct kvm_stats_head head;

	kvm_stats_compose_head(source, &head);

	return kvm_stats_read_block(&head, 0, head_size, pos, to) &&
	       kvm_stats_read_descs(source->schema, head_size, pos, to) &&
	       (!source->vcpu_schema ||
		kvm_stats_read_descs(source->vcpu_schema,
				     head.vcpus.desc_offset, pos, to));
}

/**
 * struct kvm_stats_run - the rest of a run
 * @from: the first byte, which can be in the middle of a value
 * @size: number of bytes to the end of the run, or 0 at the end of the file
 */
struct kvm_stats_run {
	const void *from;
	size_t size;
};

/* The rest of a run of @size bytes, from byte @offset. */
static struct kvm_stats_run kvm_stats_rest(const void *run, u32 size, u64 offset)
{
	struct kvm_stats_run rest = {};

	if (offset < size) {
		rest.from = run + offset;
		rest.size = size - offset;
	}
	return rest;
}

/*
 * Find byte @offset of the records.  kvm_get_vcpu() orders its load of the vCPU
 * after that of online_vcpus.  In older releases, it returns the first vCPU if
 * the index is too high, so the index is checked here.
 */
static struct kvm_stats_run
kvm_stats_find_record(const struct kvm_stats_source *source, u64 offset)
{
	u32 size = kvm_stats_record_size(source);
	struct kvm_stats_run run = {};
	const struct kvm_vcpu *vcpu;
	u32 index;

	if (offset > U32_MAX)
		return run;

	index = (u32)offset / size;
	if (index >= atomic_read(&source->kvm->online_vcpus))
		return run;

	offset = (u32)offset % size;
	vcpu = kvm_get_vcpu(source->kvm, index);
	size -= source->vcpu_schema->exits_size;
	if (offset < size)
		return kvm_stats_rest(&vcpu->stats_record, size, offset);

	return kvm_stats_rest(kvm_exit_stats_values(vcpu),
			      source->vcpu_schema->exits_size, offset - size);
}

/* Find what the file has at @pos, which is behind the constants. */
static __always_inline struct kvm_stats_run
kvm_stats_find(const struct kvm_stats_source *source, loff_t pos)
{
	u64 offset = pos - source->data_offset;
	u32 size = source->schema->data_size;
	struct kvm_stats_run run = {};

	if (offset < size) {
		run.from = (const void *)source->values + offset;
		run.size = size - offset;
	} else if (source->vcpu_schema) {
		run = kvm_stats_find_record(source, offset - size);
	} else if (source->exits) {
		run = kvm_stats_rest(source->exits, source->schema->exits_size,
				     offset - size);
	}
	return run;
}

/*
 * Copy values through a buffer on the stack, where they cannot change.
 * copy_to_iter() does not load each value in one piece, and
 * CONFIG_HARDENED_USERCOPY does not let it copy from struct kvm_vcpu.
 */
static void kvm_stats_read_values(const struct kvm_stats_source *source,
				  size_t *pos, struct iov_iter *to)
{
	u64 buf[32];

	while (iov_iter_count(to)) {
		struct kvm_stats_run run = kvm_stats_find(source, *pos);
		size_t skip = (unsigned long)run.from % sizeof(u64);
		const u64 *value = run.from - skip;
		size_t num, size, copied, i;

		if (!run.size)
			break;

		size = min(iov_iter_count(to), run.size) + skip;
		num = min(DIV_ROUND_UP(size, sizeof(u64)), ARRAY_SIZE(buf));
		for (i = 0; i < num; i++)
			buf[i] = READ_ONCE(value[i]);

		size = min(size, sizeof(buf)) - skip;
		copied = copy_to_iter((void *)buf + skip, size, to);
		*pos += copied;
		if (copied < size)
			break;
	}
}

static ssize_t kvm_stats_read_at(const struct kvm_stats_source *source,
				 loff_t *ppos, struct iov_iter *to)
{
	size_t pos = *ppos, copied;

	if (!iov_iter_count(to) || *ppos >= kvm_stats_size(source))
		return 0;

	if (pos >= source->data_offset ||
	    kvm_stats_read_constants(source, &pos, to))
		kvm_stats_read_values(source, &pos, to);
	copied = pos - *ppos;
	if (!copied)
		return -EFAULT;

	*ppos = pos;
	return copied;
}

static ssize_t kvm_stats_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return kvm_stats_read_at(iocb->ki_filp->private_data, &iocb->ki_pos,
				 to);
}

/* Store values to aligned user memory.  Return false after a fault. */
static bool kvm_stats_store(u64 __user *to, const u64 *value, size_t num)
{
	might_fault();
	if (!user_write_access_begin(to, num * sizeof(*to)))
		return false;

	for (; num >= 8; num -= 8, to += 8, value += 8) {
		unsafe_put_user(READ_ONCE(value[0]), &to[0], fault);
		unsafe_put_user(READ_ONCE(value[1]), &to[1], fault);
		unsafe_put_user(READ_ONCE(value[2]), &to[2], fault);
		unsafe_put_user(READ_ONCE(value[3]), &to[3], fault);
		unsafe_put_user(READ_ONCE(value[4]), &to[4], fault);
		unsafe_put_user(READ_ONCE(value[5]), &to[5], fault);
		unsafe_put_user(READ_ONCE(value[6]), &to[6], fault);
		unsafe_put_user(READ_ONCE(value[7]), &to[7], fault);
	}
	for (; num; num--, to++, value++)
		unsafe_put_user(READ_ONCE(*value), to, fault);
	user_write_access_end();
	return true;

fault:
	user_write_access_end();
	return false;
}

/*
 * Store whole values of one run directly to aligned user memory that is
 * present.  Return 0 for any other read.  Only x86 and powerpc open user memory
 * once for many stores; on others, each unsafe_put_user() would open and close
 * it.
 */
static __always_inline size_t
kvm_stats_read_run(const struct kvm_stats_source *source, char __user *buf,
		   size_t size, loff_t pos)
{
	struct kvm_stats_run run;

	if (!IS_ENABLED(CONFIG_X86) && !IS_ENABLED(CONFIG_PPC))
		return 0;

	run = kvm_stats_find(source, pos);
	size = min(size, run.size);
	if (((unsigned long)run.from | size | (unsigned long)buf) % sizeof(u64) ||
	    !kvm_stats_store((u64 __user *)buf, run.from, size / sizeof(u64)))
		return 0;

	return size;
}

/* Continue a read after @copied bytes: further runs, then the general path. */
static noinline ssize_t
kvm_stats_read_rest(const struct kvm_stats_source *source, char __user *buf,
		    size_t size, size_t copied, loff_t *pos)
{
	size_t run = copied;
	struct iov_iter to;
	struct iovec iov;
	ssize_t rest;

	while (run && copied < size) {
		run = kvm_stats_read_run(source, buf + copied, size - copied,
					 *pos);
		copied += run;
		*pos += run;
	}

	iov.iov_base = buf + copied;
	iov.iov_len = size - copied;
	iov_iter_init(&to, READ, &iov, 1, iov.iov_len);
	rest = kvm_stats_read_at(source, pos, &to);
	return copied && rest < 0 ? copied : copied + rest;
}

/*
 * Monitors nearly always read aligned, whole values, which need neither a kiocb
 * nor an iterator.  All other reads take the general path.
 */
static ssize_t kvm_stats_read(struct file *file, char __user *buf, size_t size,
			      loff_t *pos)
{
	const struct kvm_stats_source *source = file->private_data;
	size_t copied;

	copied = kvm_stats_read_run(source, buf, size, *pos);
	*pos += copied;
	if (copied == size ||
	    (copied && !source->vcpu_schema && !source->exits))
		return copied;

	return kvm_stats_read_rest(source, buf, size, copied, pos);
}

static loff_t kvm_stats_llseek(struct file *file, loff_t offset, int whence)
{
	const struct kvm_stats_source *source = file->private_data;

	return generic_file_llseek_size(file, offset, whence, MAX_LFS_FILESIZE,
					kvm_stats_size(source));
}

static int kvm_stats_release(struct inode *inode, struct file *file)
{
	const struct kvm_stats_source *source = file->private_data;

	kvm_put_kvm(source->kvm);
	return 0;
}

#ifdef CONFIG_PROC_FS
static const char *kvm_stats_target(const struct kvm_stats_source *source)
{
	if (source->vcpu_id >= 0)
		return "vcpu";
	return source->vcpu_schema ? "vm+vcpus" : "vm";
}

static void kvm_stats_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct kvm_stats_source *source = file->private_data;
	char id[KVM_STATS_NAME_SIZE];

	kvm_stats_format_id(source, id);
	seq_printf(m, "kvm-stats-target:\t%s\n", kvm_stats_target(source));
	seq_printf(m, "kvm-stats-id:\t%s\n", id);
	seq_printf(m, "kvm-stats-vm:\t%llu\n", source->kvm->stats_vm);
	seq_printf(m, "kvm-stats-size:\t%zu\n", kvm_stats_size(source));
}
#endif

KVM_STATS_STATIC const struct file_operations kvm_stats_fops = {
	.owner = THIS_MODULE,
	.read = kvm_stats_read,
	.read_iter = kvm_stats_read_iter,
	.splice_read = generic_file_splice_read,
	.llseek = kvm_stats_llseek,
	.release = kvm_stats_release,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = kvm_stats_show_fdinfo,
#endif
};

KVM_STATS_EXPORT_IF_KUNIT(kvm_stats_fops);

/**
 * kvm_stats_init_vm - make the statistics of a new VM readable
 * @kvm: the VM, which the current process is creating
 */
void kvm_stats_init_vm(struct kvm *kvm)
{
	struct kvm_stats_source source = {
		.schema = &kvm_vm_stats_schema,
		.kvm = kvm,
		.values = (const u64 *)&kvm->stat,
		.pid = task_tgid_nr(current),
		.vcpu_id = -1,
	};

	source.data_offset = kvm_stats_data_offset(&source);
	kvm->stats_source = source;

	source.vcpu_schema = &kvm_vcpu_stats_schema;
	source.data_offset = kvm_stats_data_offset(&source);
	kvm->stats_source_vcpus = source;

	if (!IS_ENABLED(CONFIG_HAVE_KVM_EXIT_STATS))
		return;

	source.vcpu_schema = &kvm_vcpu_exits_schema;
	source.data_offset = kvm_stats_data_offset(&source);
	kvm->stats_source_exits = source;
}

/**
 * kvm_stats_number_vm - give a new VM its number
 * @kvm: the VM, whose creation cannot fail any more
 *
 * The numbers start at 1 and are in order of creation.  No number is used again
 * while the module is loaded.
 */
void kvm_stats_number_vm(struct kvm *kvm)
{
	static u64 last;

	mutex_lock(&kvm_lock);
	kvm->stats_vm = ++last;
	mutex_unlock(&kvm_lock);
}

/**
 * kvm_stats_init_vcpu - make the statistics of a new vCPU readable
 * @vcpu: the vCPU; its VM, its id and its exit statistics are set
 */
void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu)
{
	struct kvm_stats_source source = {
		.schema = &kvm_vcpu_stats_schema,
		.kvm = vcpu->kvm,
		.values = (const u64 *)&vcpu->stat,
		.exits = kvm_exit_stats_values(vcpu),
		.pid = vcpu->kvm->stats_source.pid,
		.vcpu_id = vcpu->vcpu_id,
	};

	if (IS_ENABLED(CONFIG_HAVE_KVM_EXIT_STATS) && source.exits)
		source.schema = &kvm_vcpu_exits_schema;
	source.data_offset = kvm_stats_data_offset(&source);
	vcpu->stats_source = source;
	vcpu->stats_record.vcpu_id = vcpu->vcpu_id;
}

static struct file *kvm_stats_getfile(struct kvm_stats_source *source)
{
	char name[sizeof("kvm-vcpu-stats:-2147483648")] = "kvm-vm-stats";
	struct file *file;

	if (source->vcpu_id >= 0)
		snprintf(name, sizeof(name), "kvm-vcpu-stats:%d",
			 source->vcpu_id);

	file = anon_inode_getfile(name, &kvm_stats_fops, source, O_RDONLY);
	if (IS_ERR(file))
		return file;

	kvm_get_kvm(source->kvm);
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_ATOMIC_POS |
			FMODE_NOWAIT;
	return file;
}

static int kvm_stats_getfd(struct kvm_stats_source *source)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;

	file = kvm_stats_getfile(source);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}

	fd_install(fd, file);
	return fd;
}

/*
 * A file that was opened before the exit statistics were enabled does not get
 * them: its descriptors do not change.
 */
static struct kvm_stats_source *kvm_stats_vm_source(struct kvm *kvm, u32 flags)
{
	if (!(flags & KVM_STATS_OPEN_VCPUS))
		return &kvm->stats_source;

	return READ_ONCE(kvm->exit_stats) ? &kvm->stats_source_exits :
					    &kvm->stats_source_vcpus;
}

static int kvm_stats_open(struct kvm *kvm, const void __user *argp)
{
	struct kvm_stats_open open;

	if (copy_from_user(&open, argp, sizeof(open)))
		return -EFAULT;
	if (open.flags & ~KVM_STATS_OPEN_VCPUS || open.reserved)
		return -EINVAL;

	return kvm_stats_getfd(kvm_stats_vm_source(kvm, open.flags));
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
		return kvm_stats_getfd(&kvm->stats_source);
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

	return kvm_stats_getfd(&vcpu->stats_source);
}

/*
 * Get a reference to the VM with the lowest number above @number.  The list is
 * in no order.  VMs without a number, which is 0, are not created completely.
 */
static struct kvm *kvm_stats_get_next_vm(u64 number)
{
	struct kvm *kvm, *next;

	mutex_lock(&kvm_lock);
	do {
		next = NULL;
		list_for_each_entry(kvm, &vm_list, vm_list)
			if (kvm->stats_vm > number &&
			    (!next || kvm->stats_vm < next->stats_vm))
				next = kvm;
		if (next)
			number = next->stats_vm;
	} while (next && !refcount_inc_not_zero(&next->users_count));
	mutex_unlock(&kvm_lock);
	return next;
}

/* Nothing is opened, and argp->vm does not change, if this fails. */
static int kvm_stats_open_next(struct kvm *kvm, u32 flags,
			       struct kvm_stats_next __user *argp)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;

	file = kvm_stats_getfile(kvm_stats_vm_source(kvm, flags));
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}

	if (put_user(fd, &argp->fd) || put_user(kvm->stats_vm, &argp->vm)) {
		fput(file);
		put_unused_fd(fd);
		return -EFAULT;
	}

	fd_install(fd, file);
	return 0;
}

/**
 * kvm_stats_next_vm - open the statistics of the next VM of the host
 * @argp: argument of KVM_STATS_NEXT
 *
 * kvm_lock is held to find the VM and to get a reference to it.  It is not held
 * when user memory is accessed.
 *
 * Return: 0, -ENOENT after the last VM, -EPERM without CAP_PERFMON in the
 * initial user namespace, or an error such as -EMFILE, -ENFILE or -ENOMEM.
 */
int kvm_stats_next_vm(struct kvm_stats_next __user *argp)
{
	struct kvm_stats_next next;
	struct kvm *kvm;
	int ret;

	if (!perfmon_capable())
		return -EPERM;
	if (copy_from_user(&next, argp, sizeof(next)))
		return -EFAULT;
	if (next.flags & ~KVM_STATS_OPEN_VCPUS)
		return -EINVAL;

	kvm = kvm_stats_get_next_vm(next.vm);
	if (!kvm)
		return -ENOENT;

	ret = kvm_stats_open_next(kvm, next.flags, argp);
	kvm_put_kvm(kvm);
	return ret;
}
