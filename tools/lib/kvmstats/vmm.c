// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * VMMs: groups the VMs of a pass by process, follows the processes from pass to pass, and reads
 * their names.
 *
 * A process is identified by its PID and by when it started, so that a later process with the same
 * PID is another one. The host file has that time in ns, /proc/PID/stat in ticks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "internal.h"
#include "reader.h"

struct kvmstats_vmm {
	pid_t pid;
	uint64_t start_time;		/* rounded to ticks */
	const struct kvmstats_host_vm **vm;
	size_t vms;			/* 0: not part of a pass yet, or no longer */
	size_t vcpus;
	bool orphan;
	char comm[KVMSTATS_COMM_SIZE];
	char *guest;			/* the name of the guest, or NULL */
	char *uuid;			/* of the guest, or NULL */
	char *cgroup;			/* if it is needed to name the guest, or NULL */
	bool has_cmdline;		/* it was read */
	int name_error;			/* why the names are not final: -errno, or 0 */
};

/* ---- the VMMs of a pass ---- */

static uint64_t start_of(const struct kvmstats_host_vm *vm)
{
	return kvmstats_round_to_ticks(kvmstats_host_vm_start_time(vm));
}

static int compare_to(const struct kvmstats_host_vm *vm, pid_t pid, uint64_t start_time)
{
	if (kvmstats_host_vm_pid(vm) != pid)
		return kvmstats_host_vm_pid(vm) < pid ? -1 : 1;
	return compare_numbers(start_of(vm), start_time);
}

static int compare_to_vmm(const struct kvmstats_host_vm *vm, const struct kvmstats_vmm *vmm)
{
	return compare_to(vm, vmm->pid, vmm->start_time);
}

/* The VMs of a pass are in the order of their identities, and so of their addresses. */
static int by_process(const void *a, const void *b)
{
	const struct kvmstats_host_vm *x = *(const struct kvmstats_host_vm * const *)a;
	const struct kvmstats_host_vm *y = *(const struct kvmstats_host_vm * const *)b;
	int order = compare_to(x, kvmstats_host_vm_pid(y), start_of(y));

	return order ? order : (x > y) - (x < y);
}

static struct kvmstats_vmm *new_vmm(const struct kvmstats_host_vm *vm)
{
	struct kvmstats_vmm *vmm = calloc(1, sizeof(*vmm));

	if (!vmm)
		return NULL;
	vmm->pid = kvmstats_host_vm_pid(vm);
	vmm->start_time = start_of(vm);
	vmm->name_error = -EAGAIN;
	strcpy(vmm->comm, "?");
	return vmm;
}

static void forget_names(struct kvmstats_vmm *vmm)
{
	free(vmm->guest);
	free(vmm->uuid);
	free(vmm->cgroup);
	vmm->guest = NULL;
	vmm->uuid = NULL;
	vmm->cgroup = NULL;
	vmm->has_cmdline = false;
	strcpy(vmm->comm, "?");
}

static void free_vmm(struct kvmstats_vmm *vmm)
{
	forget_names(vmm);
	free(vmm);
}

/* Frees the VMMs that have no VMs. */
static void free_unused(struct kvmstats_vmm **vmm, size_t count)
{
	while (count--) {
		if (!vmm[count]->vms)
			free_vmm(vmm[count]);
	}
}

/* Both are in the same order: @i is where the search for the last VMM ended. */
static struct kvmstats_vmm *find_vmm(const struct kvmstats_vmms *vmms, size_t *i,
				     const struct kvmstats_host_vm *vm)
{
	while (*i < vmms->count && compare_to_vmm(vm, vmms->vmm[*i]) > 0)
		++*i;
	return *i < vmms->count && !compare_to_vmm(vm, vmms->vmm[*i]) ? vmms->vmm[*i] : NULL;
}

/* Finds or makes the VMM of each VM in next->vm, of which there are @vms. */
static int list_vmms(const struct kvmstats_vmms *vmms, struct kvmstats_vmms *next, size_t vms)
{
	struct kvmstats_vmm *vmm = NULL;
	size_t i, old = 0;

	for (i = 0; i < vms; i++) {
		if (vmm && !compare_to_vmm(next->vm[i], vmm))
			continue;
		vmm = find_vmm(vmms, &old, next->vm[i]);
		if (!vmm)
			vmm = new_vmm(next->vm[i]);
		if (!vmm)
			return -ENOMEM;
		next->vmm[next->count++] = vmm;
	}
	return 0;
}

static void assign_vms(const struct kvmstats_vmms *vmms, size_t vms)
{
	size_t i, n = 0;

	for (i = 0; i < vmms->count; i++) {
		struct kvmstats_vmm *vmm = vmms->vmm[i];

		vmm->vm = &vmms->vm[n];
		vmm->vms = 0;
		vmm->vcpus = 0;
		vmm->orphan = kvmstats_host_vm_is_orphan(vmms->vm[n]);
		for (; n < vms && !compare_to_vmm(vmms->vm[n], vmm); n++) {
			vmm->vms++;
			vmm->vcpus += kvmstats_host_vm_vcpus(vmms->vm[n]);
		}
	}
}

int kvmstats_vmms_update(struct kvmstats_vmms *vmms, const struct kvmstats_host_vm *vm,
			 size_t count)
{
	struct kvmstats_vmms next = {
		.vmm = calloc(count + 1, sizeof(*next.vmm)),
		.vm = calloc(count + 1, sizeof(*next.vm)),
	};
	int err = next.vmm && next.vm ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < count; i++)
		next.vm[i] = &vm[i];
	if (!err && count)
		qsort(next.vm, count, sizeof(*next.vm), by_process);
	if (!err)
		err = list_vmms(vmms, &next, count);
	if (err) {
		free_unused(next.vmm, next.count);
		free(next.vmm);
		free(next.vm);
		return err;
	}
	for (i = 0; i < vmms->count; i++)
		vmms->vmm[i]->vms = 0;
	assign_vms(&next, count);
	free_unused(vmms->vmm, vmms->count);
	free(vmms->vmm);
	free(vmms->vm);
	*vmms = next;
	return 0;
}

void kvmstats_vmms_free(struct kvmstats_vmms *vmms)
{
	while (vmms->count)
		free_vmm(vmms->vmm[--vmms->count]);
	free(vmms->vmm);
	free(vmms->vm);
}

/* ---- names ---- */

static int read_cmdline(struct kvmstats_vmm *vmm, struct kvmstats_reader *reader)
{
	struct kvmstats_guest guest;
	size_t size;
	char *text;
	int err = kvmstats_reader_read(reader, vmm->pid, "cmdline", &text, &size);

	if (err)
		return err;
	err = kvmstats_guest_parse(&guest, text, size);
	free(text);
	if (err)
		return err;
	free(vmm->guest);
	vmm->guest = guest.name;
	vmm->uuid = guest.uuid;
	vmm->has_cmdline = true;
	return 0;
}

/* The name of the cgroup serves as that of the guest until the command line can be read. */
static int read_cgroup(struct kvmstats_vmm *vmm, struct kvmstats_reader *reader)
{
	const char *cgroup, *guest;
	size_t size;
	char *text;
	int err = kvmstats_reader_read(reader, vmm->pid, "cgroup", &text, &size);

	/* A kernel without cgroups does not have the file. */
	if (err)
		return err == -ESRCH ? 0 : err;
	cgroup = kvmstats_cgroup_parse(text, &guest);
	vmm->cgroup = cgroup ? strdup(cgroup) : NULL;
	if (!vmm->has_cmdline && guest)
		vmm->guest = strdup(guest);
	if ((cgroup && !vmm->cgroup) || (!vmm->has_cmdline && guest && !vmm->guest))
		err = -ENOMEM;
	free(text);
	return err;
}

static int name_guest(struct kvmstats_vmm *vmm, struct kvmstats_reader *reader)
{
	int err = vmm->has_cmdline ? 0 : read_cmdline(vmm, reader);
	int cgroup_err = vmm->guest || vmm->cgroup ? 0 : read_cgroup(vmm, reader);

	return err ? err : cgroup_err;
}

/* Whether the process with this PID still is the VMM. Copies its command name. */
static int check_process(struct kvmstats_vmm *vmm)
{
	struct kvmstats_task task;
	int err = kvmstats_task_read(&task, vmm->pid, 0);

	if (err == -ESRCH)
		return kvmstats_why_missing(vmm->pid);
	if (!err && task.start_time != vmm->start_time)
		return -ESRCH;
	if (!err)
		memcpy(vmm->comm, task.comm, sizeof(vmm->comm));
	return err;
}

/* If the process is the same afterwards, its PID was not reused while its names were read. */
static void read_names(struct kvmstats_vmm *vmm, struct kvmstats_reader *reader)
{
	int err = check_process(vmm), names_err = 0;

	if (!err)
		names_err = name_guest(vmm, reader);
	if (!err)
		err = check_process(vmm);
	if (err)
		forget_names(vmm);
	vmm->name_error = err ? err : names_err;
}

void kvmstats_vmms_name(const struct kvmstats_vmms *vmms, struct kvmstats_reader *reader)
{
	size_t i;

	if (reader)
		kvmstats_reader_renew(reader);
	for (i = 0; i < vmms->count; i++) {
		struct kvmstats_vmm *vmm = vmms->vmm[i];

		if (vmm->name_error && reader)
			read_names(vmm, reader);
		else if (vmm->name_error)
			vmm->name_error = -EREMOTE;
	}
}

/* Stores a copy of the string at *@at, or NULL if it is empty or not one. Advances *@at. */
static int take_name(const char **at, const char *end, char **name)
{
	size_t len = strnlen(*at, (size_t)(end - *at));
	bool is_name = len && *at + len < end;

	free(*name);
	*name = is_name ? strdup(*at) : NULL;
	*at += *at + len < end ? len + 1 : len;
	return is_name && !*name ? -ENOMEM : 0;
}

static struct kvmstats_vmm *vmm_of_names(const struct kvmstats_vmms *vmms,
					 const struct kvm_host_names *names)
{
	uint64_t start_time = kvmstats_round_to_ticks(names->start_time);
	size_t i;

	for (i = 0; i < vmms->count; i++) {
		if (vmms->vmm[i]->pid == (pid_t)names->pid &&
		    vmms->vmm[i]->start_time == start_time)
			return vmms->vmm[i];
	}
	return NULL;
}

int kvmstats_vmms_take_names(const struct kvmstats_vmms *vmms, const struct kvm_host_names *names)
{
	const char *at = (const char *)(names + 1), *end = (const char *)names + names->record.size;
	struct kvmstats_vmm *vmm = vmm_of_names(vmms, names);
	char *comm = NULL;
	int err;

	if (!vmm)
		return 0;
	err = take_name(&at, end, &comm);
	if (!err)
		err = take_name(&at, end, &vmm->guest);
	if (!err)
		err = take_name(&at, end, &vmm->uuid);
	if (!err)
		err = take_name(&at, end, &vmm->cgroup);
	snprintf(vmm->comm, sizeof(vmm->comm), "%s", comm ? comm : "?");
	free(comm);
	vmm->name_error = names->error < 4096 ? -(int)names->error : -EPROTO;
	return err;
}

/* ---- for users of the library ---- */

pid_t kvmstats_vmm_pid(const struct kvmstats_vmm *vmm)
{
	return vmm->pid;
}

uint64_t kvmstats_vmm_start_time(const struct kvmstats_vmm *vmm)
{
	return kvmstats_host_vm_start_time(vmm->vm[0]);
}

int kvmstats_vmm_is_orphan(const struct kvmstats_vmm *vmm)
{
	return vmm->orphan;
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

size_t kvmstats_vmm_vms(const struct kvmstats_vmm *vmm)
{
	return vmm->vms;
}

const struct kvmstats_host_vm *kvmstats_vmm_vm(const struct kvmstats_vmm *vmm, size_t i)
{
	return i < vmm->vms ? vmm->vm[i] : NULL;
}

size_t kvmstats_vmm_vcpus(const struct kvmstats_vmm *vmm)
{
	return vmm->vcpus;
}
