// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor_next.h"
#include "monitor_watches.h"
#include "vm_file.h"

#define INIT_PID_NAMESPACE	0xEFFFFFFCu	/* its inode number is the same in all kernels */

/*
 * The PIDs in the statistics files are those of the initial PID namespace. A kernel without PID
 * namespaces does not have the file.
 */
static bool knows_pids(void)
{
	struct stat namespace;

	if (stat("/proc/self/ns/pid", &namespace))
		return errno == ENOENT;
	return namespace.st_ino == INIT_PID_NAMESPACE;
}

/*
 * Returns the process that created the VM, 0 if it is not known, or -errno. The header of the
 * file is checked elsewhere.
 */
static pid_t creator_of(int fd)
{
	struct kvm_stats_header header;
	char id[32] = "";
	int pid;
	int err = kvmstats_pread_all(fd, &header, sizeof(header), 0);

	if (!err)
		err = kvmstats_pread_all(fd, id, sizeof(id) - 1, header.id_offset);
	if (err)
		return err;
	if (sscanf(id, "kvm-%d", &pid) != 1 || pid <= 0 || !knows_pids())
		return 0;
	return pid;
}

/* ---- one VM ---- */

/* The functions below own @fd, also on failure. */

static int add_to_watch(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch, int fd)
{
	int err = kvmstats_vmm_add_file(watch->vmm, fd);

	kvmstats_watches_attach(monitor, watch);
	emit(monitor, KVMSTATS_EVENT_CHANGED, watch);
	return err;
}

static int add_watch(struct kvmstats_monitor *monitor, pid_t pid, int fd)
{
	struct kvmstats_vmm *vmm;
	int err = kvmstats_vmm_open_by_number(&vmm, pid, &monitor->schemas);

	/* The process has ended, and another one holds the VM. */
	if (err == -ESRCH)
		err = kvmstats_vmm_open_by_number(&vmm, 0, &monitor->schemas);
	if (err) {
		close(fd);
		return err;
	}
	err = kvmstats_vmm_add_file(vmm, fd);
	if (err) {
		kvmstats_vmm_close(vmm);
		return err;
	}
	if (selects_vmm(monitor, vmm))
		return kvmstats_watches_add(monitor, vmm);
	kvmstats_vmm_close(vmm);
	return 0;
}

/* A VMM that was found by its fds is also scanned by them. */
static bool is_wanted(const struct kvmstats_monitor *monitor, pid_t pid,
		      const struct kvmstats_watch *watch)
{
	if (pid < 0 || (watch && !kvmstats_vmm_is_by_number(watch->vmm)))
		return false;
	return !monitor->options.pids || (pid && kvmstats_named_find(monitor, pid));
}

static int add_vm(struct kvmstats_monitor *monitor, int fd)
{
	pid_t pid = creator_of(fd);
	struct kvmstats_watch *watch = pid > 0 ? kvmstats_watches_find(monitor, pid) : NULL;

	if (!is_wanted(monitor, pid, watch)) {
		close(fd);
		return 0;
	}
	return watch ? add_to_watch(monitor, watch, fd) : add_watch(monitor, pid, fd);
}

/* ---- all VMs ---- */

int kvmstats_search_next(struct kvmstats_monitor *monitor)
{
	int kvm = kvmstats_open_kvm();
	int err = 0;

	if (kvm < 0)
		return kvm;
	/*
	 * The numbers start at 1 again after KVM's module was loaded again, which is only possible
	 * while no file is open.
	 */
	if (!monitor->watches)
		monitor->last_vm = 0;
	while (!err) {
		uint64_t number = monitor->last_vm;
		int fd = kvmstats_next_open(kvm, &number);

		if (fd < 0) {
			err = fd;
			break;
		}
		err = add_vm(monitor, fd);
		if (is_resource_shortage(err))
			break;
		err = 0;
		monitor->last_vm = number;
	}
	close(kvm);
	return err == -ENOENT ? 0 : err;
}
