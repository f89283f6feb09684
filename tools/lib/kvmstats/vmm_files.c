// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * VMMs whose statistics are in one file for each VM, which also contains the vCPUs.
 *
 * An open file keeps its VM alive. The files are therefore closed and opened again from time to
 * time, by the number of the VM or with the VMM's fd: a VM that the VMM has closed does not return.
 * If the process of the VMM is not known, its end cannot be noticed, so the file is only open
 * while it is read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	vm->err = vm->fd < 0 ? vm->err : kvmstats_file_read(vm->file, vm->fd);
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
	target.from.fd = -1;
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
	vmm->distinct = true;
	return 0;
}

/* ---- files opened with fds of the VMM ---- */

static struct kvmstats_vm *find_vm(struct kvmstats_vm *vm, size_t count, uint64_t number)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (vm[i].number == number)
			return &vm[i];
	}
	return NULL;
}

/* Reads the file @fd of a VM that was not known before. */
static int new_vm(struct kvmstats_vm *vm, int fd, struct kvmstats_schemas *schemas)
{
	int err = kvmstats_file_new_shared(&vm->file, fd, schemas);

	if (err)
		return err;
	vm->number = kvmstats_file_vm(vm->file);
	vm->fd = fd;
	read_vm(vm);
	return 0;
}

/* The VMs of a VMM while its files are opened again. */
struct vm_list {
	struct kvmstats_vm *vm;
	size_t count;
	bool changed;		/* a VM was added, or vCPUs */
	int err;		/* why a file cannot be opened, or 0 */
};

/* Takes over the VM with this number from @vmm, with the new file @fd. */
static void keep_vm(struct vm_list *list, struct kvmstats_vm *old, int fd, int vmm_fd)
{
	size_t vcpus = kvmstats_file_vcpus(old->file);
	struct kvmstats_vm *vm = &list->vm[list->count++];

	*vm = *old;
	*old = (struct kvmstats_vm){ .fd = -1 };
	close_vm(vm);
	vm->fd = fd;
	list->changed |= vm->vmm_fd != vmm_fd;
	vm->vmm_fd = vmm_fd;
	read_vm(vm);
	list->changed |= vcpus != kvmstats_file_vcpus(vm->file);
}

static void add_file(struct kvmstats_vmm *vmm, struct vm_list *list, int fd, int vmm_fd)
{
	struct kvmstats_vm *vm = &list->vm[list->count];
	struct kvmstats_vm *old;
	uint64_t number;
	int err = kvmstats_file_number(fd, &number);

	if (!err && find_vm(list->vm, list->count, number)) {
		close(fd);	/* another fd of the same VM */
		return;
	}
	old = err ? NULL : find_vm(vmm->vm, vmm->files, number);
	/* A VM with other statistics than before is like a new one. */
	if (old && kvmstats_file_same(old->file, fd) == 1) {
		keep_vm(list, old, fd, vmm_fd);
		return;
	}
	if (!err)
		err = new_vm(vm, fd, vmm->schemas);
	if (err) {
		close(fd);
		list->err = err;
		return;
	}
	vm->vmm_fd = vmm_fd;
	list->count++;
	list->changed = true;
}

/* If the limit of fds is reached, for example, a file that is open remains open. */
static void keep_open(struct kvmstats_vmm *vmm, struct vm_list *list, int vmm_fd, int err)
{
	size_t i;

	for (i = 0; err != -ESTALE && i < vmm->files; i++) {
		if (vmm->vm[i].file && vmm->vm[i].vmm_fd == vmm_fd) {
			list->vm[list->count++] = vmm->vm[i];
			vmm->vm[i] = (struct kvmstats_vm){ .fd = -1 };
			return;
		}
	}
	list->err = err;
}

static void open_each(struct kvmstats_vmm *vmm, struct vm_list *list,
		      const struct kvmstats_fds *fds)
{
	size_t i;

	for (i = 0; i < fds->count && fds->fd[i].kind == KVMSTATS_KIND_VM; i++) {
		int fd;

		if (fds->fd[i].stats)
			continue;
		fd = kvmstats_dup_and_open_all(vmm->pidfd, &fds->fd[i]);
		if (fd >= 0)
			add_file(vmm, list, fd, fds->fd[i].fd);
		else
			keep_open(vmm, list, fds->fd[i].fd, fd);
	}
}

int kvmstats_vmm_open_files(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	struct vm_list list = { .vm = calloc(fds->count + 1, sizeof(*list.vm)) };
	size_t before = vmm->files;
	int err;

	if (!list.vm)
		return -ENOMEM;
	open_each(vmm, &list, fds);
	kvmstats_vmm_close_files(vmm);
	/* Without the file of each VM, the VMs and vCPUs are read one by one. */
	if (list.err || !list.count) {
		while (list.count)
			free_vm(&list.vm[--list.count]);
		free(list.vm);
		return list.err ? list.err : -ENODATA;
	}
	vmm->vm = list.vm;
	vmm->files = list.count;
	if (!list.changed && before == list.count)
		return 0;
	err = kvmstats_vmm_list_files(vmm);
	return err ? err : 1;
}

/* ---- files opened by the number of the VM ---- */

/* Returns 1 if the file that was opened again has other statistics, 0 if not, or -errno. */
static int update_statistics(struct kvmstats_vm *vm, struct kvmstats_schemas *schemas)
{
	int same = kvmstats_file_same(vm->file, vm->fd);
	struct kvmstats_file *file;
	int err;

	if (same)
		return same < 0 ? same : 0;
	err = kvmstats_file_new_shared(&file, vm->fd, schemas);
	if (err)
		return err;
	kvmstats_file_free(vm->file);
	vm->file = file;
	return 1;
}

/*
 * Opens the file of a VM again. Returns 0, 1 if the VM has other statistics than before, -ENOENT
 * if it does not exist any more, or -errno. After an error the file is closed.
 */
static int reopen_vm(struct kvmstats_vm *vm, int kvm, struct kvmstats_schemas *schemas)
{
	uint64_t number = vm->number - 1;
	int ret;

	close_vm(vm);
	ret = kvmstats_next_open(kvm, &number);
	if (ret < 0)
		return ret;
	vm->fd = ret;
	ret = number == vm->number ? update_statistics(vm, schemas) : -ENOENT;
	if (ret < 0)
		close_vm(vm);
	return ret;
}

int kvmstats_vmm_reopen_files(struct kvmstats_vmm *vmm)
{
	size_t before = vmm->files, vcpus = vmm->vcpus;
	int kvm = kvmstats_open_kvm();
	size_t kept = 0;
	size_t i;
	int err;

	if (kvm < 0)
		return kvm;
	for (i = 0; i < before; i++) {
		struct kvmstats_vm *vm = &vmm->vm[i];
		int ret = reopen_vm(vm, kvm, vmm->schemas);

		if (ret == -ENOENT) {
			free_vm(vm);
			continue;
		}
		vm->err = ret < 0 ? ret : 0;
		read_vm(vm);
		if (!vmm->pid)
			close_vm(vm);
		vmm->vm[kept++] = *vm;
	}
	vmm->files = kept;
	close(kvm);
	if (kept == before && count_vcpus(vmm) == vcpus)
		return 0;
	err = kvmstats_vmm_list_files(vmm);
	return err ? err : 1;
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
	more[vmm->files] = (struct kvmstats_vm){ .vmm_fd = -1 };
	err = new_vm(&more[vmm->files], fd, vmm->schemas);
	if (err) {
		close(fd);
		return err;
	}
	if (!vmm->pid)
		close_vm(&more[vmm->files]);
	vmm->files++;
	err = name_vm(vmm);
	return err ? err : kvmstats_vmm_list_files(vmm);
}

/* ---- samples ---- */

/* Reads the file of a VM whose process is not known. Returns whether it has other statistics. */
static bool read_closed(struct kvmstats_vm *vm, struct kvmstats_schemas *schemas)
{
	int kvm = kvmstats_open_kvm();
	int ret = kvm < 0 ? kvm : reopen_vm(vm, kvm, schemas);

	vm->err = ret < 0 ? ret : 0;
	if (kvm >= 0)
		close(kvm);
	read_vm(vm);
	close_vm(vm);
	return ret > 0;
}

bool kvmstats_vmm_read_files(struct kvmstats_vmm *vmm)
{
	bool changed = false;
	size_t i;

	for (i = 0; i < vmm->files; i++) {
		if (vmm->by_number && !vmm->pid)
			changed |= read_closed(&vmm->vm[i], vmm->schemas);
		else
			read_vm(&vmm->vm[i]);
		changed |= vmm->vm[i].err;
	}
	return changed || (vmm->files && count_vcpus(vmm) != vmm->vcpus);
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
