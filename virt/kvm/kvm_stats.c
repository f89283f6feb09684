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

/*
 * CONFIG_HARDENED_USERCOPY lets nothing but ->arch of a vCPU be copied out of its
 * slab cache, so the id, like the values, goes through the stack.
 */
static bool kvm_stats_read_constants(const struct kvm_stats_source *source,
				     size_t *pos, struct iov_iter *to)
{
	const struct kvm_stats_table *generic = source->schema->generic;
	const struct kvm_stats_table *arch = source->schema->arch;
	size_t generic_size = kvm_stats_table_size(generic);
	struct kvm_stats_header header;
	char id[KVM_STATS_NAME_SIZE];

	kvm_stats_header(source->schema, &header);
	memcpy(id, source->id, sizeof(id));

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
 * Whether many stores to user memory fit between one user_access_begin() and its
 * end.  Elsewhere each of them would open and close it.
 */
#define KVM_STATS_STORE_TO_USER						\
	(IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_PPC))

#define STORE_1()							\
	do {								\
		unsafe_put_user(READ_ONCE(*value), to, fault);		\
		value++;						\
		to++;							\
	} while (0)
#define STORE_2()	do { STORE_1(); STORE_1(); } while (0)
#define STORE_4()	do { STORE_2(); STORE_2(); } while (0)
#define STORE_8()	do { STORE_4(); STORE_4(); } while (0)
#define STORE_16()	do { STORE_8(); STORE_8(); } while (0)
#define STORE_32()	do { STORE_16(); STORE_16(); } while (0)

/* Store @size bytes of whole values, or at a fault some of them: false. */
static __always_inline bool kvm_stats_store(u64 __user *to, const u64 *value,
					    size_t size)
{
	const u64 *last = value + size / sizeof(u64) - 32;

	might_fault();
	if (!user_write_access_begin(to, size))
		return false;

	while (value <= last)
		STORE_32();
	if (size & 16 * sizeof(u64))
		STORE_16();
	if (size & 8 * sizeof(u64))
		STORE_8();
	if (size & 4 * sizeof(u64))
		STORE_4();
	if (size & 2 * sizeof(u64))
		STORE_2();
	if (size & sizeof(u64))
		STORE_1();
	user_write_access_end();
	return true;

fault:
	user_write_access_end();
	return false;
}

#undef STORE_32
#undef STORE_16
#undef STORE_8
#undef STORE_4
#undef STORE_2
#undef STORE_1

/* Deliver whole values to the first buffer of user memory, as many as fit. */
static size_t kvm_stats_read_direct(const u64 *value, size_t size,
				    struct iov_iter *to)
{
	struct iovec iov;

	if (!KVM_STATS_STORE_TO_USER || !iter_is_iovec(to))
		return 0;

	iov = iov_iter_iovec(to);
	size = round_down(min(size, iov.iov_len), sizeof(u64));
	if (!size || !IS_ALIGNED((unsigned long)iov.iov_base, sizeof(u64)) ||
	    !kvm_stats_store(iov.iov_base, value, size))
		return 0;

	iov_iter_advance(to, size);
	return size;
}

/*
 * Deliver values, the first one without @skip bytes, through a buffer on the
 * stack.  copy_to_iter() alone could tear them, and would not be allowed to.
 */
static size_t kvm_stats_read_buffered(const u64 *value, size_t num, size_t skip,
				      struct iov_iter *to)
{
	u64 buf[32];
	size_t i;

	num = min3(num, ARRAY_SIZE(buf),
		   DIV_ROUND_UP(skip + iov_iter_count(to), sizeof(*buf)));
	for (i = 0; i < num; i++)
		buf[i] = READ_ONCE(value[i]);

	return copy_to_iter((void *)buf + skip,
			    min(num * sizeof(*buf) - skip, iov_iter_count(to)),
			    to);
}

static void kvm_stats_read_values(const struct kvm_stats_source *source,
				  size_t *pos, struct iov_iter *to)
{
	size_t start = kvm_stats_data_offset(source->schema);
	size_t end = start + source->schema->data_size;

	while (*pos < end && iov_iter_count(to)) {
		const u64 *value = source->values + (*pos - start) / sizeof(u64);
		size_t skip = (*pos - start) % sizeof(u64);
		size_t num = (end - *pos + skip) / sizeof(u64);
		size_t copied = 0;

		if (!skip)
			copied = kvm_stats_read_direct(value, end - *pos, to);
		if (!copied)
			copied = kvm_stats_read_buffered(value, num, skip, to);
		if (!copied)
			break;
		*pos += copied;
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

static ssize_t kvm_stats_read_at(const struct kvm_stats_source *source,
				 loff_t *pos, struct iov_iter *to)
{
	size_t copied;

	if (!iov_iter_count(to) || *pos >= kvm_stats_size(source->schema))
		return 0;

	copied = kvm_stats_read_record(source, *pos, to);
	if (!copied)
		return -EFAULT;

	*pos += copied;
	return copied;
}

static ssize_t kvm_stats_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return kvm_stats_read_at(iocb->ki_filp->private_data, &iocb->ki_pos,
				 to);
}

/* Any read that kvm_stats_read_whole() does not do. */
static noinline ssize_t kvm_stats_read_part(const struct kvm_stats_source *source,
					    char __user *buf, size_t size,
					    loff_t *pos)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct iov_iter to;

	iov_iter_init(&to, READ, &iov, 1, size);
	return kvm_stats_read_at(source, pos, &to);
}

/* Deliver what is asked for if it is whole values, in memory that is there. */
static size_t kvm_stats_read_whole(const struct kvm_stats_source *source,
				   char __user *buf, size_t size, loff_t pos)
{
	u64 offset = pos - kvm_stats_data_offset(source->schema);
	const void *value = source->values;

	if (!KVM_STATS_STORE_TO_USER || offset >= source->schema->data_size)
		return 0;

	value += offset;
	size = min_t(size_t, size, source->schema->data_size - offset);
	if (((size_t)value | size | (size_t)buf) % sizeof(u64) ||
	    !kvm_stats_store((u64 __user *)buf, value, size))
		return 0;

	return size;
}

/*
 * What agents do all day is one pread() of the values.  Without a kiocb and an
 * iterator around it, it takes 200 instructions less on x86.
 */
static ssize_t kvm_stats_read(struct file *file, char __user *buf, size_t size,
			      loff_t *pos)
{
	const struct kvm_stats_source *source = file->private_data;
	size_t copied = kvm_stats_read_whole(source, buf, size, *pos);

	if (!copied)
		return kvm_stats_read_part(source, buf, size, pos);

	*pos += copied;
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

	seq_printf(m, "kvm-stats-target:\t%s\n",
		   source->schema == &kvm_vm_stats_schema ? "vm" : "vcpu");
	seq_printf(m, "kvm-stats-id:\t%s\n", source->id);
	seq_printf(m, "kvm-stats-size:\t%zu\n", kvm_stats_size(source->schema));
}
#endif

KVM_STATS_VISIBLE_IF_KUNIT
const struct file_operations kvm_stats_fops = {
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
 * @kvm: the VM, being created by the current process
 */
void kvm_stats_init_vm(struct kvm *kvm)
{
	struct kvm_stats_source *source = &kvm->stats_source;

	*source = (struct kvm_stats_source) {
		.schema = &kvm_vm_stats_schema,
		.kvm = kvm,
		.values = (const u64 *)&kvm->stat,
		.file_name = "kvm-vm-stats",
	};
	snprintf(source->id, sizeof(source->id), "kvm-%d",
		 task_tgid_nr(current));
}

/**
 * kvm_stats_init_vcpu - make the statistics of a new vCPU readable
 * @vcpu: the vCPU, its VM and its id set
 */
void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu)
{
	struct kvm_stats_source *source = &vcpu->stats_source;

	*source = (struct kvm_stats_source) {
		.schema = &kvm_vcpu_stats_schema,
		.kvm = vcpu->kvm,
		.values = (const u64 *)&vcpu->stat,
	};
	snprintf(source->id, sizeof(source->id), "%s/vcpu-%d",
		 vcpu->kvm->stats_source.id, vcpu->vcpu_id);
	snprintf(source->file_name, sizeof(source->file_name),
		 "kvm-vcpu-stats:%d", vcpu->vcpu_id);
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
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;

	file = anon_inode_getfile(source->file_name, &kvm_stats_fops, source,
				  O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}

	kvm_get_kvm(source->kvm);
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_NOWAIT;
	fd_install(fd, file);
	return fd;
}
