// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Monitors: find the VMMs of the machine, follow their VMs and vCPUs, and read them all.
 *
 * New VMs are found with KVM_STATS_NEXT or, if that is not possible, in the fds of all processes.
 * A file of a whole VM reports new vCPUs with each read, and the end of the VM as an event.
 * Otherwise a scan of all fds of a process finds changes. For a VMM with thousands of vCPUs that
 * takes milliseconds, so a VMM is only scanned every five seconds. Each second a cheap check
 * compares its numbers of threads and fds; if they changed, the scan is due at once.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "internal.h"
#include "reader.h"

#define SEARCH_INTERVAL	SECOND
#define CHECK_INTERVAL	SECOND
#define SCAN_INTERVAL	(5 * SECOND)

/* Scans may use 1/SCAN_SHARE of a CPU, and MAX_SCAN_BUDGET in one call. */
#define SCAN_SHARE	200
#define MAX_SCAN_BUDGET	((int64_t)SECOND / 20)

#define INIT_PID_NAMESPACE	0xEFFFFFFCu	/* its inode number is the same in all kernels */

/* A process that the caller selected by its PID. */
struct named_process {
	pid_t pid;
	int err;			/* why it is not watched: -errno, or 0 */
};

struct kvmstats_monitor {
	struct kvmstats_monitor_options options;
	struct named_process *named;	/* options.pids entries */
	struct kvmstats_vmm **vmm;	/* sorted by PID */
	size_t vmms;
	size_t capacity;
	struct kvmstats_schemas schemas;
	struct kvmstats_processes processes;
	struct kvmstats_reader reader;	/* of the names of VMMs */
	struct kvmstats_fds fds;	/* of the process that is examined */
	int epoll;			/* watches the pidfds of all VMMs, and the files of VMs */
	int search_error;
	bool examines;			/* searches the fds of processes */
	uint64_t time;			/* of the last sample */
	uint64_t last_vm;		/* number of the last VM that KVM_STATS_NEXT has returned */
	uint64_t next_search;
	uint64_t last_refresh;
	size_t next_vmm;		/* index of the VMM at which the next scans begin */
	int64_t scan_budget;		/* CPU time left for scanning VMMs, in ns */
};

static void emit(const struct kvmstats_monitor *monitor, enum kvmstats_event event,
		 const struct kvmstats_vmm *vmm)
{
	if (monitor->options.event)
		monitor->options.event(event, vmm, monitor->options.arg);
}

/* ---- the targets of a VMM ---- */

/* After these errors, other statistics of the VMM cannot be opened either. */
static bool concerns_all(int err)
{
	return err == -EMFILE || err == -ENOMEM || err == -ESRCH;
}

static bool is_selected(const struct kvmstats_monitor *monitor,
			const struct kvmstats_target *target)
{
	const struct kvmstats_monitor_options *options = &monitor->options;

	return !options->selects_target || options->selects_target(target, options->arg);
}

/*
 * Opens each selected target, or opens it again, until an error concerns all. Returns whether one
 * has become readable or unreadable, or has another schema now.
 */
static bool open_targets(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm)
{
	bool changed = false;
	int fatal = 0;
	size_t i;

	vmm->failed = false;
	vmm->selected = 0;
	for (i = 0; i < vmm->targets; i++) {
		struct kvmstats_target *target = vmm->target[i];
		const struct kvmstats_schema *schema = target->schema;

		if (!is_selected(monitor, target)) {
			kvmstats_target_fail(target, -ECANCELED);
			continue;
		}
		if (!fatal || schema)
			kvmstats_target_open(target, &monitor->schemas);
		else
			target->err = fatal;
		changed |= schema != target->schema;
		if (concerns_all(target->err))
			fatal = target->err;
		vmm->failed |= target->err != 0;
		vmm->selected++;
	}
	return changed;
}

/* If this fails, the next read finds the end of the VM. */
static void poll_files(const struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm)
{
	struct epoll_event event = { .data.ptr = vmm };	/* EPOLLHUP is always reported */
	size_t i;

	for (i = 0; i < vmm->files; i++) {
		struct kvmstats_file *file = &vmm->file[i];

		if (!file->is_polled && file->fd >= 0)
			file->is_polled = !epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, file->fd,
						     &event);
	}
}

/*
 * Opens the statistics of the VMM's current targets. Returns whether a target was added or removed,
 * became readable or unreadable, or has another schema now.
 */
static bool attach(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm)
{
	bool changed = vmm->changed;

	vmm->changed = false;
	poll_files(monitor, vmm);
	return open_targets(monitor, vmm) || changed;
}

/* ---- the table of VMMs ---- */

/* The index after the last VMM whose PID is not larger. */
static size_t index_after(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t low = 0, high = monitor->vmms;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (monitor->vmm[middle]->pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct kvmstats_vmm *find_vmm(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t index = index_after(monitor, pid);

	return index && monitor->vmm[index - 1]->pid == pid ? monitor->vmm[index - 1] : NULL;
}

static struct named_process *find_named(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < monitor->options.pids; i++) {
		if (monitor->named[i].pid == pid)
			return &monitor->named[i];
	}
	return NULL;
}

/* Closing the pidfd also removes it from the epoll set of the monitor. */
static void free_vmm(struct kvmstats_vmm *vmm)
{
	kvmstats_vmm_close(vmm);
	free(vmm);
}

/* The VMM was scanned at @now. */
static void schedule(struct kvmstats_vmm *vmm, uint64_t now)
{
	vmm->next_check = now + CHECK_INTERVAL;
	vmm->next_scan = now + SCAN_INTERVAL;
}

static int insert(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = vmm };
	size_t index = index_after(monitor, vmm->pid);
	struct kvmstats_vmm **more = array_grow(monitor->vmm, monitor->vmms, &monitor->capacity,
						sizeof(*more));

	if (!more)
		return -ENOMEM;
	monitor->vmm = more;
	if (vmm->pidfd >= 0 && epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, vmm->pidfd, &event))
		return -errno;
	memmove(&monitor->vmm[index + 1], &monitor->vmm[index],
		(monitor->vmms - index) * sizeof(*monitor->vmm));
	monitor->vmm[index] = vmm;
	monitor->vmms++;
	return 0;
}

/* The caller can only decide about a VMM whose names are final. Others are watched until then. */
static bool selects(const struct kvmstats_monitor *monitor, const struct kvmstats_vmm *vmm)
{
	const struct kvmstats_monitor_options *options = &monitor->options;

	return !options->selects_vmm || vmm->name_error || options->selects_vmm(vmm, options->arg);
}

/* Starts to watch the VMM, unless there is an error, or the caller does not select it. */
static int add_vmm(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm, int err)
{
	bool selected = !err && selects(monitor, vmm);

	if (selected)
		err = insert(monitor, vmm);
	if (err || !selected) {
		free_vmm(vmm);
		return err;
	}
	schedule(vmm, clock_now());
	attach(monitor, vmm);
	emit(monitor, KVMSTATS_EVENT_APPEARED, vmm);
	return 0;
}

/* @err says why the VMM is no longer watched: -ESRCH, -ENODEV, or 0 if it is not selected. */
static void remove_vmm(struct kvmstats_monitor *monitor, size_t index, int err)
{
	struct kvmstats_vmm *vmm = monitor->vmm[index];
	struct named_process *named = find_named(monitor, vmm->pid);

	emit(monitor, KVMSTATS_EVENT_ENDED, vmm);
	monitor->vmms--;
	memmove(&monitor->vmm[index], &monitor->vmm[index + 1],
		(monitor->vmms - index) * sizeof(*monitor->vmm));
	if (named)
		named->err = err;
	kvmstats_processes_forget(&monitor->processes, vmm->pid);
	free_vmm(vmm);
}

/* Reads the names that could not be read before. */
static void rename_vmms(struct kvmstats_monitor *monitor)
{
	size_t i = 0;

	kvmstats_reader_renew(&monitor->reader);
	while (i < monitor->vmms) {
		struct kvmstats_vmm *vmm = monitor->vmm[i];
		bool renamed = kvmstats_vmm_rename(vmm);

		if (renamed && !selects(monitor, vmm)) {
			remove_vmm(monitor, i, 0);
			continue;
		}
		if (renamed)
			emit(monitor, KVMSTATS_EVENT_CHANGED, vmm);
		i++;
	}
}

/* The next scan removes a VMM whose VMs have ended, unless its process ends before. */
static void handle_end(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm)
{
	size_t i;

	for (i = 0; i < monitor->vmms && monitor->vmm[i] != vmm;)
		i++;
	if (i == monitor->vmms)
		return;
	if (!kvmstats_vmm_alive(vmm)) {
		remove_vmm(monitor, i, -ESRCH);
		return;
	}
	kvmstats_vmm_close_ended(vmm);
	vmm->next_scan = 0;
}

static int handle_ends(struct kvmstats_monitor *monitor)
{
	struct epoll_event event[64];
	int n, i;

	do {
		n = epoll_wait(monitor->epoll, event, 64, 0);
		for (i = 0; i < n; i++)
			handle_end(monitor, event[i].data.ptr);
	} while (n == 64);
	return n < 0 ? -errno : 0;
}

/* ---- scans of VMMs ---- */

static bool is_due(struct kvmstats_vmm *vmm, uint64_t now)
{
	if (now < vmm->next_scan && now >= vmm->next_check && !vmm->by_number) {
		vmm->next_check = now + CHECK_INTERVAL;
		return kvmstats_vmm_glance(vmm);
	}
	return now >= vmm->next_scan;
}

/* Returns whether the VMM at @index is still watched. */
static bool scan(struct kvmstats_monitor *monitor, size_t index, uint64_t now)
{
	struct kvmstats_vmm *vmm = monitor->vmm[index];
	uint64_t start = clock_read(CLOCK_THREAD_CPUTIME_ID);
	int err = kvmstats_vmm_refresh(vmm);
	bool ended = err == -ESRCH || err == -ENODEV;

	schedule(vmm, now);
	if (ended)
		remove_vmm(monitor, index, err);
	else
		emit(monitor, attach(monitor, vmm) ? KVMSTATS_EVENT_CHANGED :
						     KVMSTATS_EVENT_SCANNED, vmm);
	/* The targets could not be listed. */
	if (err == -ENOMEM)
		vmm->next_scan = 0;
	monitor->scan_budget -= (int64_t)(clock_read(CLOCK_THREAD_CPUTIME_ID) - start);
	return !ended;
}

/* Scans the VMMs that are due, in turn. */
static void scan_due(struct kvmstats_monitor *monitor, uint64_t now)
{
	size_t *at = &monitor->next_vmm;
	size_t left;

	monitor->scan_budget += (int64_t)((now - monitor->last_refresh) / SCAN_SHARE);
	if (monitor->scan_budget > MAX_SCAN_BUDGET || !monitor->last_refresh)
		monitor->scan_budget = MAX_SCAN_BUDGET;
	monitor->last_refresh = now;
	for (left = monitor->vmms; left && monitor->scan_budget > 0; left--) {
		struct kvmstats_vmm *vmm;

		if (*at >= monitor->vmms)
			*at = 0;
		vmm = monitor->vmm[*at];
		if (!is_due(vmm, now)) {
			++*at;
		} else if (vmm->by_number && vmm->next_scan && !vmm->failed) {
			/* Events and reads report all changes of the files. */
			schedule(vmm, now);
			emit(monitor, KVMSTATS_EVENT_SCANNED, vmm);
			++*at;
		} else {
			*at += scan(monitor, *at, now);
		}
	}
}

/* ---- the search for VMs with KVM_STATS_NEXT: those of all processes, without ptrace ---- */

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

static int watch_by_number(struct kvmstats_monitor *monitor, pid_t pid, int fd)
{
	struct kvmstats_vmm *vmm = calloc(1, sizeof(*vmm));
	int err;

	if (!vmm) {
		close(fd);
		return -ENOMEM;
	}
	err = kvmstats_vmm_open_by_number(vmm, pid, &monitor->schemas, &monitor->reader);
	/* The process has ended, and another one holds the VM. */
	if (err == -ESRCH) {
		kvmstats_vmm_close(vmm);
		err = kvmstats_vmm_open_by_number(vmm, 0, &monitor->schemas,
						  &monitor->reader);
	}
	if (err)
		close(fd);
	else
		err = kvmstats_vmm_add_file(vmm, fd);
	return add_vmm(monitor, vmm, err);
}

/* Owns @fd, also after a failure. */
static int add_vm(struct kvmstats_monitor *monitor, int fd)
{
	pid_t pid = creator_of(fd);
	struct kvmstats_vmm *vmm = pid > 0 ? find_vmm(monitor, pid) : NULL;
	bool is_wanted = pid >= 0 &&
			 (!monitor->options.pids || (pid && find_named(monitor, pid)));
	int err;

	/* A VMM that was found by its fds is also scanned by them. */
	if (!is_wanted || (vmm && !vmm->by_number)) {
		close(fd);
		return 0;
	}
	if (!vmm)
		return watch_by_number(monitor, pid, fd);
	err = kvmstats_vmm_add_file(vmm, fd);
	attach(monitor, vmm);
	emit(monitor, KVMSTATS_EVENT_CHANGED, vmm);
	return err;
}

/* Returns 0 or a resource shortage. Other errors: VMs have to be searched in another way. */
static int search_next(struct kvmstats_monitor *monitor)
{
	int kvm = kvmstats_open_kvm();
	int err = 0;

	if (kvm < 0)
		return kvm;
	/*
	 * The numbers start at 1 again after KVM's module was loaded again, which is only possible
	 * while no file is open.
	 */
	if (!monitor->vmms)
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

/* ---- the search for VMMs ---- */

/*
 * A VM belongs to the process whose address space its vCPUs use. Only this process can run them. If
 * none has run yet, it is the one that started first: others inherit the fds.
 */
static bool owns(pid_t pid, pid_t other)
{
	struct kvmstats_times a = kvmstats_times_of(pid), b = kvmstats_times_of(other);

	if (!a.guest != !b.guest)
		return a.guest;
	return a.start < b.start || (a.start == b.start && pid < other);
}

/*
 * Returns 0 if process @pid holds fds of a VM, and no other process owns this VM. Releases a VMM
 * that is watched, but does not own it.
 */
static int check_owner(struct kvmstats_monitor *monitor, pid_t pid, bool *ran)
{
	size_t i = 0;
	int err = kvmstats_fds_scan(&monitor->fds, pid);

	if (!err && !kvmstats_fds_first(&monitor->fds))
		err = -ENODEV;
	if (!err)
		*ran = kvmstats_times_of(pid).guest;
	while (!err && i < monitor->vmms) {
		const struct kvmstats_vmm *vmm = monitor->vmm[i];

		/* Two processes that run guests have VMs of their own. */
		if ((*ran && vmm->ran) ||
		    !kvmstats_fds_share(&monitor->fds, pid, &vmm->fds, vmm->pid))
			i++;
		else if (owns(pid, vmm->pid))
			remove_vmm(monitor, i, -ENODEV);
		else
			err = -ENODEV;
	}
	return err;
}

/* Returns 0 if the process is watched now, or if the caller does not select it. */
static int try_process(pid_t pid, void *arg)
{
	struct kvmstats_monitor *monitor = arg;
	struct kvmstats_vmm *vmm;
	bool ran = false;
	int err;

	if (find_vmm(monitor, pid))
		return 0;
	err = monitor->options.pids ? 0 : check_owner(monitor, pid, &ran);
	if (err)
		return err;
	vmm = calloc(1, sizeof(*vmm));
	if (!vmm)
		return -ENOMEM;
	err = kvmstats_vmm_open(vmm, pid, &monitor->schemas, &monitor->reader);
	vmm->ran = ran;
	return add_vmm(monitor, vmm, err);
}

/* @complete: all VMs of the machine are known, so processes need not be examined. */
static int try_named_processes(struct kvmstats_monitor *monitor, bool complete)
{
	int err = 0;
	size_t i;

	for (i = 0; i < monitor->options.pids; i++) {
		struct named_process *named = &monitor->named[i];

		if (named->err == -ESRCH)
			continue;
		named->err = try_process(named->pid, monitor);
		if (complete && (named->err == -EACCES || named->err == -EPERM))
			named->err = -ENODEV;
		if (is_resource_shortage(named->err))
			err = named->err;
	}
	return err;
}

static int search(struct kvmstats_monitor *monitor, uint64_t now)
{
	int next = search_next(monitor);
	int err;

	monitor->examines = false;
	if (monitor->options.pids) {
		err = try_named_processes(monitor, !next);
		return is_resource_shortage(next) ? next : err;
	}
	if (!next || is_resource_shortage(next))
		return next;
	monitor->examines = true;
	return kvmstats_processes_scan(&monitor->processes, now, try_process, monitor);
}

/* A failed search does not affect the VMMs that are already watched. */
static void search_due(struct kvmstats_monitor *monitor, uint64_t now)
{
	bool failed_before = monitor->search_error;

	if (now < monitor->next_search)
		return;
	monitor->next_search = now + SEARCH_INTERVAL;
	monitor->search_error = search(monitor, now);
	if (failed_before == !!monitor->search_error)
		return;
	emit(monitor, failed_before ? KVMSTATS_EVENT_SEARCH_WORKS : KVMSTATS_EVENT_SEARCH_FAILED,
	     NULL);
}

/* ---- samples ---- */

int kvmstats_monitor_refresh(struct kvmstats_monitor *monitor)
{
	uint64_t now = clock_now();
	int err = handle_ends(monitor);

	if (err && err != -EINTR)
		return err;
	rename_vmms(monitor);
	scan_due(monitor, now);
	search_due(monitor, now);
	return 0;
}

int kvmstats_monitor_sample(struct kvmstats_monitor *monitor)
{
	int err = kvmstats_monitor_refresh(monitor);
	size_t i, n;

	if (err)
		return err;
	monitor->time = clock_now();
	for (i = 0; i < monitor->vmms; i++) {
		struct kvmstats_vmm *vmm = monitor->vmm[i];
		bool failed;

		for (n = 0; n < vmm->targets; n++)
			kvmstats_target_next(vmm->target[n]);
		failed = vmm->selected && kvmstats_vmm_read_files(vmm);
		for (n = 0; n < vmm->targets; n++)
			failed |= kvmstats_target_sample(vmm->target[n]) != 0;
		if (failed)
			vmm->next_scan = 0;
	}
	return 0;
}

/* Whether the caller selected processes by PID, and all of them have ended. */
static bool has_ended(const struct kvmstats_monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->options.pids; i++) {
		if (monitor->named[i].err != -ESRCH)
			return false;
	}
	return monitor->options.pids;
}

int kvmstats_monitor_wait(struct kvmstats_monitor *monitor, uint64_t deadline)
{
	struct pollfd poll_fd = { .fd = monitor->epoll, .events = POLLIN };

	for (;;) {
		struct timespec timeout = clock_until(deadline);
		int err;

		if (has_ended(monitor))
			return -ESRCH;
		if (!timeout.tv_sec && !timeout.tv_nsec)
			return 0;
		if (ppoll(&poll_fd, 1, &timeout, NULL) < 0)
			return -errno;
		err = handle_ends(monitor);
		if (err)
			return err;
	}
}

/* ---- open and close ---- */

static int start(struct kvmstats_monitor *monitor, const struct kvmstats_monitor_options *options)
{
	int err = kvmstats_reader_start(&monitor->reader);
	size_t i;

	monitor->epoll = err ? -1 : epoll_create1(EPOLL_CLOEXEC);
	if (monitor->epoll < 0)
		return err ? err : -errno;
	if (!options)
		return 0;
	if (options->size != sizeof(*options))
		return -EINVAL;
	monitor->options = *options;
	monitor->named = calloc(options->pids + 1, sizeof(*monitor->named));
	for (i = 0; monitor->named && i < options->pids; i++)
		monitor->named[i].pid = options->pid[i];
	return monitor->named ? 0 : -ENOMEM;
}

int kvmstats_monitor_open(struct kvmstats_monitor **monitor,
			  const struct kvmstats_monitor_options *options)
{
	int err = -ENOMEM;

	*monitor = calloc(1, sizeof(**monitor));
	if (*monitor)
		err = start(*monitor, options);
	if (err) {
		kvmstats_monitor_close(*monitor);
		*monitor = NULL;
	}
	return err;
}

void kvmstats_monitor_close(struct kvmstats_monitor *monitor)
{
	if (!monitor)
		return;
	while (monitor->vmms)
		free_vmm(monitor->vmm[--monitor->vmms]);
	free(monitor->vmm);
	kvmstats_schemas_free(&monitor->schemas);
	kvmstats_processes_free(&monitor->processes);
	kvmstats_reader_stop(&monitor->reader);
	kvmstats_fds_free(&monitor->fds);
	if (monitor->epoll >= 0)
		close(monitor->epoll);
	free(monitor->named);
	free(monitor);
}

/* ---- what the monitor knows ---- */

int kvmstats_monitor_fd(const struct kvmstats_monitor *monitor)
{
	return monitor->epoll;
}

uint64_t kvmstats_monitor_time(const struct kvmstats_monitor *monitor)
{
	return monitor->time;
}

size_t kvmstats_monitor_denied(const struct kvmstats_monitor *monitor)
{
	return monitor->examines ? monitor->processes.denied : 0;
}

pid_t kvmstats_monitor_denied_pid(const struct kvmstats_monitor *monitor, size_t i)
{
	return monitor->examines ? kvmstats_processes_denied(&monitor->processes, i) : 0;
}

int kvmstats_monitor_search_error(const struct kvmstats_monitor *monitor)
{
	return monitor->search_error;
}

int kvmstats_monitor_pid_error(const struct kvmstats_monitor *monitor, pid_t pid)
{
	const struct named_process *named = find_named(monitor, pid);

	return named ? named->err : -EINVAL;
}

size_t kvmstats_monitor_vmms(const struct kvmstats_monitor *monitor)
{
	return monitor->vmms;
}

const struct kvmstats_vmm *kvmstats_monitor_vmm(const struct kvmstats_monitor *monitor, size_t i)
{
	return i < monitor->vmms ? monitor->vmm[i] : NULL;
}
