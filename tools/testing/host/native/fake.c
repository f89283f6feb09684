// SPDX-License-Identifier: GPL-2.0-only
#include "fake.h"

#include <stdlib.h>

struct kvm vm = { .users_count = { 1 }, .before_stat = ~0ULL, .stats_vm = 1ULL << 40 };
struct kvm_vcpu vcpu = { .kvm = &vm, .vcpu_id = 7, .before_stat = ~0ULL };
static struct kvm_vcpu more_vcpus[NUM_VCPUS - 1];

const char *user_end = (const char *)UINTPTR_MAX;
unsigned long copies_to_iter;
struct file *opened_file;
struct mutex kvm_lock;	/* of the kernel; no lock here */
struct list_head vm_list;

static void create_vm(void)
{
	int i;

	kvm_stats_init_vm(&vm);
	vm.vcpus[0] = &vcpu;
	for (i = 1; i < NUM_VCPUS; i++) {
		vm.vcpus[i] = &more_vcpus[i - 1];
		*vm.vcpus[i] = (struct kvm_vcpu) {
			.kvm = &vm, .vcpu_id = 1000 * i, .before_stat = ~0ULL,
		};
	}
	for (i = 0; i < NUM_VCPUS; i++)
		kvm_stats_init_vcpu(vm.vcpus[i]);
}

static struct file *check_opened(int fd)
{
	if (fd < 0) {
		printf("Bail out! a statistics file cannot be opened\n");
		exit(1);
	}
	return opened_file;
}

struct file *open_vm(u32 flags, int online_vcpus)
{
	struct kvm_stats_open open = { .flags = flags };

	if (!vm.stats_source.schema)
		create_vm();
	vm.online_vcpus.counter = online_vcpus;
	return check_opened(kvm_stats_vm_ioctl(&vm, KVM_STATS_OPEN, &open));
}

struct file *open_vcpu(void)
{
	if (!vm.stats_source.schema)
		create_vm();
	return check_opened(kvm_stats_vcpu_ioctl(&vcpu, KVM_STATS_GETFD));
}

ssize_t preadv_file(struct file *file, const struct iovec *iov, int num, loff_t pos)
{
	struct kiocb iocb = { .ki_filp = file, .ki_pos = pos };
	struct iov_iter iter;
	size_t size = 0;
	int i;

	for (i = 0; i < num; i++)
		size += iov[i].iov_len;
	iov_iter_init(&iter, READ, iov, num, size);
	return file->f_op->read_iter(&iocb, &iter);
}

ssize_t pread_file(struct file *file, void *buf, size_t size, loff_t pos)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };

	if (file->f_op->read)
		return file->f_op->read(file, buf, size, &pos);
	return preadv_file(file, &iov, 1, pos);
}

void set_user_end(const void *end)
{
	user_end = end ? end : (const char *)UINTPTR_MAX;
}
