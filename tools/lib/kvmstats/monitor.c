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

#define SEARCH_INTERVAL	SECOND
#define CHECK_INTERVAL	SECOND
#define SCAN_INTERVAL	(5 * SECOND)

/* Scans may use 1/SCAN_SHARE of a CPU, and MAX_SCAN_BUDGET in one call. */
#define SCAN_SHARE	200
#define MAX_SCAN_BUDGET	((int64_t)SECOND / 20)

#define INIT_PID_NAMESPACE	0xEFFFFFFCu	/* its inode number is the same in all kernels */

/* Reads the statistics of one VM or vCPU. */
struct kvmstats_reader {
	const struct kvmstats_target *target;
	struct kvmstats_target key;	/* a copy of @target, which each list replaces */
	enum kvmstats_origin origin;
	int fd;				/* -1 if the statistics are in the file of the VM */
	int err;			/* why it cannot be read, or 0 */
	bool ended;			/* another VM can have an fd with the number in @key now */
	const struct kvmstats_schema *schema;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;
};

struct kvmstats_watch {
	struct kvmstats_vmm vmm;
	struct kvmstats_reader **reader;	/* of the selected targets, in their order */
	size_t readers;
	bool failed;			/* a reader could not be opened */
	uint64_t next_check;
	uint64_t next_scan;		/* 0: there is a change that the scan has to handle */
};

/* A process that the caller selected by its PID. */
struct named_process {
	pid_t pid;
	int err;			/* why it is not watched: -errno, or 0 */
};

struct kvmstats_monitor {
	struct kvmstats_monitor_options options;
	struct named_process *named;	/* options.pids entries */
	struct kvmstats_watch **watch;	/* sorted by PID */
	size_t watches;
	size_t capacity;
	struct kvmstats_schemas schemas;
	struct kvmstats_processes processes;
	int epoll;			/* watches the pidfds of all VMMs, and the files of VMs */
	int search_error;
	bool examines;			/* searches the fds of processes */
	uint64_t time;			/* of the last sample */
	uint64_t last_vm;		/* number of the last VM that KVM_STATS_NEXT has returned */
	uint64_t next_search;
	uint64_t last_refresh;
	size_t next_watch;		/* where the next scans begin */
	int64_t scan_budget;		/* CPU time left for scanning VMMs, in ns */
};

static void emit(const struct kvmstats_monitor *monitor, enum kvmstats_event event,
		 const struct kvmstats_watch *watch)
{
	if (monitor->options.event)
		monitor->options.event(event, watch, monitor->options.arg);
}

/* ---- readers ---- */

static void close_fd(struct kvmstats_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

static void free_samples(struct kvmstats_reader *reader)
{
	kvmstats_sample_free(reader->now);
	kvmstats_sample_free(reader->before);
	reader->now = NULL;
	reader->before = NULL;
	reader->schema = NULL;
}

static void fail(struct kvmstats_reader *reader, int err)
{
	close_fd(reader);
	free_samples(reader);
	reader->err = err;
}

static void free_readers(struct kvmstats_reader **reader, size_t readers)
{
	while (readers--) {
		if (reader[readers])
			fail(reader[readers], 0);
		free(reader[readers]);
	}
	free(reader);
}

static int set_schema(struct kvmstats_reader *reader, const struct kvmstats_schema *schema,
		      int (*new_sample)(struct kvmstats_sample **sample,
					const struct kvmstats_schema *schema))
{
	int err;

	free_samples(reader);
	reader->schema = schema;
	err = new_sample(&reader->now, schema);
	return err ? err : new_sample(&reader->before, schema);
}

static const struct kvmstats_file *file_of(const struct kvmstats_target *target)
{
	return target->vmm->files ? &target->vmm->file[target->vm] : NULL;
}

static int open_in_file(struct kvmstats_reader *reader, const struct kvmstats_file *file)
{
	bool is_vm = reader->key.from.kind == KVMSTATS_KIND_VM;
	const struct kvmstats_schema *schema = is_vm ? file->vm : file->vcpu;

	close_fd(reader);
	reader->origin = reader->target->vmm->by_number ? KVMSTATS_ORIGIN_NEXT :
							  KVMSTATS_ORIGIN_OPEN;
	if (file->err || reader->schema == schema)
		return file->err;
	return set_schema(reader, schema, kvmstats_sample_new_for_file);
}

/* Keeps the samples if the file has the same schema as the previous one. */
static int open_fd(struct kvmstats_reader *reader, int fd, struct kvmstats_schemas *schemas)
{
	const struct kvmstats_schema *schema;
	int err;

	close_fd(reader);
	reader->fd = fd;
	reader->origin = reader->key.from.stats ? KVMSTATS_ORIGIN_DUPLICATED :
						  KVMSTATS_ORIGIN_OPENED;
	if (reader->schema && kvmstats_schema_same(reader->schema, fd) == 1)
		return 0;
	err = kvmstats_schemas_find(schemas, fd, false, &schema);
	return err ? err : set_schema(reader, schema, kvmstats_sample_new);
}

/*
 * Opens the statistics, or opens them again: the VMM may have closed its fd, and opened one of
 * another VM with the same number, and the kernel offers no way to detect that. If that fails,
 * an open fd stays.
 */
static void open_reader(struct kvmstats_reader *reader, struct kvmstats_schemas *schemas)
{
	const struct kvmstats_file *file = file_of(reader->target);
	int fd, err;

	if (file) {
		err = open_in_file(reader, file);
	} else {
		fd = kvmstats_dup_and_open(reader->target->vmm->pidfd, &reader->key.from);
		if (fd < 0 && reader->fd >= 0)
			return;
		err = fd < 0 ? fd : open_fd(reader, fd, schemas);
	}
	reader->err = 0;
	if (err)
		fail(reader, err);
}

/* Makes the last sample the previous one. The file of the VM can use the memory of the oldest. */
static void next_sample(struct kvmstats_reader *reader)
{
	struct kvmstats_sample *oldest = reader->before;

	if (reader->err)
		return;
	reader->before = reader->now;
	reader->now = oldest;
	kvmstats_sample_clear(oldest);
}

/* Reads a new sample, or takes it from the file of the VM. */
static int sample_reader(struct kvmstats_reader *reader)
{
	const struct kvmstats_target *target = reader->target;
	ssize_t record = target->from.kind == KVMSTATS_KIND_VM ? -1 : (ssize_t)target->record;
	int err;

	if (reader->err)
		return 0;
	if (reader->fd < 0)
		err = kvmstats_file_sample(file_of(target), record, reader->now);
	else
		err = kvmstats_sample_read(reader->now, reader->fd);
	if (err)
		fail(reader, err);
	return err;
}

/* ---- the readers of a VMM ---- */

static bool is_same(const struct kvmstats_target *a, const struct kvmstats_target *b)
{
	return a->from.kind == b->from.kind && a->from.vcpu == b->from.vcpu &&
	       a->number == b->number && a->from.fd == b->from.fd;
}

/*
 * Takes the reader of @target out of @old, or makes one. The order of targets rarely changes, so
 * the first comparison, at *@cursor, usually hits.
 */
static struct kvmstats_reader *take_or_make(struct kvmstats_reader **old, size_t count,
					    size_t *cursor, const struct kvmstats_target *target)
{
	struct kvmstats_reader *reader = NULL;
	size_t i;

	for (i = 0; i < count && !reader; i++) {
		size_t at = (*cursor + i) % count;

		if (!old[at] || old[at]->ended || !is_same(&old[at]->key, target))
			continue;
		reader = old[at];
		old[at] = NULL;
		*cursor = at + 1;
	}
	if (!reader) {
		reader = calloc(1, sizeof(*reader));
		if (!reader)
			return NULL;
		reader->fd = -1;
	}
	reader->target = target;
	reader->key = *target;
	return reader;
}

/* Makes the list of readers again. Readers of targets that are gone remain in @old. */
static int list_readers(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch,
			struct kvmstats_reader **old, size_t count)
{
	const struct kvmstats_monitor_options *options = &monitor->options;
	size_t cursor = 0;
	size_t i;

	watch->readers = 0;
	watch->reader = calloc(watch->vmm.targets + 1, sizeof(struct kvmstats_reader *));
	for (i = 0; watch->reader && i < watch->vmm.targets; i++) {
		const struct kvmstats_target *target = &watch->vmm.target[i];
		struct kvmstats_reader *reader;

		if (options->selects_target && !options->selects_target(target, options->arg))
			continue;
		reader = take_or_make(old, count, &cursor, target);
		if (!reader)
			return -ENOMEM;
		watch->reader[watch->readers++] = reader;
	}
	return watch->reader ? 0 : -ENOMEM;
}

/* After these errors, other statistics of the VMM cannot be opened either. */
static bool concerns_all(int err)
{
	return err == -EMFILE || err == -ENOMEM || err == -ESRCH;
}

/* Opens each reader, until an error concerns all. Returns whether one has changed its state. */
static bool open_readers(struct kvmstats_watch *watch, struct kvmstats_schemas *schemas)
{
	bool changed = false;
	int fatal = 0;
	size_t i;

	watch->failed = false;
	for (i = 0; i < watch->readers; i++) {
		struct kvmstats_reader *reader = watch->reader[i];
		const struct kvmstats_schema *schema = reader->schema;

		if (!fatal || schema)
			open_reader(reader, schemas);
		else
			reader->err = fatal;
		changed |= schema != reader->schema;
		if (concerns_all(reader->err))
			fatal = reader->err;
		watch->failed |= reader->err != 0;
	}
	return changed;
}

/* If this fails, the next read finds the end of the VM. */
static void poll_files(const struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	struct epoll_event event = { .data.ptr = watch };	/* EPOLLHUP is always reported */
	size_t i;

	for (i = 0; i < watch->vmm.files; i++) {
		struct kvmstats_file *file = &watch->vmm.file[i];

		if (!file->is_polled && file->fd >= 0)
			file->is_polled = !epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, file->fd,
						     &event);
	}
}

/*
 * Opens the statistics of the VMM's current targets, and closes those of targets that are gone.
 * Returns whether a reader was added or removed, became readable or unreadable, or has another
 * schema now.
 */
static bool attach(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	struct kvmstats_reader **old = watch->reader;
	size_t before = watch->readers;
	bool changed;
	size_t i;

	poll_files(monitor, watch);
	if (list_readers(monitor, watch, old, before))
		watch->next_scan = 0;
	changed = watch->readers != before;
	for (i = 0; i < before; i++)
		changed |= !!old[i];
	free_readers(old, before);
	return open_readers(watch, &monitor->schemas) || changed;
}

/* ---- the table of VMMs ---- */

/* The index after the last VMM whose PID is not larger. */
static size_t index_after(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t low = 0, high = monitor->watches;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (monitor->watch[middle]->vmm.pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct kvmstats_watch *find_watch(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t index = index_after(monitor, pid);

	return index && monitor->watch[index - 1]->vmm.pid == pid ? monitor->watch[index - 1] :
								    NULL;
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

static void free_watch(struct kvmstats_watch *watch)
{
	free_readers(watch->reader, watch->readers);
	/* Closing the pidfd also removes it from the epoll set of the monitor. */
	kvmstats_vmm_close(&watch->vmm);
	free(watch);
}

/* The VMM was scanned at @now. */
static void schedule(struct kvmstats_watch *watch, uint64_t now)
{
	watch->next_check = now + CHECK_INTERVAL;
	watch->next_scan = now + SCAN_INTERVAL;
}

static int insert(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = watch };
	size_t index = index_after(monitor, watch->vmm.pid);

	if (monitor->watches == monitor->capacity) {
		size_t capacity = monitor->capacity ? monitor->capacity * 2 : 16;
		struct kvmstats_watch **more = realloc(monitor->watch, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		monitor->watch = more;
		monitor->capacity = capacity;
	}
	if (watch->vmm.pidfd >= 0 &&
	    epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, watch->vmm.pidfd, &event))
		return -errno;
	memmove(&monitor->watch[index + 1], &monitor->watch[index],
		(monitor->watches - index) * sizeof(*monitor->watch));
	monitor->watch[index] = watch;
	monitor->watches++;
	return 0;
}

/* Starts to watch the VMM, unless there is an error, or the caller does not select it. */
static int add_watch(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch, int err)
{
	const struct kvmstats_monitor_options *options = &monitor->options;
	bool selected = !err && (!options->selects_vmm ||
				 options->selects_vmm(&watch->vmm, options->arg));

	if (selected)
		err = insert(monitor, watch);
	if (err || !selected) {
		free_watch(watch);
		return err;
	}
	schedule(watch, clock_now());
	attach(monitor, watch);
	emit(monitor, KVMSTATS_EVENT_APPEARED, watch);
	return 0;
}

/* @err says why the VMM is no longer watched: -ESRCH or -ENODEV. */
static void remove_watch(struct kvmstats_monitor *monitor, size_t index, int err)
{
	struct kvmstats_watch *watch = monitor->watch[index];
	struct named_process *named = find_named(monitor, watch->vmm.pid);

	emit(monitor, KVMSTATS_EVENT_ENDED, watch);
	monitor->watches--;
	memmove(&monitor->watch[index], &monitor->watch[index + 1],
		(monitor->watches - index) * sizeof(*monitor->watch));
	if (named)
		named->err = err;
	kvmstats_processes_forget(&monitor->processes, watch->vmm.pid);
	free_watch(watch);
}

/* The next scan removes a VMM whose VMs have ended, unless its process ends before. */
static void handle_end(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	size_t i;

	for (i = 0; i < monitor->watches && monitor->watch[i] != watch;)
		i++;
	if (i == monitor->watches)
		return;
	if (!kvmstats_vmm_alive(&watch->vmm)) {
		remove_watch(monitor, i, -ESRCH);
		return;
	}
	kvmstats_vmm_close_ended(&watch->vmm);
	watch->next_scan = 0;
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

static bool is_due(struct kvmstats_watch *watch, uint64_t now)
{
	if (now < watch->next_scan && now >= watch->next_check && !watch->vmm.by_number) {
		watch->next_check = now + CHECK_INTERVAL;
		return kvmstats_vmm_glance(&watch->vmm);
	}
	return now >= watch->next_scan;
}

static void mark_ended(struct kvmstats_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->readers; i++) {
		const struct kvmstats_file *file = file_of(watch->reader[i]->target);

		watch->reader[i]->ended = file && file->err == -ENODEV;
	}
}

/* Returns whether the VMM at @index is still watched. */
static bool scan(struct kvmstats_monitor *monitor, size_t index, uint64_t now)
{
	struct kvmstats_watch *watch = monitor->watch[index];
	uint64_t start = clock_read(CLOCK_THREAD_CPUTIME_ID);
	int ret;

	mark_ended(watch);
	ret = kvmstats_vmm_refresh(&watch->vmm);
	schedule(watch, now);
	if (ret == -ESRCH || ret == -ENODEV)
		remove_watch(monitor, index, ret);
	else
		emit(monitor, attach(monitor, watch) ? KVMSTATS_EVENT_CHANGED :
						       KVMSTATS_EVENT_SCANNED, watch);
	monitor->scan_budget -= (int64_t)(clock_read(CLOCK_THREAD_CPUTIME_ID) - start);
	return ret != -ESRCH && ret != -ENODEV;
}

/* Scans the VMMs that are due, in turn. */
static void scan_due(struct kvmstats_monitor *monitor, uint64_t now)
{
	size_t *at = &monitor->next_watch;
	size_t left;

	monitor->scan_budget += (int64_t)((now - monitor->last_refresh) / SCAN_SHARE);
	if (monitor->scan_budget > MAX_SCAN_BUDGET || !monitor->last_refresh)
		monitor->scan_budget = MAX_SCAN_BUDGET;
	monitor->last_refresh = now;
	for (left = monitor->watches; left && monitor->scan_budget > 0; left--) {
		struct kvmstats_watch *watch;

		if (*at >= monitor->watches)
			*at = 0;
		watch = monitor->watch[*at];
		if (!is_due(watch, now)) {
			++*at;
		} else if (watch->vmm.by_number && watch->next_scan && !watch->failed) {
			/* Events and reads report all changes of the files. */
			schedule(watch, now);
			emit(monitor, KVMSTATS_EVENT_SCANNED, watch);
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
	struct kvmstats_watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch) {
		close(fd);
		return -ENOMEM;
	}
	err = kvmstats_vmm_open_by_number(&watch->vmm, pid, &monitor->schemas);
	/* The process has ended, and another one holds the VM. */
	if (err == -ESRCH) {
		kvmstats_vmm_close(&watch->vmm);
		err = kvmstats_vmm_open_by_number(&watch->vmm, 0, &monitor->schemas);
	}
	if (err)
		close(fd);
	else
		err = kvmstats_vmm_add_file(&watch->vmm, fd);
	return add_watch(monitor, watch, err);
}

/* Owns @fd, also after a failure. */
static int add_vm(struct kvmstats_monitor *monitor, int fd)
{
	pid_t pid = creator_of(fd);
	struct kvmstats_watch *watch = pid > 0 ? find_watch(monitor, pid) : NULL;
	bool is_wanted = pid >= 0 &&
			 (!monitor->options.pids || (pid && find_named(monitor, pid)));
	int err;

	/* A VMM that was found by its fds is also scanned by them. */
	if (!is_wanted || (watch && !watch->vmm.by_number)) {
		close(fd);
		return 0;
	}
	if (!watch)
		return watch_by_number(monitor, pid, fd);
	err = kvmstats_vmm_add_file(&watch->vmm, fd);
	attach(monitor, watch);
	emit(monitor, KVMSTATS_EVENT_CHANGED, watch);
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

/* ---- the search for VMMs ---- */

/* Returns 0 if the process is watched now, or if the caller does not select it. */
static int try_process(pid_t pid, void *arg)
{
	struct kvmstats_monitor *monitor = arg;
	struct kvmstats_watch *watch;

	if (find_watch(monitor, pid))
		return 0;
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -ENOMEM;
	return add_watch(monitor, watch, kvmstats_vmm_open(&watch->vmm, pid, &monitor->schemas));
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
	for (i = 0; i < monitor->watches; i++) {
		struct kvmstats_watch *watch = monitor->watch[i];
		bool failed;

		for (n = 0; n < watch->readers; n++)
			next_sample(watch->reader[n]);
		failed = watch->readers && kvmstats_vmm_read_files(&watch->vmm);
		for (n = 0; n < watch->readers; n++)
			failed |= sample_reader(watch->reader[n]) != 0;
		if (failed)
			watch->next_scan = 0;
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
		uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;
		struct timespec timeout = { (time_t)(left / SECOND), (long)(left % SECOND) };
		int err;

		if (has_ended(monitor))
			return -ESRCH;
		if (!left)
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
	size_t i;

	monitor->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (monitor->epoll < 0)
		return -errno;
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
	while (monitor->watches)
		free_watch(monitor->watch[--monitor->watches]);
	free(monitor->watch);
	kvmstats_schemas_free(&monitor->schemas);
	kvmstats_processes_free(&monitor->processes);
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

size_t kvmstats_monitor_watches(const struct kvmstats_monitor *monitor)
{
	return monitor->watches;
}

const struct kvmstats_watch *kvmstats_monitor_watch(const struct kvmstats_monitor *monitor,
						    size_t i)
{
	return i < monitor->watches ? monitor->watch[i] : NULL;
}

const struct kvmstats_vmm *kvmstats_watch_vmm(const struct kvmstats_watch *watch)
{
	return &watch->vmm;
}

size_t kvmstats_watch_readers(const struct kvmstats_watch *watch)
{
	return watch->readers;
}

const struct kvmstats_reader *kvmstats_watch_reader(const struct kvmstats_watch *watch, size_t i)
{
	return i < watch->readers ? watch->reader[i] : NULL;
}

const struct kvmstats_target *kvmstats_reader_target(const struct kvmstats_reader *reader)
{
	return reader->target;
}

int kvmstats_reader_error(const struct kvmstats_reader *reader)
{
	return reader->err;
}

enum kvmstats_origin kvmstats_reader_origin(const struct kvmstats_reader *reader)
{
	return reader->origin;
}

const struct kvmstats_schema *kvmstats_reader_schema(const struct kvmstats_reader *reader)
{
	return reader->schema;
}

const struct kvmstats_sample *kvmstats_reader_now(const struct kvmstats_reader *reader)
{
	return reader->now;
}

const struct kvmstats_sample *kvmstats_reader_before(const struct kvmstats_reader *reader)
{
	return reader->before;
}
