// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics: the generic tables, the serialiser and the fd
 *
 * A read composes the file anew from three sources: the constant tables, the
 * id, and the counters in struct kvm or struct kvm_vcpu.  It takes no lock and
 * allocates nothing.  Each value is loaded once, and whole where a u64 is a
 * machine word; values of one read need not be of one moment.
 *
 * A file holds its VM, and thereby the vCPUs and the vendor module, and it holds
 * the module of this code, which drops the reference to the VM.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kvm_host.h>
#include <linux/kvm_stats.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uio.h>

#include "kvm_stats.h"

#define KVM_STATS_STRUCT	kvm_vm_stat_generic
#define KVM_STATS_LIST (						\
	STAT(remote_tlb_flush,		COUNTER),			\
	STAT(remote_tlb_flush_requests,	COUNTER),			\
)
#include <linux/kvm_stats_table.h>

#define KVM_STATS_STRUCT	kvm_vcpu_stat_generic
#define KVM_STATS_LIST (						\
	STAT(halt_successful_poll,	COUNTER),			\
	STAT(halt_attempted_poll,	COUNTER),			\
	STAT(halt_poll_invalid,		COUNTER),			\
	STAT(halt_wakeup,		COUNTER),			\
	STAT(halt_poll_success_ns,	COUNTER_NS),			\
	STAT(halt_poll_fail_ns,		COUNTER_NS),			\
	STAT(halt_wait_ns,		COUNTER_NS),			\
	HIST(halt_poll_success_hist,	LOG2_NS),			\
	HIST(halt_poll_fail_hist,	LOG2_NS),			\
	HIST(halt_wait_hist,		LOG2_NS),			\
	STAT(blocking,			BOOLEAN),			\
)
#include <linux/kvm_stats_table.h>

/* Descriptors count offsets from the start of the whole structure. */
static_assert(offsetof(struct kvm_vm_stat, generic) == 0);
static_assert(offsetof(struct kvm_vcpu_stat, generic) == 0);

#define KVM_STATS_SCHEMA(target) {					\
	.generic = &target##_generic_table,				\
	.arch = &target##_table,					\
	.data_size = sizeof(struct target),				\
}

KVM_STATS_VISIBLE_IF_KUNIT
const struct kvm_stats_schema kvm_vm_stats_schema =
	KVM_STATS_SCHEMA(kvm_vm_stat);
KVM_STATS_EXPORT_IF_KUNIT(kvm_vm_stats_schema);

KVM_STATS_VISIBLE_IF_KUNIT
const struct kvm_stats_schema kvm_vcpu_stats_schema =
	KVM_STATS_SCHEMA(kvm_vcpu_stat);
KVM_STATS_EXPORT_IF_KUNIT(kvm_vcpu_stats_schema);

#define KVM_STATS_ID_OFFSET	sizeof(struct kvm_stats_header)
#define KVM_STATS_DESC_OFFSET	(KVM_STATS_ID_OFFSET + KVM_STATS_NAME_SIZE)

/* ABI; and whatever the number of descriptors, the data is 8-byte aligned. */
static_assert(KVM_STATS_ID_OFFSET == 24);
static_assert(KVM_STATS_DESC_OFFSET == 72);
static_assert(sizeof(struct kvm_stats_desc) == 64);

static size_t kvm_stats_table_size(const struct kvm_stats_table *table)
{
	return table->num * sizeof(*table->desc);
}

static size_t kvm_stats_data_offset(const struct kvm_stats_schema *schema)
{
	return KVM_STATS_DESC_OFFSET + kvm_stats_table_size(schema->generic) +
	       kvm_stats_table_size(schema->arch);
}

static size_t kvm_stats_size(const struct kvm_stats_schema *schema)
{
	return kvm_stats_data_offset(schema) + schema->data_size;
}

static void kvm_stats_header(const struct kvm_stats_schema *schema,
			     struct kvm_stats_header *header)
{
	*header = (struct kvm_stats_header) {
		.name_size = KVM_STATS_NAME_SIZE,
		.num_desc = schema->generic->num + schema->arch->num,
		.id_offset = KVM_STATS_ID_OFFSET,
		.desc_offset = KVM_STATS_DESC_OFFSET,
		.data_offset = kvm_stats_data_offset(schema),
	};
}

static void kvm_stats_id(const struct kvm_stats_source *source,
			 char id[KVM_STATS_NAME_SIZE])
{
	memset(id, 0, KVM_STATS_NAME_SIZE);
	if (source->vcpu_id < 0)
		snprintf(id, KVM_STATS_NAME_SIZE, "kvm-%d", source->pid);
	else
		snprintf(id, KVM_STATS_NAME_SIZE, "kvm-%d/vcpu-%d",
			 source->pid, source->vcpu_id);
}

/*
 * Deliver what a read at @pos wants of the block of @size bytes at @start.
 * Returns whether the read goes on behind the block.
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
	const struct kvm_stats_table *generic = source->schema->generic;
	const struct kvm_stats_table *arch = source->schema->arch;
	size_t generic_size = kvm_stats_table_size(generic);
	struct kvm_stats_header header;
	char id[KVM_STATS_NAME_SIZE];

	kvm_stats_header(source->schema, &header);
	kvm_stats_id(source, id);

	return kvm_stats_read_block(&header, 0, sizeof(header), pos, to) &&
	       kvm_stats_read_block(id, KVM_STATS_ID_OFFSET, sizeof(id),
				    pos, to) &&
	       kvm_stats_read_block(generic->desc, KVM_STATS_DESC_OFFSET,
				    generic_size, pos, to) &&
	       kvm_stats_read_block(arch->desc,
				    KVM_STATS_DESC_OFFSET + generic_size,
				    kvm_stats_table_size(arch), pos, to);
}

/*
 * The values pass through a buffer on the stack: copied to user memory directly
 * they could tear, and CONFIG_HARDENED_USERCOPY lets nothing but ->arch of a
 * vCPU be copied out of its slab cache.
 */
static void kvm_stats_read_values(const struct kvm_stats_source *source,
				  size_t *pos, struct iov_iter *to)
{
	size_t start = kvm_stats_data_offset(source->schema);
	size_t end = start + source->schema->data_size;
	u64 buf[32];

	while (*pos < end && iov_iter_count(to)) {
		const u64 *value = source->values + (*pos - start) / sizeof(u64);
		size_t skip = (*pos - start) % sizeof(u64);
		size_t size = min3(sizeof(buf), end - *pos + skip,
				   round_up(skip + iov_iter_count(to), sizeof(u64)));
		size_t len = min(size - skip, iov_iter_count(to));
		size_t copied, i;

		for (i = 0; i < size / sizeof(u64); i++)
			buf[i] = READ_ONCE(value[i]);

		copied = copy_to_iter((void *)buf + skip, len, to);
		*pos += copied;
		if (copied < len)
			break;
	}
}

static size_t kvm_stats_read_record(const struct kvm_stats_source *source,
				    size_t start, struct iov_iter *to)
{
	size_t pos = start;

	if (pos >= kvm_stats_data_offset(source->schema) ||
	    kvm_stats_read_constants(source, &pos, to))
		kvm_stats_read_values(source, &pos, to);

	return pos - start;
}

static ssize_t kvm_stats_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	const struct kvm_stats_source *source = iocb->ki_filp->private_data;
	size_t copied;

	if (!iov_iter_count(to) ||
	    iocb->ki_pos >= kvm_stats_size(source->schema))
		return 0;

	copied = kvm_stats_read_record(source, iocb->ki_pos, to);
	if (!copied)
		return -EFAULT;

	iocb->ki_pos += copied;
	return copied;
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

	kvm_stats_id(source, id);
	seq_printf(m, "kvm-stats-target:\t%s\n",
		   source->vcpu_id < 0 ? "vm" : "vcpu");
	seq_printf(m, "kvm-stats-id:\t%s\n", id);
	seq_printf(m, "kvm-stats-size:\t%zu\n", kvm_stats_size(source->schema));
}
#endif

KVM_STATS_VISIBLE_IF_KUNIT
const struct file_operations kvm_stats_fops = {
	.owner = THIS_MODULE,
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
 * @kvm: the VM, being created by the current process
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
 * @vcpu: the vCPU, its VM and its id set
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

/**
 * kvm_stats_getfd - open a statistics file, for KVM_STATS_GETFD
 * @source: the statistics of the VM or vCPU whose fd the caller holds
 *
 * Needs no lock, and may run in any process and while the vCPU runs.
 *
 * Return: the file descriptor, or -EMFILE, -ENFILE, -ENOMEM.
 */
int kvm_stats_getfd(struct kvm_stats_source *source)
{
	char vcpu_name[sizeof("kvm-vcpu-stats:-2147483648")];
	const char *name = "kvm-vm-stats";
	struct file *file;
	int fd;

	if (source->vcpu_id >= 0) {
		snprintf(vcpu_name, sizeof(vcpu_name), "kvm-vcpu-stats:%d",
			 source->vcpu_id);
		name = vcpu_name;
	}

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;

	file = anon_inode_getfile(name, &kvm_stats_fops, source, O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}

	kvm_get_kvm(source->kvm);
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_NOWAIT;
	fd_install(fd, file);
	return fd;
}
