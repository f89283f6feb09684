// SPDX-License-Identifier: GPL-2.0-only
#include "whole.h"

/* The size of struct kvm_vcpu in the kernel, as a multiple of the size of a cache line. */
#define VCPU_DISTANCE	9920

struct file *opened_file;

struct whole_vm {
	struct kvm kvm;
	struct file *file;
	struct kvm_stats_header header;
	size_t size;
};

static bool open_file(struct whole_vm *vm)
{
	struct kvm_stats_open open = {};
	struct kvm_stats_vcpus vcpus;
	loff_t pos = 0;

	if (kvm_stats_vm_ioctl(&vm->kvm, KVM_STATS_OPEN, &open) < 0)
		return false;
	vm->file = opened_file;
	vm->file->f_op->read(vm->file, (void *)&vm->header, sizeof(vm->header), &pos);
	pos = vm->header.id_offset + vm->header.name_size;
	vm->file->f_op->read(vm->file, (void *)&vcpus, sizeof(vcpus), &pos);
	vm->size = vcpus.records_offset - vm->header.data_offset +
		   vm->kvm.online_vcpus.counter * vcpus.record_size;
	return true;
}

struct whole_vm *whole_create(int vcpus)
{
	struct whole_vm *vm = aligned_alloc(4096, (sizeof(*vm) + 4095) / 4096 * 4096);
	char *objects = aligned_alloc(64, (size_t)vcpus * VCPU_DISTANCE);
	int i;

	if (!vm || !objects || vcpus > KVM_MAX_VCPUS)
		return NULL;
	memset(vm, 0, sizeof(*vm));
	memset(objects, 1, (size_t)vcpus * VCPU_DISTANCE);
	for (i = 0; i < vcpus; i++)
		vm->kvm.vcpus[i] = (void *)(objects + (size_t)i * VCPU_DISTANCE);
	vm->kvm.online_vcpus.counter = vcpus;
	return kvm_stats_init_vm(&vm->kvm) || !open_file(vm) ? NULL : vm;
}

size_t whole_size(struct whole_vm *vm)
{
	return vm->size;
}

ssize_t whole_read(struct whole_vm *vm, void *buf, size_t size)
{
	loff_t pos = vm->header.data_offset;

	return vm->file->f_op->read(vm->file, buf, size, &pos);
}
