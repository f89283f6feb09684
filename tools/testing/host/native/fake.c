// SPDX-License-Identifier: GPL-2.0-only
#include "fake.h"

#include <stdlib.h>

struct kvm vm = { .users_count = 1, .before_stat = ~0ULL };
struct kvm_vcpu vcpu = { .kvm = &vm, .vcpu_id = 7, .before_stat = ~0ULL };
static struct kvm_vcpu more_vcpus[NUM_VCPUS - 1];

const char *user_end = (const char *)UINTPTR_MAX;
struct file *opened_file;

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
		vm.vcpus[i]->stats_record.vcpu_id = vm.vcpus[i]->vcpu_id;
}

static struct file *check_opened(int fd)
{
	if (fd < 0) {
		printf("Bail out! a statistics file cannot be opened\n");
		exit(1);
	}
	return opened_file;
}

struct file *open_vm(bool with_vcpus, int online_vcpus)
{
	struct kvm_stats_open open = {};

	if (!vm.stats_vm)
		create_vm();
	vm.online_vcpus.counter = online_vcpus;
	return check_opened(kvm_stats_vm_ioctl(&vm, with_vcpus ? KVM_STATS_OPEN : KVM_STATS_GETFD,
					       &open));
}

struct file *open_vcpu(void)
{
	if (!vm.stats_vm)
		create_vm();
	return check_opened(kvm_stats_vcpu_ioctl(&vcpu, KVM_STATS_GETFD));
}

ssize_t pread_file(struct file *file, void *buf, size_t size, loff_t pos)
{
	return file->f_op->read(file, buf, size, &pos);
}

void set_user_end(const void *end)
{
	user_end = end ? end : (const char *)UINTPTR_MAX;
}
