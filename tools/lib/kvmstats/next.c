// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * The origin KVM_STATS_NEXT: opens the files of all VMs, keeps them open, and writes what they
 * contain as a pass. A file has the values of a VM and, after them, a record for each of its vCPUs.
 *
 * An open file does not keep its VM. When the VM has ended, reads fail with ENODEV. All VMs of an
 * instance of KVM's module have the same descriptors, and the module cannot be exchanged while a
 * file is open.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* The largest file that the library reads, in bytes: tens of thousands of vCPUs. */
#define MAX_SIZE	268435456u
#define FIRST_SIZE	65536u

struct kvmstats_next_vm {
	int fd;
	uint64_t number;
	pid_t pid;			/* of the process that created it */
	uint64_t start_time;		/* of the process, 0: not known yet */
	bool orphan;
	uint32_t data_offset;		/* of the VM's values, from the start of the file */
	struct kvm_stats_vcpus layout;	/* of the records */
};

/* ---- opening files ---- */

static int read_descs(int fd, const struct kvm_stats_header *header,
		      const struct kvm_stats_vcpus *layout, size_t stride, char **descs)
{
	size_t size = header->num_desc * stride;
	int err;

	*descs = malloc(size + layout->num_desc * stride + 1);
	if (!*descs)
		return -ENOMEM;
	err = kvmstats_pread_all(fd, *descs, size, header->desc_offset);
	if (!err)
		err = kvmstats_pread_all(fd, *descs + size, layout->num_desc * stride,
					 layout->desc_offset);
	if (err)
		free(*descs);
	return err;
}

/* Takes the descriptors of the first VM, and compares those of the others with them. */
static int check_descs(struct kvmstats_next *next, int fd, const struct kvm_stats_header *header,
		       const struct kvm_stats_vcpus *layout)
{
	const struct kvm_host_header like = {
		.desc_size = (uint32_t)sizeof(struct kvm_stats_desc) + header->name_size,
		.vm_descs = header->num_desc,
		.vcpu_descs = layout->num_desc,
	};
	size_t size = ((size_t)like.vm_descs + like.vcpu_descs) * like.desc_size;
	char *descs;
	int err = read_descs(fd, header, layout, like.desc_size, &descs);

	if (err)
		return err;
	if (!next->vms) {
		free(next->descs);
		next->descs = descs;
		next->header = like;
		return 0;
	}
	if (memcmp(&like, &next->header, sizeof(like)) || memcmp(descs, next->descs, size))
		err = -EPROTO;
	free(descs);
	return err;
}

/* The file's ID is that of the VM: "kvm-<pid>". */
static int read_pid(int fd, const struct kvm_stats_header *header, pid_t *pid)
{
	char id[32] = "";
	size_t size = header->name_size < sizeof(id) ? header->name_size : sizeof(id) - 1;
	int err = kvmstats_pread_all(fd, id, size, header->id_offset);

	*pid = 0;
	if (!err && (sscanf(id, "kvm-%d", pid) != 1 || *pid <= 0))
		err = -EPROTO;
	return err;
}

static int read_layout(struct kvmstats_next *next, struct kvmstats_next_vm *vm)
{
	struct kvm_stats_header header;
	int err = kvmstats_read_vcpus(vm->fd, &header, &vm->layout);

	if (!err)
		err = check_descs(next, vm->fd, &header, &vm->layout);
	if (!err)
		err = read_pid(vm->fd, &header, &vm->pid);
	if (err)
		return err;
	vm->data_offset = header.data_offset;
	return vm->layout.records_offset - header.data_offset > KVMSTATS_MAX_BLOCK / 2 ?
	       -EOVERFLOW : 0;
}

int kvmstats_next_add(struct kvmstats_next *next, int fd, uint64_t number)
{
	struct kvmstats_next_vm *more = array_grow(next->vm, next->vms, &next->capacity,
						   sizeof(*more));
	int err = more ? 0 : -ENOMEM;

	if (more) {
		next->vm = more;
		more += next->vms;
		*more = (struct kvmstats_next_vm){ .fd = fd, .number = number };
		err = read_layout(next, more);
	}
	if (err)
		close(fd);
	else
		next->vms++;
	return err;
}

/* Returns why no pass is possible, or 0. Sets next->error and next->skipped if VMs are missing. */
static int open_new_vms(struct kvmstats_next *next, int kvm)
{
	/*
	 * The numbers start at 1 again after KVM's module was loaded again, which is only possible
	 * while no file is open.
	 */
	if (!next->vms) {
		next->last_vm = 0;
		next->session++;
		next->skipped = 0;
		next->header = (struct kvm_host_header){ 0 };
	}
	for (;;) {
		uint64_t number = next->last_vm;
		int fd = kvmstats_next_open(kvm, &number), err;

		if (fd == -ENOENT)
			return 0;
		err = fd < 0 ? fd : kvmstats_next_add(next, fd, number);
		if (is_resource_shortage(err)) {
			next->error = err;
			return 0;
		}
		if (fd < 0)
			return fd;
		/* A VM can end before it is read. */
		if (err && err != -ENODEV)
			next->skipped = err;
		next->last_vm = number;
	}
}

/* ---- processes ---- */

static void update_process(struct kvmstats_next_vm *vm)
{
	struct kvmstats_task task;

	if (!vm->orphan && !vm->start_time && !kvmstats_task_read(&task, vm->pid, 0))
		vm->start_time = task.start_time;
	if (kill(vm->pid, 0) && errno == ESRCH)
		vm->orphan = true;
}

/* ---- writing a pass ---- */

/*
 * Reads all values of the VM and its vCPUs. The buffer always has more space than the largest file
 * needed, so the first pread() normally reads everything, and returns less than was asked.
 */
static int read_values(struct kvmstats_next *next, const struct kvmstats_next_vm *vm, size_t *size)
{
	*size = 0;
	for (;;) {
		ssize_t n;

		if (*size == next->buffer_size) {
			size_t wanted = *size ? *size * 2 : FIRST_SIZE;
			char *more = wanted > MAX_SIZE ? NULL : realloc(next->buffer, wanted);

			if (!more)
				return wanted > MAX_SIZE ? -EOVERFLOW : -ENOMEM;
			next->buffer = more;
			next->buffer_size = wanted;
		}
		n = pread(vm->fd, next->buffer + *size, next->buffer_size - *size,
			  (off_t)vm->data_offset + (off_t)*size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*size += n;
		if (*size < next->buffer_size)
			return 0;
	}
}

static size_t size_of_values(const struct kvmstats_next_vm *vm)
{
	return vm->layout.records_offset - vm->data_offset;
}

/* Returns the record of vCPU @i in the buffer. */
static const struct kvm_stats_record *record_of(const struct kvmstats_next *next,
						const struct kvmstats_next_vm *vm, size_t i)
{
	return (const void *)(next->buffer + size_of_values(vm) + i * vm->layout.record_size);
}

static int check_ids(const struct kvmstats_next *next, const struct kvmstats_next_vm *vm,
		     size_t vcpus)
{
	size_t i;

	for (i = 0; i < vcpus; i++) {
		if (record_of(next, vm, i)->vcpu_id > INT_MAX)
			return -EPROTO;
	}
	return 0;
}

/* Reads whole records: the end of the VM can cut a read, and makes the next one fail. */
static int read_records(struct kvmstats_next *next, const struct kvmstats_next_vm *vm,
			size_t *vcpus)
{
	size_t size, head = size_of_values(vm);
	int tries, err = 0;

	for (tries = 0; tries < 2 && !err; tries++) {
		err = read_values(next, vm, &size);
		*vcpus = !err && size >= head ? (size - head) / vm->layout.record_size : 0;
		if (!err && size == head + *vcpus * vm->layout.record_size)
			return check_ids(next, vm, *vcpus);
	}
	return err ? err : -EPROTO;
}

static int write_vcpu(const struct kvmstats_next_vm *vm, const struct kvm_stats_record *from,
		      uint64_t time, struct kvmstats_pass *pass)
{
	size_t size = vm->layout.record_size - vm->layout.data_offset;
	struct kvm_host_vcpu *record;

	record = kvmstats_pass_add(pass, KVM_HOST_VCPU, sizeof(*record) + size, vm->number);
	if (!record)
		return -ENOMEM;
	record->time = time;
	record->vcpu_id = (uint32_t)from->vcpu_id;
	memcpy(record + 1, (const char *)from + vm->layout.data_offset, size);
	return 0;
}

static int write_vm(struct kvmstats_next *next, const struct kvmstats_next_vm *vm,
		    struct kvmstats_pass *pass)
{
	size_t i, vcpus, head = size_of_values(vm);
	struct kvm_host_vm *record;
	uint64_t time;
	int err = read_records(next, vm, &vcpus);

	if (err)
		return err;
	time = clock_now();
	record = kvmstats_pass_add(pass, KVM_HOST_VM, sizeof(*record) + head, vm->number);
	if (!record)
		return -ENOMEM;
	record->record.flags = vm->orphan ? KVM_HOST_ORPHAN : 0;
	record->time = time;
	record->start_time = vm->start_time;
	record->pid = (uint32_t)vm->pid;
	record->vcpus = (uint32_t)vcpus;
	memcpy(record + 1, next->buffer, head);
	for (i = 0; !err && i < vcpus; i++)
		err = write_vcpu(vm, record_of(next, vm, i), time, pass);
	return err;
}

/* Drops the VMs that have ended. A VM that cannot be read is not part of the pass. */
static int write_vms(struct kvmstats_next *next, struct kvmstats_pass *pass, bool local)
{
	size_t i, kept = 0;
	int result = 0;

	for (i = 0; i < next->vms; i++) {
		struct kvmstats_next_vm *vm = &next->vm[i];
		int err;

		if (local)
			update_process(vm);
		err = result ? 0 : write_vm(next, vm, pass);
		if (err == -ENOMEM)
			result = err;
		else if (err && err != -ENODEV)
			next->error = err;
		if (err == -ENODEV)
			close(vm->fd);
		else
			next->vm[kept++] = *vm;
	}
	next->vms = kept;
	return result;
}

static uint64_t instance_of_module(void)
{
	struct stat module;

	return stat("/sys/module/kvm", &module) ? 0 : module.st_ino;
}

int kvmstats_next_write_files(struct kvmstats_next *next, struct kvmstats_pass *pass)
{
	bool local = !kvmstats_has_other_pids();	/* the files have those of the kernel */
	struct kvm_host_header header = next->header;
	int err;

	header.record.flags = local ? 0 : KVM_HOST_NESTED;
	header.session = next->session;
	header.instance = instance_of_module();
	err = kvmstats_pass_start(pass, &header, next->descs);
	if (!err)
		err = write_vms(next, pass, local);
	return err ? err : kvmstats_pass_finish(pass);
}

int kvmstats_next_write(struct kvmstats_next *next, struct kvmstats_pass *pass)
{
	int err, kvm = kvmstats_open_kvm();

	if (kvm < 0)
		return kvm;
	next->error = 0;
	err = open_new_vms(next, kvm);
	close(kvm);
	if (err)
		return err;
	if (!next->error)
		next->error = next->skipped;
	return kvmstats_next_write_files(next, pass);
}

void kvmstats_next_close(struct kvmstats_next *next)
{
	uint64_t session = next->session;

	while (next->vms)
		close(next->vm[--next->vms].fd);
	free(next->vm);
	free(next->descs);
	free(next->buffer);
	*next = (struct kvmstats_next){ .session = session };
}
