// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM_STATS_OPEN, and the file of a VM and its vCPUs.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_open.h"

/* The order of creation differs from that of the ids. */
#define SECOND_VCPU_ID	1

static const char *create_vcpu(int vm_fd, int id, int *fd)
{
	*fd = ioctl(vm_fd, KVM_CREATE_VCPU, id);
	return *fd >= 0 ? NULL :
	       stats_fail("KVM_CREATE_VCPU of vCPU %d failed: %s", id,
			  strerror(errno));
}

const char *stats_set_up_open(struct stats_target *target)
{
	int fds[STATS_NUM_FDS], vcpu;
	const char *message = stats_bare_vm(fds);

	if (!message)
		message = create_vcpu(fds[STATS_FD_VM], SECOND_VCPU_ID, &vcpu);
	if (message)
		return message;
	target->getfd_fd = fds[STATS_FD_VM];
	message = stats_open(target->getfd_fd, &target->fd);
	return message ? message : stats_file_load(&target->file, target->fd);
}

/* The ioctl */

static const char *check_capability(struct stats_target *target)
{
	const int expected = KVM_STATS_CAP_GETFD | KVM_STATS_CAP_OPEN |
			     KVM_STATS_CAP_NEXT;
	const int fds[] = { stats_open_kvm(), target->getfd_fd };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		int mask = ioctl(fds[i], KVM_CHECK_EXTENSION,
				 KVM_CAP_STATS_BINARY_FD);

		if (mask != expected)
			return stats_fail("KVM_CHECK_EXTENSION returns %d, expected %d",
					  mask, expected);
	}
	return NULL;
}

static const char *enable_cap_refused(struct stats_target *target)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_STATS_BINARY_FD };
	const char *message = NULL;

	for (cap.args[0] = 0; cap.args[0] < 4 && !message; cap.args[0]++)
		message = stats_refused("KVM_ENABLE_CAP",
					ioctl(target->getfd_fd, KVM_ENABLE_CAP,
					      &cap), EINVAL);
	return message;
}

static const char *unknown_flags(struct stats_target *target)
{
	const struct kvm_stats_open arguments[] = {
		{ .flags = 1 }, { .flags = 2 }, { .flags = 1u << 31 },
		{ .flags = -1u }, { .reserved = 1 },
		{ .reserved = 1u << 31 },
	};
	const char *message = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arguments) && !message; i++)
		message = stats_refused("KVM_STATS_OPEN with unknown flags",
					ioctl(target->getfd_fd, KVM_STATS_OPEN,
					      &arguments[i]), EINVAL);
	return message;
}

static const char *bad_argument(struct stats_target *target)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *message;

	if (map == MAP_FAILED || mprotect(map + page, page, PROT_NONE))
		return stats_fail("mmap() failed: %s", strerror(errno));
	message = stats_refused("KVM_STATS_OPEN without argument",
				ioctl(target->getfd_fd, KVM_STATS_OPEN, NULL),
				EFAULT);
	if (!message)
		message = stats_refused("KVM_STATS_OPEN with half an argument",
					ioctl(target->getfd_fd, KVM_STATS_OPEN,
					      map + page - 4), EFAULT);
	return message;
}

/* The ioctls share a number, so each kind of fd must tell them apart. */
static const char *other_fds(struct stats_target *target)
{
	struct kvm_stats_next next = { 0 };
	struct kvm_stats_open open = { 0 };
	int kvm = stats_open_kvm(), vcpu;
	const char *message = create_vcpu(target->getfd_fd, 0, &vcpu);

	if (message)
		return message;
	message = stats_refused("KVM_STATS_OPEN on a vCPU",
				ioctl(vcpu, KVM_STATS_OPEN, &open),
				ENOTTY);
	if (!message)
		message = stats_refused("KVM_STATS_NEXT on a vCPU",
					ioctl(vcpu, KVM_STATS_NEXT, &next),
					ENOTTY);
	if (!message)
		message = stats_refused("KVM_STATS_NEXT on a VM",
					ioctl(target->getfd_fd, KVM_STATS_NEXT,
					      &next), ENOTTY);
	if (!message && ioctl(kvm, KVM_STATS_OPEN, &open) >= 0)
		message = stats_fail("KVM_STATS_OPEN on /dev/kvm succeeded");
	if (!message && ioctl(kvm, KVM_STATS_GETFD, 0) >= 0)
		message = stats_fail("KVM_STATS_GETFD on /dev/kvm succeeded");
	return message;
}

/* The file */

static const char *check_layout(struct stats_target *target)
{
	struct stats_vm_file file;
	const char *message = stats_vm_file_load(&file, target->fd);

	if (!message && (file.num_records != 2 || file.vcpus.vm))
		message = stats_fail("the file has %u records and VM number %llu, expected 2 and 0",
				     file.num_records,
				     (unsigned long long)file.vcpus.vm);
	return message;
}

static const char *check_id(struct stats_target *target)
{
	return stats_layout_id(target);
}

/* A program that ignores the flag of the header reads the VM's statistics. */
static const char *plain_reader(struct stats_target *target)
{
	const struct stats_file *file = &target->file;
	const struct kvm_stats_desc *desc;
	struct stats_file plain;
	uint64_t before, now;
	const char *message;
	uint32_t i;
	int fd;

	message = stats_getfd(target->getfd_fd, &fd);
	if (!message)
		message = stats_file_load(&plain, fd);
	for (i = 0; !message && (desc = stats_file_desc(&plain, i)); i++) {
		if (memcmp(desc, stats_file_desc(file, i), STATS_DESC_SIZE))
			return stats_fail("the descriptor of '%s' differs from the plain file",
					  desc->name);
		message = stats_read_value(fd, &plain, desc->name, &before);
		if (!message)
			message = stats_read_value(target->fd, file, desc->name,
						   &now);
		if (!message && now < before)
			message = stats_fail("'%s' is smaller than in the plain file",
					     desc->name);
	}
	return message || i == file->header.num_desc ? message :
	       stats_fail("the plain file has %u descriptors", i);
}

static const char *vcpu_descriptors(struct stats_target *target)
{
	struct stats_vm_file file;
	struct stats_file vcpu;
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (!message)
		message = stats_file_load(&vcpu, fds[STATS_FD_VCPU_STATS]);
	if (!message)
		message = stats_vm_file_load(&file, target->fd);
	if (message)
		return message;
	if (file.vcpus.num_desc != vcpu.header.num_desc ||
	    memcmp(file.file.bytes + file.vcpus.desc_offset,
		   vcpu.bytes + vcpu.header.desc_offset,
		   vcpu.header.num_desc * STATS_DESC_SIZE))
		return stats_fail("the descriptors differ from those of a vCPU's file");
	if (file.vcpus.record_size !=
	    STATS_RECORD_SIZE + vcpu.size - vcpu.header.data_offset)
		return stats_fail("a record has %u bytes, the data of a vCPU's file %zu",
				  file.vcpus.record_size,
				  vcpu.size - vcpu.header.data_offset);
	return NULL;
}

static const char *check_record(const struct stats_vm_file *file, uint32_t i,
				uint64_t vcpu_id)
{
	struct kvm_stats_record record = stats_vm_file_record(file, i);

	if (record.vcpu_id == vcpu_id && !record.reserved)
		return NULL;
	return stats_fail("record %u is of vCPU %llu, reserved %llu, expected vCPU %llu",
			  i, (unsigned long long)record.vcpu_id,
			  (unsigned long long)record.reserved,
			  (unsigned long long)vcpu_id);
}

static const char *order_of_creation(struct stats_target *target)
{
	struct stats_vm_file file;
	const char *message = stats_vm_file_load(&file, target->fd);

	if (!message)
		message = check_record(&file, 0, STATS_VCPU_ID);
	if (!message)
		message = check_record(&file, 1, SECOND_VCPU_ID);
	return message;
}

/* A file that is open shows vCPUs that are created later. */
static const char *check_grows(struct stats_target *target)
{
	off_t before = lseek(target->fd, 0, SEEK_END);
	struct stats_vm_file file;
	const char *message;
	uint8_t byte;
	int vcpu;

	if (read(target->fd, &byte, 1))
		return stats_fail("a read at the end returned data");
	message = create_vcpu(target->getfd_fd, 0, &vcpu);
	if (!message)
		message = stats_vm_file_load(&file, target->fd);
	if (message)
		return message;
	if (file.num_records != 3)
		return stats_fail("the file has %u records, expected 3",
				  file.num_records);
	if (lseek(target->fd, 0, SEEK_END) != before + file.vcpus.record_size)
		return stats_fail("SEEK_END has not moved by the size of a record");
	if (memcmp(file.file.bytes, target->file.bytes,
		   file.file.header.data_offset))
		return stats_fail("the header, the id or a descriptor has changed");
	return check_record(&file, 2, 0);
}

static const char *no_vcpus(struct stats_target *target)
{
	int kvm = stats_open_kvm(), vm = ioctl(kvm, KVM_CREATE_VM, 0), fd;
	struct stats_vm_file file;
	const char *message;

	(void)target;
	message = stats_open(vm, &fd);
	if (!message)
		message = stats_vm_file_load(&file, fd);
	if (!message && file.num_records)
		message = stats_fail("the file has %u records, expected 0",
				     file.num_records);
	return message;
}

/* One read of everything that changes, to a buffer that is too large. */
static const char *one_read(struct stats_target *target)
{
	size_t offset = target->file.header.data_offset;
	size_t size = target->file.size - offset;
	uint64_t *buf = malloc(size + 4096);

	return stats_same(target, buf, pread(target->fd, buf, size + 4096, offset),
			  offset, size);
}

static const char *check_fdinfo(struct stats_target *target)
{
	return stats_check_fdinfo(target, "vm+vcpus", target->file.size);
}

/* Other processes and limits */

static const char *open_again(struct stats_target *target)
{
	struct stats_vm_file file;
	const char *message;
	int fd;

	message = stats_open(target->getfd_fd, &fd);
	if (!message)
		message = stats_vm_file_load(&file, fd);
	if (!message && (file.file.size != target->file.size ||
			 memcmp(file.file.bytes, target->file.bytes,
				target->file.header.data_offset)))
		message = stats_fail("two files of the same VM differ");
	return message;
}

static const char *opened_by_other(struct stats_target *target)
{
	return stats_in_child(target, open_again);
}

static const char *no_free_fd(struct stats_target *target)
{
	struct kvm_stats_open open = { 0 };
	const char *message;

	stats_limit_fds(true);
	message = stats_refused("KVM_STATS_OPEN without a free fd",
				ioctl(target->getfd_fd, KVM_STATS_OPEN, &open),
				EMFILE);
	stats_limit_fds(false);
	return message ? message : open_again(target);
}

const struct stats_check stats_open_checks[] = {
	STATS_CHECK("capability", check_capability),
	STATS_CHECK("enable_cap_refused", enable_cap_refused),
	STATS_CHECK("unknown_flags", unknown_flags),
	STATS_CHECK("bad_argument", bad_argument),
	STATS_CHECK("other_fds", other_fds),
	STATS_CHECK("layout", check_layout),
	STATS_CHECK("id", check_id),
	STATS_CHECK("plain_reader", plain_reader),
	STATS_CHECK("vcpu_descriptors", vcpu_descriptors),
	STATS_CHECK("order_of_creation", order_of_creation),
	STATS_CHECK("grows", check_grows),
	STATS_CHECK("no_vcpus", no_vcpus),
	STATS_CHECK("one_read", one_read),
	STATS_CHECK("fdinfo", check_fdinfo),
	STATS_CHECK("opened_by_other_process", opened_by_other),
	STATS_CHECK("emfile", no_free_fd),
	STATS_CHECK("read_whole", stats_read_whole),
	STATS_CHECK("read_bytewise", stats_read_bytewise),
	STATS_CHECK("pread_all_offsets", stats_pread_all_offsets),
	STATS_CHECK("pread_all_lengths", stats_pread_all_lengths),
	STATS_CHECK("pread_huge_offset", stats_pread_huge_offset),
	STATS_CHECK("pread_negative_offset", stats_pread_negative),
	STATS_CHECK("pread_keeps_position", stats_pread_keeps_position),
	STATS_CHECK("readv", stats_readv),
	STATS_CHECK("splice_refused", stats_splice_refused),
	STATS_CHECK("lseek", stats_lseek),
	STATS_CHECK("lseek_invalid", stats_lseek_invalid),
	STATS_CHECK("lseek_past_end", stats_lseek_past_end),
	STATS_CHECK("fault", stats_fault),
	STATS_CHECK("fault_midway", stats_fault_midway),
	STATS_CHECK("fault_midway_at_offset", stats_fault_midway_at),
	STATS_CHECK("write_refused", stats_write_refused),
	STATS_CHECK("mmap_refused", stats_mmap_refused),
	STATS_CHECK("ioctl_refused", stats_ioctl_refused),
	STATS_CHECK("close_on_exec", stats_cloexec),
	STATS_CHECK("read_only", stats_read_only),
	STATS_CHECK("link_name", stats_link_name),
};
