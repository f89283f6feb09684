// SPDX-License-Identifier: GPL-2.0-only
/* Who is watched, from when to when. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "processes.h"
#include "target.h"

#define SECOND		UINT64_C(1000000000)
#define GLANCE_PAUSE	SECOND
#define SCAN_PAUSE	(5 * SECOND)
#define FIND_PAUSE	SECOND
/* Looking at all fds again may take one part in so many of a CPU, and so much at once. */
#define SCAN_SHARE	200
#define MAX_CREDIT	(SECOND / 20)
#define MAX_FILES	1048576	/* what kernels allow, unless told otherwise */

struct monitor_state {
	int epoll;
	struct processes processes;
	uint64_t next_find;
	int64_t credit;			/* ns, for looking at all fds of VMMs that are due */
	uint64_t last_refresh;
	size_t capacity;
	struct vmm *host;		/* among the others, or NULL */
};

static const struct source * const all_sources[] = {
	&source_fd, &source_debugfs, &source_tracepoints,
};

uint64_t monitor_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static void tell(const struct monitor *monitor, enum monitor_event event, const struct vmm *vmm)
{
	if (monitor->options.event)
		monitor->options.event(event, vmm, monitor->options.arg);
}

/* ---- one VMM ---- */

static bool wants(const struct monitor *monitor, enum sources sources)
{
	return monitor->options.sources & sources;
}

static void attach_sources(struct monitor *monitor, struct vmm *vmm)
{
	bool automatic = monitor->options.sources == SOURCES_AUTO;

	vmm->missing = 0;
	vmm->fd_error = vmm->debugfs_error = vmm->tracepoints_error = 0;
	if (vmm->kvm && (automatic || wants(monitor, SOURCES_FD)))
		vmm->fd_error = source_fd.attach(monitor, vmm);
	if (wants(monitor, SOURCES_DEBUGFS) || 
	    (automatic && vmm->fd_error && !vmm->state->list.count))
		vmm->debugfs_error = source_debugfs.attach(monitor, vmm);
	if (wants(monitor, SOURCES_TRACEPOINTS))
		vmm->tracepoints_error = source_tracepoints.attach(monitor, vmm);
}

static bool attach(struct monitor *monitor, struct vmm *vmm)
{
	bool changed;

	targets_begin(vmm);
	attach_sources(monitor, vmm);
	changed = targets_end(vmm);
	if (changed)
		monitor->generation++;
	return changed;
}

static void describe(struct vmm *vmm)
{
	vmm->vms = kvmstats_vmm_vms(vmm->kvm);
	vmm->vcpus = kvmstats_vmm_vcpus(vmm->kvm);
}

static void free_vmm(struct vmm *vmm)
{
	if (vmm->state) {
		targets_drop(vmm);
		free(vmm->state->list.target);
		free(vmm->state->old.target);
	}
	kvmstats_vmm_close(vmm->kvm);
	free(vmm->state);
	free(vmm);
}

static struct vmm *new_vmm(void)
{
	struct vmm *vmm = calloc(1, sizeof(*vmm));

	if (!vmm)
		return NULL;
	vmm->state = calloc(1, sizeof(*vmm->state));
	if (!vmm->state) {
		free(vmm);
		return NULL;
	}
	return vmm;
}

/* ---- the table of VMMs ---- */

/* Where the VMM with this PID is, or belongs. */
static size_t place_of(const struct monitor *monitor, pid_t pid)
{
	size_t low = 0, high = monitor->vmms;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (monitor->vmm[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct vmm *find_vmm(const struct monitor *monitor, pid_t pid)
{
	size_t place = place_of(monitor, pid);

	if (place == monitor->vmms || monitor->vmm[place]->pid != pid)
		return NULL;
	return monitor->vmm[place];
}

static int insert(struct monitor *monitor, struct vmm *vmm)
{
	size_t place = place_of(monitor, vmm->pid);

	if (monitor->vmms == monitor->state->capacity) {
		size_t capacity = monitor->vmms ? monitor->vmms * 2 : 16;
		struct vmm **more = realloc(monitor->vmm, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		monitor->vmm = more;
		monitor->state->capacity = capacity;
	}
	memmove(&monitor->vmm[place + 1], &monitor->vmm[place],
		(monitor->vmms - place) * sizeof(*monitor->vmm));
	monitor->vmm[place] = vmm;
	monitor->vmms++;
	monitor->generation++;
	return 0;
}

static struct named_process *find_named(const struct monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		if (monitor->named[i].pid == pid)
			return &monitor->named[i];
	}
	return NULL;
}

/* Its pidfd leaves the epoll set as it is closed. */
static void remove_vmm(struct monitor *monitor, size_t place, int why)
{
	struct vmm *vmm = monitor->vmm[place];
	struct named_process *named = find_named(monitor, vmm->pid);

	tell(monitor, MONITOR_ENDED, vmm);
	memmove(&monitor->vmm[place], &monitor->vmm[place + 1],
		(monitor->vmms - place - 1) * sizeof(*monitor->vmm));
	monitor->vmms--;
	monitor->generation++;
	if (named) {
		named->err = why;
		named->ended = why == -ESRCH;
	}
	processes_forget(&monitor->state->processes, vmm->pid);
	free_vmm(vmm);
}

static int watch_pidfd(struct monitor *monitor, struct vmm *vmm)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = vmm };
	int pidfd = kvmstats_vmm_pidfd(vmm->kvm);

	return epoll_ctl(monitor->state->epoll, EPOLL_CTL_ADD, pidfd, &event) ? -errno : 0;
}

/* Takes @kvm over, also if it fails. */
static int add_vmm(struct monitor *monitor, struct kvmstats_vmm *kvm)
{
	struct vmm *vmm = new_vmm();
	uint64_t now = monitor_now();
	int err;

	if (!vmm) {
		kvmstats_vmm_close(kvm);
		return -ENOMEM;
	}
	vmm->kvm = kvm;
	vmm->pid = kvmstats_vmm_pid(kvm);
	vmm->comm = kvmstats_vmm_comm(kvm);
	vmm->guest = kvmstats_vmm_guest(kvm);
	vmm->state->next_glance = now + GLANCE_PAUSE;
	vmm->state->next_scan = now + SCAN_PAUSE;
	describe(vmm);
	err = watch_pidfd(monitor, vmm);
	if (!err)
		err = insert(monitor, vmm);
	if (err) {
		free_vmm(vmm);
		return err;
	}
	attach(monitor, vmm);
	tell(monitor, MONITOR_APPEARED, vmm);
	return 0;
}

/* ---- looking for VMMs ---- */

/* 0: it is watched now, or is none to be watched because the filter says so. */
static int try_process(struct monitor *monitor, pid_t pid)
{
	struct kvmstats_vmm *kvm;
	int err;

	if (find_vmm(monitor, pid))
		return 0;
	err = kvmstats_vmm_open(&kvm, pid);
	if (err)
		return err;
	if (!filter_selects_guest(monitor->options.filter, kvmstats_vmm_guest(kvm))) {
		kvmstats_vmm_close(kvm);
		return 0;
	}
	return add_vmm(monitor, kvm);
}

static int look_at(pid_t pid, void *arg)
{
	return try_process(arg, pid);
}

static int try_named(struct monitor *monitor)
{
	int err = 0;
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		struct named_process *named = &monitor->named[i];

		if (named->ended || find_vmm(monitor, named->pid))
			continue;
		named->err = try_process(monitor, named->pid);
		named->ended = named->err == -ESRCH;
		if (is_resource_shortage(named->err))
			err = named->err;
	}
	return err;
}

static int look_for_new(struct monitor *monitor, uint64_t now)
{
	if (monitor->named_count)
		return try_named(monitor);
	return processes_scan(&monitor->state->processes, now, look_at, monitor,
			      &monitor->denied);
}

/* Those that are known are read all the same. */
static void find_new(struct monitor *monitor, uint64_t now)
{
	bool was_blind = monitor->search_error;

	if (now < monitor->state->next_find)
		return;
	monitor->state->next_find = now + FIND_PAUSE;
	monitor->search_error = look_for_new(monitor, now);
	if (was_blind != !!monitor->search_error)
		tell(monitor, was_blind ? MONITOR_SEARCH_WORKS : MONITOR_SEARCH_FAILED, NULL);
}

/* ---- what becomes of the known ones ---- */

static void look_again(struct monitor *monitor, size_t place, uint64_t now)
{
	struct vmm *vmm = monitor->vmm[place];
	int ret = kvmstats_vmm_refresh(vmm->kvm);

	vmm->state->next_glance = now + GLANCE_PAUSE;
	vmm->state->next_scan = now + SCAN_PAUSE;
	if (ret == -ESRCH || ret == -ENODEV) {
		remove_vmm(monitor, place, ret);
		return;
	}
	describe(vmm);
	if (attach(monitor, vmm))
		tell(monitor, MONITOR_CHANGED, vmm);
}

/* A VMM whose numbers of threads and fds change is due at once. */
static void glance_at_all(struct monitor *monitor, uint64_t now)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		struct vmm *vmm = monitor->vmm[i];

		if (!vmm->kvm || now < vmm->state->next_glance || now >= vmm->state->next_scan)
			continue;
		vmm->state->next_glance = now + GLANCE_PAUSE;
		if (kvmstats_vmm_glance(vmm->kvm))
			vmm->state->next_scan = now;
	}
}

/* The one that has been due for the longest time, or SIZE_MAX. */
static size_t next_due(const struct monitor *monitor, uint64_t now)
{
	size_t next = SIZE_MAX;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->kvm && vmm->state->next_scan <= now &&
		    (next == SIZE_MAX ||
		     vmm->state->next_scan < monitor->vmm[next]->state->next_scan))
			next = i;
	}
	return next;
}

static void look_at_due(struct monitor *monitor, uint64_t now)
{
	struct monitor_state *state = monitor->state;
	size_t next;

	state->credit += (int64_t)((now - state->last_refresh) / SCAN_SHARE);
	if (state->credit > (int64_t)MAX_CREDIT || !state->last_refresh)
		state->credit = MAX_CREDIT;
	state->last_refresh = now;
	while (state->credit > 0 && (next = next_due(monitor, now)) != SIZE_MAX) {
		uint64_t start = monitor_now();

		look_again(monitor, next, now);
		state->credit -= (int64_t)(monitor_now() - start);
	}
}

static void drop_ended(struct monitor *monitor, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i] == vmm) {
			remove_vmm(monitor, i, -ESRCH);
			return;
		}
	}
}

/* At most @timeout ms: 0 or -errno. */
static int drop_all_ended(struct monitor *monitor, int timeout)
{
	struct epoll_event event[64];
	int n, i;

	do {
		n = epoll_wait(monitor->state->epoll, event, 64, timeout);
		for (i = 0; i < n; i++)
			drop_ended(monitor, event[i].data.ptr);
		timeout = 0;
	} while (n == 64);
	return n < 0 ? -errno : 0;
}

int monitor_refresh(struct monitor *monitor)
{
	uint64_t now = monitor_now();
	int err = drop_all_ended(monitor, 0);

	if (err && err != -EINTR)
		return err;
	glance_at_all(monitor, now);
	look_at_due(monitor, now);
	find_new(monitor, now);
	return 0;
}

int monitor_sample(struct monitor *monitor)
{
	int err = monitor_refresh(monitor);
	size_t i;

	if (err)
		return err;
	monitor->time_before = monitor->time;
	monitor->time = monitor_now();
	for (i = 0; i < monitor->vmms; i++) {
		if (!targets_read(monitor->vmm[i]))
			continue;
		monitor->generation++;
		monitor->vmm[i]->state->next_scan = 0;
	}
	return 0;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		if (!monitor->named[i].ended)
			return false;
	}
	return monitor->named_count;
}

int monitor_wait(struct monitor *monitor, uint64_t deadline)
{
	struct pollfd poll_fd = { .fd = monitor->state->epoll, .events = POLLIN };

	for (;;) {
		uint64_t now = monitor_now();
		struct timespec left;
		int err;

		if (monitor_has_ended(monitor))
			return -ESRCH;
		if (now >= deadline)
			return 0;
		left = (struct timespec){ (deadline - now) / SECOND, (deadline - now) % SECOND };
		if (ppoll(&poll_fd, 1, &left, NULL) < 0)
			return -errno;
		err = drop_all_ended(monitor, 0);
		if (err)
			return err;
	}
}

int monitor_fd(const struct monitor *monitor)
{
	return monitor->state->epoll;
}

void monitor_select(struct monitor *monitor)
{
	size_t i;

	stat_sets_select(&monitor->sets);
	monitor->selections++;
	monitor->generation++;
	for (i = 0; i < monitor->vmms && wants(monitor, SOURCES_TRACEPOINTS); i++)
		attach(monitor, monitor->vmm[i]);
}

size_t monitor_targets(const struct monitor *monitor)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		count += monitor->vmm[i]->targets;
	return count;
}

/* ---- begin and end ---- */

/* For thousands of vCPUs the usual limit of 1024 is too low. */
static void allow_many_files(void)
{
	struct rlimit limit = { MAX_FILES, MAX_FILES };

	/* Above the hard limit with CAP_SYS_RESOURCE only. */
	if (!setrlimit(RLIMIT_NOFILE, &limit) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_sources(struct monitor *monitor)
{
	size_t i;
	int err;

	for (i = 0; i < sizeof(all_sources) / sizeof(*all_sources); i++) {
		const struct source *source = all_sources[i];

		if (!source->open || !wants(monitor, 1 << i))
			continue;
		err = source->open(monitor);
		if (err)
			return err;
	}
	return 0;
}

/* The machine as a whole, for tracepoints of all guests. */
static int add_host(struct monitor *monitor)
{
	struct vmm *vmm;
	int err;

	if (!wants(monitor, SOURCES_TRACEPOINTS) || filter_names_vmms(monitor->options.filter))
		return 0;
	vmm = new_vmm();
	if (!vmm)
		return -ENOMEM;
	vmm->comm = "host";
	err = insert(monitor, vmm);
	if (err) {
		free_vmm(vmm);
		return err;
	}
	monitor->state->host = vmm;
	attach(monitor, vmm);
	return 0;
}

static int name_processes(struct monitor *monitor, const struct filter *filter)
{
	size_t i;

	if (!filter->pids)
		return 0;
	monitor->named = calloc(filter->pids, sizeof(*monitor->named));
	if (!monitor->named)
		return -ENOMEM;
	for (i = 0; i < filter->pids; i++)
		monitor->named[i].pid = filter->pid[i];
	monitor->named_count = filter->pids;
	return 0;
}

static int start(struct monitor *monitor)
{
	int err;

	monitor->state = calloc(1, sizeof(*monitor->state));
	if (!monitor->state)
		return -ENOMEM;
	monitor->state->epoll = -1;
	stat_sets_init(&monitor->sets, monitor->options.filter);
	monitor->state->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (monitor->state->epoll < 0)
		return -errno;
	allow_many_files();
	err = name_processes(monitor, monitor->options.filter);
	if (!err)
		err = open_sources(monitor);
	if (!err)
		err = add_host(monitor);
	if (!err)
		err = monitor_refresh(monitor);
	return err || monitor->vmms || monitor->named_count ? err : monitor->search_error;
}

int monitor_open(struct monitor **monitorp, const struct monitor_options *options)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	int err;

	*monitorp = NULL;
	if (!monitor)
		return -ENOMEM;
	monitor->options = *options;
	err = start(monitor);
	if (err) {
		monitor_close(monitor);
		return err;
	}
	*monitorp = monitor;
	return 0;
}

static void close_sources(struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < sizeof(all_sources) / sizeof(*all_sources); i++) {
		if (all_sources[i]->close)
			all_sources[i]->close(monitor);
	}
}

void monitor_close(struct monitor *monitor)
{
	size_t i;

	if (!monitor)
		return;
	for (i = 0; i < monitor->vmms; i++)
		free_vmm(monitor->vmm[i]);
	close_sources(monitor);
	stat_sets_free(&monitor->sets);
	if (monitor->state) {
		processes_free(&monitor->state->processes);
		if (monitor->state->epoll >= 0)
			close(monitor->state->epoll);
	}
	free(monitor->state);
	free(monitor->named);
	free(monitor->vmm);
	free(monitor);
}
