// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics: the file
 *
 * A read composes the file from the constant descriptors, the id, and the
 * values in struct kvm or struct kvm_vcpu.  It takes no lock and allocates no
 * memory.  Each value is loaded once, and in one piece where a u64 is a machine
 * word.  The values of one read can be of different moments.
 *
 * A file holds its VM, and thereby the vCPUs and the vendor module.  It also
 * holds the module of this code, which drops the reference to the VM.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uio.h>

#include "kvm_stats.h"

#define KVM_STATS_ID_OFFSET	sizeof(struct kvm_stats_header)
#define KVM_STATS_DESC_OFFSET	(KVM_STATS_ID_OFFSET + KVM_STATS_NAME_SIZE)

/* The ABI.  All sizes are multiples of 8, so the data is aligned to 8 bytes. */
static_assert(KVM_STATS_DESC_OFFSET == 72);
static_assert(sizeof(struct kvm_stats_desc) == 64);

static size_t kvm_stats_data_offset(const struct kvm_stats_schema *schema)
{
	return KVM_STATS_DESC_OFFSET + schema->num_desc * sizeof(*schema->desc);
}

static size_t kvm_stats_size(const struct kvm_stats_schema *schema)
{
	return kvm_stats_data_offset(schema) + schema->data_size;
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

static bool kvm_stats_read_constants(const struct kvm_stats_source *source,
				     size_t *pos, struct iov_iter *to)
{
	const struct kvm_stats_schema *schema = source->schema;
	size_t data_offset = kvm_stats_data_offset(schema);
	struct kvm_stats_header header = {
		.name_size = KVM_STATS_NAME_SIZE,
		.num_desc = schema->num_desc,
		.id_offset = KVM_STATS_ID_OFFSET,
		.desc_offset = KVM_STATS_DESC_OFFSET,
		.data_offset = data_offset,
	};
	char id[KVM_STATS_NAME_SIZE];

	kvm_stats_format_id(source, id);

	return kvm_stats_read_block(&header, 0, sizeof(header), pos, to) &&
	       kvm_stats_read_block(id, KVM_STATS_ID_OFFSET, sizeof(id), pos,
				    to) &&
	       kvm_stats_read_block(schema->desc, KVM_STATS_DESC_OFFSET,
				    data_offset - KVM_STATS_DESC_OFFSET, pos,
				    to);
}

/*
 * Copy values through a buffer on the stack, where they cannot change.
 * copy_to_iter() does not load each value in one piece, and
 * CONFIG_HARDENED_USERCOPY does not let it copy from struct kvm_vcpu.
 */
static void kvm_stats_read_values(const struct kvm_stats_source *source,
				  size_t *pos, struct iov_iter *to)
{
	size_t start = kvm_stats_data_offset(source->schema);
	size_t end = kvm_stats_size(source->schema);
	u64 buf[32];

	while (*pos < end && iov_iter_count(to)) {
		size_t first = (*pos - start) / sizeof(u64);
		size_t skip = (*pos - start) % sizeof(u64);
		size_t want = min(iov_iter_count(to), end - *pos) + skip;
		size_t num, size, copied, i;

		num = min(DIV_ROUND_UP(want, sizeof(u64)), ARRAY_SIZE(buf));
		for (i = 0; i < num; i++)
			buf[i] = READ_ONCE(source->values[first + i]);

		size = min(want, sizeof(buf)) - skip;
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

	if (!iov_iter_count(to) || *ppos >= kvm_stats_size(source->schema))
		return 0;

	if (pos >= kvm_stats_data_offset(source->schema) ||
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
	size_t i = 0;

	might_fault();
	if (!user_write_access_begin(to, num * sizeof(*to)))
		return false;

	for (; i + 4 <= num; i += 4) {
		unsafe_put_user(READ_ONCE(value[i]), &to[i], fault);
		unsafe_put_user(READ_ONCE(value[i + 1]), &to[i + 1], fault);
		unsafe_put_user(READ_ONCE(value[i + 2]), &to[i + 2], fault);
		unsafe_put_user(READ_ONCE(value[i + 3]), &to[i + 3], fault);
	}
	for (; i < num; i++)
		unsafe_put_user(READ_ONCE(value[i]), &to[i], fault);
	user_write_access_end();
	return true;

fault:
	user_write_access_end();
	return false;
}

/*
 * Store whole values directly to aligned user memory that is present.  Return 0
 * for any other read.  Only x86 and powerpc open user memory once for many
 * stores; on others, each unsafe_put_user() would open and close it.
 */
static size_t kvm_stats_read_direct(const struct kvm_stats_source *source,
				    char __user *buf, size_t size, loff_t pos)
{
	u64 offset = pos - kvm_stats_data_offset(source->schema);
	const u64 *value = source->values;

	if (!IS_ENABLED(CONFIG_X86) && !IS_ENABLED(CONFIG_PPC))
		return 0;
	if (offset >= source->schema->data_size)
		return 0;

	size = min_t(size_t, size, source->schema->data_size - offset);
	value += (size_t)offset / sizeof(u64);
	if ((offset | size | (size_t)buf) % sizeof(u64) ||
	    !kvm_stats_store((u64 __user *)buf, value, size / sizeof(u64)))
		return 0;

	return size;
}

/*
 * Monitors nearly always read aligned, whole values, which need neither a kiocb
 * nor an iterator.  All other reads take the general path.
 */
static ssize_t kvm_stats_read(struct file *file, char __user *buf, size_t size,
			      loff_t *pos)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct iov_iter to;
	size_t copied;

	copied = kvm_stats_read_direct(file->private_data, buf, size, *pos);
	if (copied) {
		*pos += copied;
		return copied;
	}

	iov_iter_init(&to, READ, &iov, 1, size);
	return kvm_stats_read_at(file->private_data, pos, &to);
}

static loff_t kvm_stats_llseek(struct file *file, loff_t offset, int whence)
{
	const struct kvm_stats_source *source = file->private_data;

	return generic_file_llseek_size(file, offset, whence, MAX_LFS_FILESIZE,
					kvm_stats_size(source->schema));
}

static int kvm_stats_release(struct inode *inode, struct file *file)
{
	const struct kvm_stats_source *source = file->private_data;

	kvm_put_kvm(source->kvm);
	return 0;
}

#ifdef CONFIG_PROC_FS
static void kvm_stats_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct kvm_stats_source *source = file->private_data;
	char id[KVM_STATS_NAME_SIZE];

	kvm_stats_format_id(source, id);
	seq_printf(m, "kvm-stats-target:\t%s\n",
		   source->vcpu_id < 0 ? "vm" : "vcpu");
	seq_printf(m, "kvm-stats-id:\t%s\n", id);
	seq_printf(m, "kvm-stats-size:\t%zu\n", kvm_stats_size(source->schema));
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
	kvm->stats_source = (struct kvm_stats_source) {
		.schema = &kvm_vm_stats_schema,
		.kvm = kvm,
		.values = (const u64 *)&kvm->stat,
		.pid = task_tgid_nr(current),
		.vcpu_id = -1,
	};
}

/**
 * kvm_stats_init_vcpu - make the statistics of a new vCPU readable
 * @vcpu: the vCPU; its VM and its id are set
 */
void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu)
{
	vcpu->stats_source = (struct kvm_stats_source) {
		.schema = &kvm_vcpu_stats_schema,
		.kvm = vcpu->kvm,
		.values = (const u64 *)&vcpu->stat,
		.pid = vcpu->kvm->stats_source.pid,
		.vcpu_id = vcpu->vcpu_id,
	};
}

static struct file *kvm_stats_getfile(struct kvm_stats_source *source)
{
	char name[sizeof("kvm-vcpu-stats:-2147483648")] = "kvm-vm-stats";

	if (source->vcpu_id >= 0)
		snprintf(name, sizeof(name), "kvm-vcpu-stats:%d",
			 source->vcpu_id);

	return anon_inode_getfile(name, &kvm_stats_fops, source, O_RDONLY);
}

/**
 * kvm_stats_getfd - open a statistics file, for KVM_STATS_GETFD
 * @source: the VM or vCPU whose fd the caller holds
 *
 * Takes no lock.  Any process can call it, also while the vCPU runs.
 *
 * Return: the file descriptor, or an error such as -EMFILE, -ENFILE or -ENOMEM.
 */
int kvm_stats_getfd(struct kvm_stats_source *source)
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

	kvm_get_kvm(source->kvm);
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_ATOMIC_POS |
			FMODE_NOWAIT;
	fd_install(fd, file);
	return fd;
}
