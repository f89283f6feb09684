// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Lists the VMs and vCPUs of a process, with what their statistics can be read: files of whole VMs
 * if the kernel has them, else an fd of each VM and vCPU.
 *
 * The open file of a VM does not keep it. When the VM ends, the file polls as EPOLLHUP, and reads
 * fail with ENODEV.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "internal.h"
#include "reader.h"

#define MAX_COMM	64u

/* ---- the list of targets ---- */

static void free_targets(struct kvmstats_target **target, size_t count)
{
	while (count)
		kvmstats_target_free(target[--count]);
	free(target);
}

/*
 * Starts a new list, which has space for @count targets. add_target() takes those that still exist
 * out of the old one, and end_list() frees the others.
 */
static int begin_list(struct kvmstats_vmm *vmm, size_t count)
{
	vmm->old = vmm->target;
	vmm->olds = vmm->targets;
	vmm->cursor = 0;
	vmm->targets = 0;
	vmm->target = calloc(count + 1, sizeof(*vmm->target));
	return vmm->target ? 0 : -ENOMEM;
}

static bool is_same(const struct kvmstats_target *a, const struct kvmstats_target *b)
{
	return a->from.kind == b->from.kind && a->from.vcpu == b->from.vcpu &&
	       a->number == b->number && a->from.fd == b->from.fd;
}

/* The order of targets rarely changes, so the first comparison, at the cursor, usually hits. */
static struct kvmstats_target *take_old(struct kvmstats_vmm *vmm, const struct kvmstats_target *key)
{
	size_t i;

	for (i = 0; i < vmm->olds; i++) {
		size_t at = (vmm->cursor + i) % vmm->olds;
		struct kvmstats_target *target = vmm->old[at];

		if (!target || target->ended || !is_same(target, key))
			continue;
		vmm->old[at] = NULL;
		vmm->cursor = at + 1;
		return target;
	}
	return NULL;
}

static int add_target(struct kvmstats_vmm *vmm, const struct kvmstats_target *key)
{
	struct kvmstats_target *target = take_old(vmm, key);

	if (!target) {
		target = calloc(1, sizeof(*target));
		if (!target)
			return -ENOMEM;
		target->vmm = vmm;
		target->fd = -1;
		vmm->changed = true;
	}
	target->from = key->from;
	target->vm = key->vm;
	target->number = key->number;
	target->record = key->record;
	vmm->target[vmm->targets++] = target;
	return 0;
}

/* After an error there are no targets. The next scan lists them again. */
static int end_list(struct kvmstats_vmm *vmm, int err)
{
	size_t i;

	for (i = 0; i < vmm->olds; i++)
		vmm->changed |= !!vmm->old[i];
	free_targets(vmm->old, vmm->olds);
	vmm->old = NULL;
	vmm->olds = 0;
	if (!err)
		return 0;
	free_targets(vmm->target, vmm->targets);
	vmm->target = NULL;
	vmm->targets = 0;
	return err;
}

/* ---- targets with fds of their own ---- */

static bool is_same_target(const struct kvmstats_fd *a, const struct kvmstats_fd *b)
{
	return a->kind == b->kind && a->vcpu == b->vcpu;
}

/*
 * A group of consecutive fds that can belong to the same VM or vCPU: first VM or vCPU fds, then
 * statistics fds.
 */
struct group {
	size_t start;
	size_t stats;	/* index of the first statistics fd */
	size_t end;	/* index after the last fd */
};

static struct group group_at(const struct kvmstats_fds *fds, size_t i)
{
	struct group group = { .start = i };

	while (i < fds->count && !fds->fd[i].stats &&
	       is_same_target(&fds->fd[i], &fds->fd[group.start]))
		i++;
	group.stats = i;
	while (i < fds->count && is_same_target(&fds->fd[i], &fds->fd[group.start]))
		i++;
	group.end = i;
	return group;
}

/*
 * The kernel does not report which VM a vCPU fd belongs to. This is only certain if there is one
 * VM. There are several VMs if two vCPU fds have the same ID and are not duplicates.
 */
static bool is_one_vm(const struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	struct group group;
	size_t i;

	if (!vmm->distinct)
		return true;
	if (vmm->vms > 1)
		return false;
	for (i = 0; i < fds->count; i = group.end) {
		group = group_at(fds, i);
		if (group.stats - group.start > 1)
			return false;
	}
	return true;
}

/*
 * Adds the targets of a group. If the kernel opens statistics for this process (@can_open), the
 * VM or vCPU fds are used. Otherwise the statistics fds are used, if the VMM holds any.
 */
static int add_group(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds,
		     struct group group, bool can_open, bool one_vm)
{
	bool has_kvm = group.stats > group.start;
	bool has_stats = group.end > group.stats;
	bool use_kvm = has_kvm && (can_open || !has_stats);
	size_t i = use_kvm ? group.start : group.stats;
	size_t end = use_kvm ? group.stats : group.end;
	int vm = 0, err = 0;

	if (one_vm)
		end = i + 1;
	for (; !err && i < end; i++) {
		bool is_vm = fds->fd[i].kind == KVMSTATS_KIND_VM;
		const struct kvmstats_target key = {
			.from = fds->fd[i], .vm = is_vm ? vm++ : one_vm ? 0 : -1,
		};

		vmm->vcpus += !is_vm;
		err = add_target(vmm, &key);
	}
	return err;
}

/* Returns whether this kernel opens statistics fds for processes other than the VMM. */
static bool can_open_stats(const struct kvmstats_vmm *vmm, const struct kvmstats_fd *kvm_fd)
{
	int fd = kvmstats_dup_and_open(vmm->pidfd, kvm_fd);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void count_vms(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	size_t i;

	vmm->vms = 0;
	vmm->vcpus = 0;
	for (i = 0; i < fds->count; i++)
		vmm->vms += fds->fd[i].kind == KVMSTATS_KIND_VM && !fds->fd[i].stats;
	if (!vmm->vms || !vmm->distinct)
		vmm->vms = 1;
}

static int list_fds(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	bool can_open, one_vm;
	struct group group;
	size_t i;
	int err = begin_list(vmm, fds->count);

	count_vms(vmm, fds);
	one_vm = is_one_vm(vmm, fds);
	can_open = can_open_stats(vmm, kvmstats_fds_first(fds));
	for (i = 0; !err && i < fds->count; i = group.end) {
		group = group_at(fds, i);
		err = add_group(vmm, fds, group, can_open, one_vm);
	}
	return end_list(vmm, err);
}

/* ---- targets in files of whole VMs ---- */

static int by_id_and_vm(const void *a, const void *b)
{
	const struct kvmstats_target *x = *(const struct kvmstats_target **)a;
	const struct kvmstats_target *y = *(const struct kvmstats_target **)b;

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
		vcpus += vmm->file[i].vcpus;
	return vcpus;
}

static int add_file_targets(struct kvmstats_vmm *vmm, size_t i)
{
	const struct kvmstats_file *file = &vmm->file[i];
	struct kvmstats_target key = {
		.from = { .fd = file->vmm_fd, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
		.vm = (int)i,
		.number = file->layout.vm,
	};
	size_t n;
	int err = add_target(vmm, &key);

	key.from.kind = KVMSTATS_KIND_VCPU;
	for (n = 0; !err && n < file->vcpus; n++) {
		key.from.vcpu = kvmstats_file_vcpu(file, n);
		key.record = n;
		err = add_target(vmm, &key);
	}
	return err;
}

static int list_files(struct kvmstats_vmm *vmm)
{
	size_t i;
	int err;

	vmm->vms = vmm->files;
	vmm->vcpus = count_vcpus(vmm);
	err = begin_list(vmm, vmm->vms + vmm->vcpus);
	for (i = 0; !err && i < vmm->files; i++)
		err = add_file_targets(vmm, i);
	if (!err && vmm->targets)
		qsort(vmm->target, vmm->targets, sizeof(*vmm->target), by_id_and_vm);
	return end_list(vmm, err);
}

/* Lists the files again if vCPUs were added, or the list failed before. */
static int update_files(struct kvmstats_vmm *vmm)
{
	return vmm->targets && count_vcpus(vmm) == vmm->vcpus ? 0 : list_files(vmm);
}

static void close_files(struct kvmstats_file *file, size_t count)
{
	while (count)
		kvmstats_file_close(&file[--count]);
	free(file);
}

/* Without kcmp(), all VM fds of a process count as fds of the same VM. */
static int open_each(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds,
		     struct kvmstats_file *file, size_t *count)
{
	size_t i;

	for (i = 0; i < fds->count && fds->fd[i].kind == KVMSTATS_KIND_VM; i++) {
		int fd, err;

		if (fds->fd[i].stats || (*count && !vmm->distinct))
			continue;
		fd = kvmstats_dup_and_open_all(vmm->pidfd, &fds->fd[i]);
		err = fd < 0 ? fd : kvmstats_file_open(&file[*count], fd, vmm->schemas);
		if (err)
			return err;
		file[*count].vmm_fd = fds->fd[i].fd;
		kvmstats_file_read(&file[(*count)++]);
	}
	return *count ? 0 : -ENODATA;
}

/*
 * Opens the files of the VM fds among @fds, which are the distinct KVM fds of the VMM, and lists
 * their targets. After -errno the VMM has the files and targets that it had before.
 */
static int open_files(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	struct kvmstats_file *file = calloc(fds->count + 1, sizeof(*file));
	size_t count = 0;
	int err = file ? open_each(vmm, fds, file, &count) : -ENOMEM;

	if (err) {
		close_files(file, count);
		return err;
	}
	close_files(vmm->file, vmm->files);
	vmm->file = file;
	vmm->files = count;
	return list_files(vmm);
}

/* A VMM whose process is not known has one VM, and is called "vm N". */
static int name_vm(struct kvmstats_vmm *vmm)
{
	char name[32];

	if (vmm->pid || vmm->guest)
		return 0;
	snprintf(name, sizeof(name), "vm %" PRIu64, (uint64_t)vmm->file[0].layout.vm);
	vmm->guest = strdup(name);
	return vmm->guest ? 0 : -ENOMEM;
}

int kvmstats_vmm_add_file(struct kvmstats_vmm *vmm, int fd)
{
	struct kvmstats_file *more = realloc(vmm->file, (vmm->files + 1) * sizeof(*more));
	int err;

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	vmm->file = more;
	err = kvmstats_file_open(&more[vmm->files], fd, vmm->schemas);
	if (err)
		return err;
	kvmstats_file_read(&more[vmm->files++]);
	err = name_vm(vmm);
	return err ? err : list_files(vmm);
}

void kvmstats_vmm_close_ended(struct kvmstats_vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->files; i++) {
		struct kvmstats_file *file = &vmm->file[i];
		struct pollfd poll_fd = { .fd = file->fd };

		if (poll(&poll_fd, 1, 0) != 1)
			continue;
		kvmstats_file_close(file);
		file->err = -ENODEV;
	}
}

static void drop_ended(struct kvmstats_vmm *vmm)
{
	size_t before = vmm->files;
	size_t i;

	for (i = 0; before && i < vmm->targets; i++)
		vmm->target[i]->ended = vmm->file[vmm->target[i]->vm].err == -ENODEV;
	vmm->files = 0;
	for (i = 0; i < before; i++) {
		if (vmm->file[i].err == -ENODEV)
			kvmstats_file_close(&vmm->file[i]);
		else
			vmm->file[vmm->files++] = vmm->file[i];
	}
	if (vmm->files == before)
		return;
	vmm->fds.count = 0;	/* the next scan opens VMs whose fds have the same numbers */
	list_files(vmm);
}

bool kvmstats_vmm_read_files(struct kvmstats_vmm *vmm)
{
	bool failed = false;
	size_t i;

	for (i = 0; i < vmm->files; i++)
		failed |= kvmstats_file_read(&vmm->file[i]) != 0;
	return failed || (vmm->files && count_vcpus(vmm) != vmm->vcpus);
}

/* ---- scans of the process ---- */

int kvmstats_vmm_glance(const struct kvmstats_vmm *vmm)
{
	struct kvmstats_glance glance;
	int err = kvmstats_glance_of(vmm->pid, &glance);

	if (err)
		return err;
	return kvmstats_glance_differs(&glance, &vmm->glance);
}

/*
 * Lists the targets in the files of VMs or, if these cannot be opened and @fds_changed is set, the
 * fds of the VMM.
 */
static int open_targets(struct kvmstats_vmm *vmm, bool fds_changed)
{
	struct kvmstats_fds distinct = { 0 };
	int err = kvmstats_fds_copy(&distinct, &vmm->buffer);

	if (err)
		return err;
	vmm->distinct = kvmstats_fds_distinct(&distinct, vmm->pid);
	err = open_files(vmm, &distinct);
	vmm->has_no_files = err == -EOPNOTSUPP;
	if (err && !vmm->files)
		err = fds_changed ? list_fds(vmm, &distinct) : 0;
	kvmstats_fds_free(&distinct);
	return err;
}

/* The glance is read first, so that it detects changes that happen during the scan. */
static int scan(struct kvmstats_vmm *vmm)
{
	bool changed;
	int err = kvmstats_glance_of(vmm->pid, &vmm->glance);

	if (!err)
		err = kvmstats_fds_scan(&vmm->buffer, vmm->pid);
	/* /proc hides a process that exists. */
	if (err == -ESRCH && kvmstats_vmm_alive(vmm))
		err = -EACCES;
	if (err)
		return err;
	changed = !kvmstats_fds_equal(&vmm->buffer, &vmm->fds);
	/*
	 * A process without VM and vCPU fds is an agent, not a VMM. Return before the search for
	 * duplicates, which takes long if the agent holds thousands of statistics fds.
	 */
	if (!kvmstats_fds_first(&vmm->buffer))
		return -ENODEV;

	if (changed || (!vmm->files && !vmm->has_no_files))
		err = open_targets(vmm, changed);
	else if (vmm->files)
		err = update_files(vmm);
	if (!err) {
		struct kvmstats_fds old = vmm->fds;

		vmm->fds = vmm->buffer;
		vmm->buffer = old;
	}
	return err;
}

int kvmstats_vmm_refresh(struct kvmstats_vmm *vmm)
{
	int err;

	if (!kvmstats_vmm_alive(vmm))
		return -ESRCH;
	drop_ended(vmm);
	if (vmm->by_number)
		return vmm->files ? update_files(vmm) : -ENODEV;
	err = scan(vmm);
	return kvmstats_vmm_alive(vmm) ? err : -ESRCH;
}

/* ---- open and close ---- */

static bool is_fatal(int err)
{
	return err == -ESRCH || is_resource_shortage(err);
}

/* The name of the cgroup serves as that of the guest until the command line can be read. */
static int read_cgroup(struct kvmstats_vmm *vmm)
{
	const char *cgroup, *guest;
	size_t size;
	char *text;
	int err = kvmstats_reader_read(vmm->reader, vmm->pid, "cgroup", &text, &size);

	/* A kernel without cgroups does not have the file. */
	if (err)
		return err == -ESRCH ? 0 : err;
	cgroup = kvmstats_cgroup_parse(text, &guest);
	vmm->cgroup = cgroup ? strdup(cgroup) : NULL;
	if (vmm->name_error && guest)
		vmm->guest = strdup(guest);
	free(text);
	return (cgroup && !vmm->cgroup) || (vmm->name_error && guest && !vmm->guest) ? -ENOMEM : 0;
}

static int read_cmdline(struct kvmstats_vmm *vmm)
{
	struct kvmstats_guest guest;
	int err = kvmstats_reader_read(vmm->reader, vmm->pid, "cmdline", &vmm->cmdline,
				       &vmm->cmdline_size);

	if (!err)
		err = kvmstats_guest_parse(&guest, vmm->cmdline, vmm->cmdline_size);
	if (err)
		return err;
	free(vmm->guest);
	vmm->guest = guest.name;
	vmm->uuid = guest.uuid;
	return 0;
}

static int name_guest(struct kvmstats_vmm *vmm)
{
	int err = vmm->cmdline ? 0 : read_cmdline(vmm);

	if (is_fatal(err))
		return err;
	vmm->name_error = err;
	if ((vmm->guest && *vmm->guest) || vmm->cgroup)
		return 0;
	err = read_cgroup(vmm);
	if (is_fatal(err))
		return err;
	if (err)
		vmm->name_error = err;
	return 0;
}

bool kvmstats_vmm_rename(struct kvmstats_vmm *vmm)
{
	return vmm->name_error && !name_guest(vmm) && !vmm->name_error;
}

static int read_names(struct kvmstats_vmm *vmm)
{
	size_t size;
	int err = kvmstats_read_proc(vmm->pid, "comm", MAX_COMM, &vmm->comm, &size);

	if (err)
		return err;
	vmm->comm[strcspn(vmm->comm, "\n")] = '\0';
	return name_guest(vmm);
}

int kvmstats_vmm_open(struct kvmstats_vmm *vmm, pid_t pid, struct kvmstats_schemas *schemas,
		      struct kvmstats_reader *reader)
{
	int err;

	*vmm = (struct kvmstats_vmm){ .pid = pid, .schemas = schemas, .reader = reader };
	vmm->pidfd = kvmstats_pidfd_open(pid);
	if (vmm->pidfd < 0)
		return vmm->pidfd;
	err = scan(vmm);
	if (!err)
		err = read_names(vmm);
	/* If the process still exists, its PID was not reused while /proc/PID was read. */
	return kvmstats_vmm_alive(vmm) ? err : -ESRCH;
}

/* The names are not essential: /proc can be mounted so that it hides the processes of others. */
static int read_names_if_visible(struct kvmstats_vmm *vmm)
{
	int err = vmm->pid ? read_names(vmm) : 0;

	if (err == -ENOMEM)
		return err;
	if (!vmm->comm)
		vmm->comm = strdup("?");
	return vmm->comm ? 0 : -ENOMEM;
}

int kvmstats_vmm_open_by_number(struct kvmstats_vmm *vmm, pid_t pid,
				struct kvmstats_schemas *schemas, struct kvmstats_reader *reader)
{
	int err;

	*vmm = (struct kvmstats_vmm){
		.pid = pid, .pidfd = -1, .distinct = true, .schemas = schemas, .by_number = true,
		.reader = reader,
	};
	if (pid)
		vmm->pidfd = kvmstats_pidfd_open(pid);
	err = pid && vmm->pidfd < 0 ? vmm->pidfd : read_names_if_visible(vmm);
	return err || kvmstats_vmm_alive(vmm) ? err : -ESRCH;
}

void kvmstats_vmm_close(struct kvmstats_vmm *vmm)
{
	free_targets(vmm->target, vmm->targets);
	if (vmm->pidfd >= 0)
		close(vmm->pidfd);
	close_files(vmm->file, vmm->files);
	kvmstats_fds_free(&vmm->fds);
	kvmstats_fds_free(&vmm->buffer);
	free(vmm->guest);
	free(vmm->uuid);
	free(vmm->cgroup);
	free(vmm->cmdline);
	free(vmm->comm);
}

bool kvmstats_vmm_alive(const struct kvmstats_vmm *vmm)
{
	return vmm->pidfd < 0 || kvmstats_pidfd_alive(vmm->pidfd);
}

/* ---- for users of the library ---- */

pid_t kvmstats_vmm_pid(const struct kvmstats_vmm *vmm)
{
	return vmm->pid;
}

const char *kvmstats_vmm_comm(const struct kvmstats_vmm *vmm)
{
	return vmm->comm;
}

const char *kvmstats_vmm_guest(const struct kvmstats_vmm *vmm)
{
	return vmm->guest;
}

const char *kvmstats_vmm_uuid(const struct kvmstats_vmm *vmm)
{
	return vmm->uuid;
}

const char *kvmstats_vmm_cgroup(const struct kvmstats_vmm *vmm)
{
	return vmm->cgroup;
}

int kvmstats_vmm_name_error(const struct kvmstats_vmm *vmm)
{
	return vmm->name_error;
}

const char *kvmstats_vmm_cmdline(const struct kvmstats_vmm *vmm, size_t *size)
{
	*size = vmm->cmdline_size;
	return vmm->cmdline;
}

size_t kvmstats_vmm_vms(const struct kvmstats_vmm *vmm)
{
	return vmm->vms;
}

size_t kvmstats_vmm_vcpus(const struct kvmstats_vmm *vmm)
{
	return vmm->vcpus;
}

int kvmstats_vmm_distinct(const struct kvmstats_vmm *vmm)
{
	return vmm->distinct;
}

size_t kvmstats_vmm_targets(const struct kvmstats_vmm *vmm)
{
	return vmm->targets;
}

const struct kvmstats_target *kvmstats_vmm_target(const struct kvmstats_vmm *vmm, size_t i)
{
	return i < vmm->targets ? vmm->target[i] : NULL;
}
