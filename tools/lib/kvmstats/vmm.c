// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Finds VMMs, and the VMs and vCPUs of a VMM. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmm_files.h"
#include "vmm_state.h"

#define MAX_COMM	64u

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

static void add_target(struct kvmstats_vmm *vmm, const struct kvmstats_fd *from, int vm)
{
	vmm->target[vmm->targets++] = (struct kvmstats_target){
		.vmm = vmm,
		.from = *from,
		.vm = vm,
	};
	if (from->kind == KVMSTATS_KIND_VCPU)
		vmm->vcpus++;
}

/*
 * Adds the targets of a group. If the kernel opens statistics for this process (@can_open), the
 * VM or vCPU fds are used. Otherwise the statistics fds are used, if the VMM holds any.
 */
static void add_group(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds,
		      struct group group, bool can_open, bool one_vm)
{
	bool has_kvm = group.stats > group.start;
	bool has_stats = group.end > group.stats;
	bool use_kvm = has_kvm && (can_open || !has_stats);
	size_t i = use_kvm ? group.start : group.stats;
	size_t end = use_kvm ? group.stats : group.end;
	int vm = 0;

	if (one_vm)
		end = i + 1;
	for (; i < end; i++) {
		if (fds->fd[i].kind == KVMSTATS_KIND_VM)
			add_target(vmm, &fds->fd[i], vm++);
		else
			add_target(vmm, &fds->fd[i], one_vm ? 0 : -1);
	}
}

static const struct kvmstats_fd *first_kvm_fd(const struct kvmstats_fds *fds)
{
	size_t i;

	for (i = 0; i < fds->count; i++) {
		if (!fds->fd[i].stats)
			return &fds->fd[i];
	}
	return NULL;
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

static int find_targets(struct kvmstats_vmm *vmm, const struct kvmstats_fds *fds)
{
	const struct kvmstats_fd *kvm_fd = first_kvm_fd(fds);
	struct kvmstats_target *target;
	bool can_open, one_vm;
	struct group group;
	size_t i;

	if (!kvm_fd)
		return -ENODEV;
	target = calloc(fds->count, sizeof(*target));
	if (!target)
		return -ENOMEM;
	free(vmm->target);
	vmm->target = target;
	vmm->targets = 0;

	count_vms(vmm, fds);
	one_vm = is_one_vm(vmm, fds);
	can_open = can_open_stats(vmm, kvm_fd);
	for (i = 0; i < fds->count; i = group.end) {
		group = group_at(fds, i);
		add_group(vmm, fds, group, can_open, one_vm);
	}
	return 0;
}

static int read_glance(const struct kvmstats_vmm *vmm, struct glance *glance)
{
	struct stat task, fd;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)vmm->pid);
	if (stat(path, &task))
		return errno == ENOENT ? -ESRCH : -errno;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)vmm->pid);
	if (stat(path, &fd))
		return errno == ENOENT ? -ESRCH : -errno;
	*glance = (struct glance){ .threads = task.st_nlink, .fds = fd.st_size };
	return 0;
}

int kvmstats_vmm_glance(const struct kvmstats_vmm *vmm)
{
	struct glance glance;
	int err;

	/* Each read of the files finds new vCPUs, and the search new VMs. */
	if (vmm->by_number)
		return 0;
	err = read_glance(vmm, &glance);
	if (err)
		return err;
	return glance.threads != vmm->glance.threads || glance.fds != vmm->glance.fds;
}

static void clear_targets(struct kvmstats_vmm *vmm)
{
	kvmstats_vmm_close_files(vmm);
	vmm->targets = 0;
	vmm->vms = 0;
	vmm->vcpus = 0;
	vmm->fds.count = 0;
}

/*
 * Lists the targets in the files of VMs or, if these cannot be opened, the fds of the VMM. Sets
 * @changed if it has listed any.
 */
static int open_targets(struct kvmstats_vmm *vmm, bool *changed)
{
	struct kvmstats_fds distinct = { 0 };
	int err = kvmstats_fds_copy(&distinct, &vmm->buffer);

	if (err)
		return err;
	vmm->distinct = kvmstats_fds_distinct(&distinct, vmm->pid);
	err = vmm->schemas ? kvmstats_vmm_open_files(vmm, &distinct) : -EOPNOTSUPP;
	if (!err)
		*changed = true;
	else if (!vmm->files)
		err = *changed ? find_targets(vmm, &distinct) : 0;
	kvmstats_fds_free(&distinct);
	return err;
}

static int list_targets(struct kvmstats_vmm *vmm, bool *changed)
{
	int ret;

	if (*changed || (vmm->schemas && !vmm->files))
		return open_targets(vmm, changed);
	if (!vmm->files)
		return 0;
	ret = kvmstats_vmm_update_files(vmm);
	*changed = ret > 0;
	return ret < 0 ? ret : 0;
}

/* The glance is read first, so that it detects changes that happen during the scan. */
static int scan(struct kvmstats_vmm *vmm, bool *changed)
{
	int err = read_glance(vmm, &vmm->glance);

	if (!err)
		err = kvmstats_fds_scan(&vmm->buffer, vmm->pid);
	/* /proc hides a process that exists. */
	if (err == -ESRCH && kvmstats_vmm_alive(vmm))
		err = -EACCES;
	if (err)
		return err;
	*changed = !kvmstats_fds_equal(&vmm->buffer, &vmm->fds);
	/*
	 * A process without VM and vCPU fds is an agent, not a VMM. Return before the search for
	 * duplicates, which takes long if the agent holds thousands of statistics fds.
	 */
	if (*changed && !first_kvm_fd(&vmm->buffer))
		return -ENODEV;

	err = list_targets(vmm, changed);
	if (!err) {
		struct kvmstats_fds old = vmm->fds;

		vmm->fds = vmm->buffer;
		vmm->buffer = old;
	}
	return err;
}

static int refresh_fds(struct kvmstats_vmm *vmm)
{
	bool changed = false;
	int err = scan(vmm, &changed);

	if (!kvmstats_vmm_alive(vmm))
		return -ESRCH;
	/* If the process had no KVM fds at the previous scan either, scan() detects no change. */
	if (err == -ENODEV || (!err && !vmm->fds.count)) {
		clear_targets(vmm);
		return -ENODEV;
	}
	return err ? err : changed;
}

int kvmstats_vmm_refresh(struct kvmstats_vmm *vmm)
{
	if (!kvmstats_vmm_alive(vmm))
		return -ESRCH;
	kvmstats_vmm_drop_ended(vmm);
	if (!vmm->by_number)
		return refresh_fds(vmm);
	return vmm->files ? kvmstats_vmm_update_files(vmm) : -ENODEV;
}

static int read_names(struct kvmstats_vmm *vmm)
{
	size_t len;
	int err = kvmstats_read_proc(vmm->pid, "comm", MAX_COMM, &vmm->comm, &len);

	if (err)
		return err;
	vmm->comm[strcspn(vmm->comm, "\n")] = '\0';
	return kvmstats_guest_read(&vmm->guest, vmm->pid);
}

int kvmstats_vmm_open_with_files(struct kvmstats_vmm **vmmp, pid_t pid,
				 struct kvmstats_schemas *schemas)
{
	struct kvmstats_vmm *vmm = calloc(1, sizeof(*vmm));
	bool changed = false;
	int err;

	*vmmp = NULL;
	if (!vmm)
		return -ENOMEM;
	vmm->pid = pid;
	vmm->schemas = schemas;
	vmm->pidfd = kvmstats_pidfd_open(pid);
	if (vmm->pidfd < 0) {
		err = vmm->pidfd;
		free(vmm);
		return err;
	}

	err = scan(vmm, &changed);
	if (!err && !changed)
		err = -ENODEV;
	if (!err)
		err = read_names(vmm);
	/* If the process still exists, its PID was not reused while /proc/PID was read. */
	if (!kvmstats_vmm_alive(vmm))
		err = -ESRCH;
	if (err) {
		kvmstats_vmm_close(vmm);
		return err;
	}
	*vmmp = vmm;
	return 0;
}

int kvmstats_vmm_open(struct kvmstats_vmm **vmm, pid_t pid)
{
	return kvmstats_vmm_open_with_files(vmm, pid, NULL);
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

int kvmstats_vmm_open_by_number(struct kvmstats_vmm **vmmp, pid_t pid,
				struct kvmstats_schemas *schemas)
{
	struct kvmstats_vmm *vmm = calloc(1, sizeof(*vmm));
	int err;

	*vmmp = NULL;
	if (!vmm)
		return -ENOMEM;
	vmm->pid = pid;
	vmm->schemas = schemas;
	vmm->by_number = true;
	vmm->distinct = true;
	vmm->pidfd = pid ? kvmstats_pidfd_open(pid) : -1;
	err = pid && vmm->pidfd < 0 ? vmm->pidfd : read_names_if_visible(vmm);
	if (!err && !kvmstats_vmm_alive(vmm))
		err = -ESRCH;
	if (err) {
		kvmstats_vmm_close(vmm);
		return err;
	}
	*vmmp = vmm;
	return 0;
}

void kvmstats_vmm_close(struct kvmstats_vmm *vmm)
{
	if (!vmm)
		return;
	if (vmm->pidfd >= 0)
		close(vmm->pidfd);
	kvmstats_vmm_close_files(vmm);
	kvmstats_fds_free(&vmm->fds);
	kvmstats_fds_free(&vmm->buffer);
	free(vmm->target);
	kvmstats_guest_free(&vmm->guest);
	free(vmm->comm);
	free(vmm);
}

static int check_process(pid_t pid, int (*fn)(pid_t pid, int err, void *arg), void *arg)
{
	int found = kvmstats_fds_has_vm(pid);

	if (!found || found == -ESRCH)
		return 0;
	return fn(pid, found < 0 ? found : 0, arg);
}

int kvmstats_vmm_find(int (*fn)(pid_t pid, int err, void *arg), void *arg)
{
	int ret = kvmstats_check_proc();
	struct dirent *dirent;
	DIR *proc;

	if (ret)
		ret = ret == -EACCES ? fn(1, ret, arg) : ret;
	if (ret)
		return ret;
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	while (!ret) {
		errno = 0;
		dirent = readdir(proc);
		if (!dirent) {
			ret = -errno;
			break;
		}
		if (isdigit((unsigned char)dirent->d_name[0]))
			ret = check_process(atoi(dirent->d_name), fn, arg);
	}
	closedir(proc);
	return ret;
}

int kvmstats_vmm_alive(const struct kvmstats_vmm *vmm)
{
	return vmm->pidfd < 0 || kvmstats_pidfd_alive(vmm->pidfd);
}

bool kvmstats_vmm_is_by_number(const struct kvmstats_vmm *vmm)
{
	return vmm->by_number;
}

int kvmstats_vmm_pidfd(const struct kvmstats_vmm *vmm)
{
	return vmm->pidfd;
}

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
	return vmm->guest.name;
}

const char *kvmstats_vmm_uuid(const struct kvmstats_vmm *vmm)
{
	return vmm->guest.uuid;
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
	return i < vmm->targets ? &vmm->target[i] : NULL;
}

enum kvmstats_kind kvmstats_target_kind(const struct kvmstats_target *target)
{
	return target->from.kind;
}

int kvmstats_target_vcpu(const struct kvmstats_target *target)
{
	return target->from.vcpu;
}

int kvmstats_target_vm(const struct kvmstats_target *target)
{
	return target->vm;
}

uint64_t kvmstats_target_number(const struct kvmstats_target *target)
{
	return target->number;
}

int kvmstats_target_fd(const struct kvmstats_target *target)
{
	return target->from.fd;
}

int kvmstats_target_open(const struct kvmstats_target *target, enum kvmstats_origin *origin)
{
	int pidfd = target->vmm->pidfd;

	if (kvmstats_target_in_file(target))
		return -ENXIO;
	if (origin)
		*origin = target->from.stats ? KVMSTATS_ORIGIN_DUPLICATED : KVMSTATS_ORIGIN_OPENED;
	if (target->from.stats)
		return kvmstats_dup_fd(pidfd, &target->from);
	return kvmstats_dup_and_open(pidfd, &target->from);
}
