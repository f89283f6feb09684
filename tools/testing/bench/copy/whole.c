// SPDX-License-Identifier: GPL-2.0-only
#include "virt/kvm/kvm_stats.c"

#include "whole.h"

/* The size of struct kvm_vcpu in the kernel, as a multiple of the size of a cache line. */
#define VCPU_DISTANCE	9920

const char *user_end = (const char *)UINTPTR_MAX;
unsigned long copies_to_iter;
struct file *opened_file;
struct mutex kvm_lock;	/* of the kernel; no lock here */
struct list_head vm_list;

struct whole_vm {
	struct kvm kvm;
	struct file file;
};

struct whole_vm *whole_create(int vcpus)
{
	struct whole_vm *vm = aligned_alloc(4096, (sizeof(*vm) + 4095) / 4096 * 4096);
	char *objects = aligned_alloc(64, (size_t)vcpus * VCPU_DISTANCE);
	int i;

	if (!vm || !objects || vcpus > KVM_MAX_VCPUS)
		return NULL;
	memset(vm, 0, sizeof(*vm));
	memset(objects, 1, (size_t)vcpus * VCPU_DISTANCE);
	kvm_stats_init_vm(&vm->kvm);
	for (i = 0; i < vcpus; i++) {
		vm->kvm.vcpus[i] = (void *)(objects + (size_t)i * VCPU_DISTANCE);
		vm->kvm.vcpus[i]->kvm = &vm->kvm;
		vm->kvm.vcpus[i]->vcpu_id = i;
		kvm_stats_init_vcpu(vm->kvm.vcpus[i]);
	}
	vm->kvm.online_vcpus.counter = vcpus;
	vm->file.private_data = &vm->kvm.stats_source_vcpus;
	return vm;
}

size_t whole_size(struct whole_vm *vm)
{
	const struct kvm_stats_source *source = &vm->kvm.stats_source_vcpus;

	return kvm_stats_size(source) - source->data_offset;
}

ssize_t whole_read(struct whole_vm *vm, void *buf, size_t size)
{
	loff_t pos = vm->kvm.stats_source_vcpus.data_offset;

	return kvm_stats_read(&vm->file, buf, size, &pos);
}
