// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * VMMs whose statistics are in one file for each VM, which also contains the vCPUs.
 *
 * An open file does not keep its VM. When the VM ends, the file polls as EPOLLHUP, and reads fail
 * with ENODEV.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "vmm_files.h"
#include "vmm_state.h"

static void close_vm(struct kvmstats_vm *vm)
{
	if (vm->fd >= 0)
		close(vm->fd);
	vm->fd = -1;
}

static void free_vm(struct kvmstats_vm *vm)
{
	close_vm(vm);
	kvmstats_file_free(vm->file);
}

void kvmstats_vmm_close_files(struct kvmstats_vmm *vmm)
{
	while (vmm->files)
		free_vm(&vmm->vm[--vmm->files]);
	free(vmm->vm);
	vmm->vm = NULL;
}

static void read_vm(struct kvmstats_vm *vm)
{
	if (vm->err != -ENODEV)
		vm->err = kvmstats_file_read(vm->file, vm->fd);
}

/* ---- targets ---- */

static int by_id_and_vm(const void *a, const void *b)
{
	const struct kvmstats_target *x = a, *y = b;

	if (x->from.kind != y->from.kind)
		return x->from.kind < y->from.kind ? -1 : 1;
	if (x->from.vcpu != y->from.vcpu)
		return x->from.vcpu < y->from.vcpu ? -1 : 1;
	return (x->vm > y->vm) - (x->vm < y->vm);
}

static size_t count_vcpus(const struct kvmstats_vmm *vmm)
{
	size_t vcpus = 0;
	size_t i;

	for (i = 0; i < vmm->files; i++)
		vcpus += kvmstats_file_vcpus(vmm->vm[i].file);
	return vcpus;
}

static void add_targets(struct kvmstats_vmm *vmm, size_t i)
{
	const struct kvmstats_vm *vm = &vmm->vm[i];
	struct kvmstats_target target = {
		.vmm = vmm,
		.from = { .fd = vm->vmm_fd, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
		.vm = (int)i,
		.number = vm->number,
	};
	size_t n;

	vmm->target[vmm->targets++] = target;
	target.from.kind = KVMSTATS_KIND_VCPU;
	for (n = 0; n < kvmstats_file_vcpus(vm->file); n++) {
		target.from.vcpu = kvmstats_file_vcpu(vm->file, n);
		target.record = n;
		vmm->target[vmm->targets++] = target;
	}
}

int kvmstats_vmm_list_files(struct kvmstats_vmm *vmm)
{
	size_t vcpus = count_vcpus(vmm);
	struct kvmstats_target *target = calloc(vmm->files + vcpus + 1, sizeof(*target));
	size_t i;

	vmm->targets = 0;
	if (!target)
		return -ENOMEM;
	free(vmm->target);
	vmm->target = target;
	for (i = 0; i < vmm->files; i++)
		add_targets(vmm, i);
	qsort(target, vmm->targets, sizeof(*target), by_id_and_vm);
	vmm->vms = vmm->files;
	vmm->vcpus = vcpus;
	return 0;
}

int kvmstats_vmm_update_files(struct kvmstats_vmm *vmm)
{
	int err;

	if (vmm->targets && count_vcpus(vmm) == vmm->vcpus)
		return 0;
	err = kvmstats_vmm_list_files(vmm);
	return err ? err : 1;
}

/* ---- open ---- */

/* Owns @fd, also on failure. */
static int new_vm(struct kvmstats_vm *vm, int fd, int vmm_fd, struct kvmstats_schemas *schemas)
{
	int err;

	*vm = (struct kvmstats_vm){ .vmm_fd = vmm_fd, .fd = fd };
	err = kvmstats_file_new_shared(&vm->file, fd, schemas);
	if (err) {
		close(fd);
		return err;
	}
	vm->number = kvmstats_file_vm(vm->file);
	read_vm(vm);
	return 0;
}

/* If the kernel cannot compare fds, all VM fds of a process count as fds of the same VM. */
static int open_each(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds,
		     struct kvmstats_vm *vm, size_t *count)
{
	size_t i;

	for (i = 0; i < fds->count && fds->fd[i].kind == KVMSTATS_KIND_VM; i++) {
		int fd, err;

		if (fds->fd[i].stats || (*count && !vmm->distinct))
			continue;
		fd = kvmstats_dup_and_open_all(vmm->pidfd, &fds->fd[i]);
		if (fd < 0)
			return fd;
		err = new_vm(&vm[*count], fd, fds->fd[i].fd, vmm->schemas);
		if (err)
			return err;
		++*count;
	}
	return *count ? 0 : -ENODATA;
}

int kvmstats_vmm_open_files(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	struct kvmstats_vm *vm = calloc(fds->count + 1, sizeof(*vm));
	size_t count = 0;
	int err;

	if (!vm)
		return -ENOMEM;
	err = open_each(vmm, fds, vm, &count);
	if (err) {
		while (count)
			free_vm(&vm[--count]);
		free(vm);
		return err;
	}
	kvmstats_vmm_close_files(vmm);
	vmm->vm = vm;
	vmm->files = count;
	return kvmstats_vmm_list_files(vmm);
}

/* A VMM whose process is not known has one VM, and is called "vm N". */
static int name_vm(struct kvmstats_vmm *vmm)
{
	char name[32];

	if (vmm->pid || vmm->guest.name)
		return 0;
	snprintf(name, sizeof(name), "vm %" PRIu64, vmm->vm[0].number);
	vmm->guest.name = strdup(name);
	return vmm->guest.name ? 0 : -ENOMEM;
}

int kvmstats_vmm_add_file(struct kvmstats_vmm *vmm, int fd)
{
	struct kvmstats_vm *more = realloc(vmm->vm, (vmm->files + 1) * sizeof(*more));
	int err;

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	vmm->vm = more;
	err = new_vm(&more[vmm->files], fd, -1, vmm->schemas);
	if (err)
		return err;
	vmm->files++;
	err = name_vm(vmm);
	return err ? err : kvmstats_vmm_list_files(vmm);
}

/* ---- the end of VMs ---- */

void kvmstats_vmm_poll_files(const struct kvmstats_vmm *vmm, int epoll, void *data)
{
	struct epoll_event event = { .data.ptr = data };	/* EPOLLHUP is always reported */
	size_t i;

	/* If it fails, the next read finds the end of the VM. */
	for (i = 0; i < vmm->files; i++)
		epoll_ctl(epoll, EPOLL_CTL_ADD, vmm->vm[i].fd, &event);
}

void kvmstats_vmm_close_ended(struct kvmstats_vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->files; i++) {
		struct kvmstats_vm *vm = &vmm->vm[i];
		struct pollfd poll_fd = { .fd = vm->fd };

		if (poll(&poll_fd, 1, 0) != 1)
			continue;
		close_vm(vm);
		vm->err = -ENODEV;
	}
}

void kvmstats_vmm_drop_ended(struct kvmstats_vmm *vmm)
{
	size_t before = vmm->files;
	size_t i;

	vmm->files = 0;
	for (i = 0; i < before; i++) {
		if (vmm->vm[i].err == -ENODEV)
			free_vm(&vmm->vm[i]);
		else
			vmm->vm[vmm->files++] = vmm->vm[i];
	}
	if (vmm->files == before)
		return;
	vmm->fds.count = 0;	/* the next scan opens VMs whose fds have the same numbers */
	kvmstats_vmm_list_files(vmm);
}

/* ---- samples ---- */

bool kvmstats_vmm_read_files(struct kvmstats_vmm *vmm)
{
	bool failed = false;
	size_t i;

	for (i = 0; i < vmm->files; i++) {
		read_vm(&vmm->vm[i]);
		failed |= vmm->vm[i].err;
	}
	return failed || (vmm->files && count_vcpus(vmm) != vmm->vcpus);
}

bool kvmstats_target_in_file(const struct kvmstats_target *target)
{
	return target->vmm->files;
}

static const struct kvmstats_vm *vm_of(const struct kvmstats_target *target)
{
	return &target->vmm->vm[target->vm];
}

int kvmstats_target_error(const struct kvmstats_target *target)
{
	return vm_of(target)->err;
}

const struct kvmstats_schema *kvmstats_target_schema(const struct kvmstats_target *target)
{
	return kvmstats_file_schema(vm_of(target)->file, target->from.kind);
}

enum kvmstats_origin kvmstats_target_origin(const struct kvmstats_target *target)
{
	return target->vmm->by_number ? KVMSTATS_ORIGIN_NEXT : KVMSTATS_ORIGIN_OPEN;
}

int kvmstats_target_sample(const struct kvmstats_target *target, struct kvmstats_sample *sample)
{
	const struct kvmstats_vm *vm = vm_of(target);

	if (vm->err)
		return vm->err;
	if (target->from.kind == KVMSTATS_KIND_VM)
		return kvmstats_file_vm_sample(vm->file, sample);
	return kvmstats_file_vcpu_sample(vm->file, target->record, sample);
}
