// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoint source: how often each tracepoint of KVM was hit, by the threads of a process or
 * on the whole host. A perf event counts each tracepoint, and another one each exit reason. Those
 * of a thread, or of a CPU, are a group, which one system call reads.
 *
 * Only selected tracepoints have perf events, because counting slows down each hit.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "kvm_stat.h"

#define PATH_SIZE	(PATH_MAX + NAME_MAX + 16)
#define OTHER_FILES	50	/* more than kvm_stat has open in addition to perf events */

/* What a perf event counts. */
struct event {
	uint64_t id;		/* from the file "id" of the tracepoint */
	char *filter;		/* or NULL: all hits */
};

struct group {
	pid_t tid;		/* -1: all threads */
	int cpu;		/* -1: any */
	int *fd;		/* of the selected events; fd[0] is the leader */
};

struct tracepoints {
	struct source source;
	char *dir;
	struct event *event;	/* one for each statistic */
	pid_t pid;
	size_t *chosen;		/* the indices of the selected statistics */
	size_t count;
	struct group *group;
	size_t groups;
	int64_t *ended;		/* of threads that have ended, minus what counts as 0 */
	uint64_t *buf;		/* for read() */
};

/* ---- exit reasons ---- */

/* Made from exit_reasons.list: vmx, svm, arm64, userspace */
#include "exit_reasons.h"

static bool is_x86(const char *machine)
{
	return !strcmp(machine, "x86_64") || (machine[0] == 'i' && !strcmp(machine + 2, "86"));
}

const struct exit_reasons *exit_reasons_for(const char *event, const char *machine, int on_svm)
{
	if (!strcmp(event, "kvm_userspace_exit"))
		return &userspace;
	if (strcmp(event, "kvm_exit"))
		return NULL;
	if (is_x86(machine))
		return on_svm ? &svm : &vmx;
	return !strncmp(machine, "aarch64", strlen("aarch64")) ? &arm64 : NULL;
}

/* Whether the first CPU in /proc/cpuinfo has SVM and not VMX. */
static bool has_svm(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192] = "";

	while (file && fgets(line, sizeof(line), file) && strncmp(line, "flags", strlen("flags")))
		;
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = ' ';
	return strstr(line, " svm ") && !strstr(line, " vmx ");
}

static const struct exit_reasons *exit_reasons_of_host(const char *event)
{
	struct utsname name;

	return uname(&name) ? NULL : exit_reasons_for(event, name.machine, has_svm());
}

/* ---- the tracepoints of this kernel ---- */

/* The field has other names in some kernels. Then exit reasons are not counted. */
static bool has_field(const char *dir, const char *event, const char *field)
{
	char path[PATH_SIZE], line[256], text[64];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/format", dir, event);
	snprintf(text, sizeof(text), " %s;", field);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "\tfield:") && strstr(line, text);
	fclose(file);
	return found;
}

static int read_id(const char *dir, const char *event, uint64_t *id)
{
	char path[PATH_SIZE];
	unsigned long long number;
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/%s/id", dir, event);
	file = fopen(path, "re");
	if (!file)
		return errno;
	err = fscanf(file, "%llu", &number) == 1 ? 0 : EIO;
	fclose(file);
	*id = number;
	return err;
}

/* @filter is allocated; the event owns it. */
static void add_event(struct tracepoints *tracepoints, const char *name, int parent, uint64_t id,
		      char *filter)
{
	struct source *source = &tracepoints->source;

	source_add(source, name, parent);
	tracepoints->event = resize_array(tracepoints->event, source->count,
					  sizeof(*tracepoints->event));
	tracepoints->event[source->count - 1] = (struct event){ .id = id, .filter = filter };
}

static int add_tracepoint(struct tracepoints *tracepoints, const char *event,
			  const struct exit_reasons *reasons)
{
	int parent = (int)tracepoints->source.count;
	uint64_t id = 0;
	size_t i;
	int err = read_id(tracepoints->dir, event, &id);

	if (err)
		return err;
	add_event(tracepoints, event, -1, id, NULL);
	if (!reasons || !has_field(tracepoints->dir, event, reasons->field))
		return 0;
	for (i = 0; i < reasons->reasons; i++) {
		const struct exit_reason *reason = &reasons->reason[i];
		char *name = make_text("%s(%s)", event, reason->name);

		add_event(tracepoints, name, parent, id,
			  make_text("%s==%u", reasons->field, reason->number));
		free(name);
	}
	return 0;
}

static int add_tracepoints(struct tracepoints *tracepoints,
			   const struct exit_reasons *(*reasons_of)(const char *event))
{
	struct dirent **entry;
	int count = scandir(tracepoints->dir, &entry, NULL, alphasort);
	int err = count < 0 ? errno : 0;
	int i;

	for (i = 0; i < count; i++) {
		const char *event = entry[i]->d_name;

		if (!err && *event != '.' && entry[i]->d_type == DT_DIR)
			err = add_tracepoint(tracepoints, event, reasons_of(event));
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	return err || tracepoints->source.count ? err : ENOENT;
}

/* Returns the directory of KVM's tracepoints. debugfs mounts tracefs when it is accessed. */
static char *find_events(void)
{
	char *tracefs = find_mount("tracefs"), *debugfs = tracefs ? NULL : find_mount("debugfs");
	char *dir = make_text("%s%s/events/kvm",
			      tracefs ? tracefs : debugfs ? debugfs : "/sys/kernel",
			      tracefs ? "" : "/tracing");

	free(tracefs);
	free(debugfs);
	return dir;
}

/* ---- perf events ---- */

/* Raises the limit of open files. Only CAP_SYS_RESOURCE allows more than the hard limit. */
static int reserve_files(size_t files)
{
	struct rlimit limit;

	files += OTHER_FILES;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= files)
		return 0;
	limit.rlim_cur = files;
	if (limit.rlim_max < files)
		limit.rlim_max = files;
	return setrlimit(RLIMIT_NOFILE, &limit) ? EMFILE : 0;
}

/* @leader is the first fd of the group, or -1. Returns an fd or -errno. */
static int open_event(const struct group *group, int leader, const struct event *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event->id,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = leader < 0,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, group->tid, group->cpu, leader,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (event->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* Closes the leader last: closing it earlier would turn the others into single events. */
static void close_group(struct group *group, size_t count)
{
	while (count)
		close(group->fd[--count]);
	free(group->fd);
}

/* Returns 0, or errno with all fds closed. */
static int open_group(const struct tracepoints *tracepoints, struct group *group)
{
	int fd = 0;
	size_t i;

	group->fd = resize_array(NULL, tracepoints->count, sizeof(*group->fd));
	for (i = 0; i < tracepoints->count; i++) {
		fd = open_event(group, i ? group->fd[0] : -1,
				&tracepoints->event[tracepoints->chosen[i]]);
		if (fd < 0)
			break;
		group->fd[i] = fd;
	}
	/* Enabling the leader starts the whole group. */
	if (fd >= 0 && ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, 0))
		fd = -errno;
	if (fd >= 0)
		return 0;
	close_group(group, i);
	return -fd;
}

static int add_group(struct tracepoints *tracepoints, pid_t tid, int cpu)
{
	struct group group = { .tid = tid, .cpu = cpu };
	int err = reserve_files((tracepoints->groups + 1) * tracepoints->count);

	if (!err)
		err = open_group(tracepoints, &group);
	/* The thread has ended, or the CPU went offline. */
	if (err == ESRCH || err == ENODEV)
		return 0;
	if (err)
		return err;
	tracepoints->group = resize_array(tracepoints->group, tracepoints->groups + 1,
					  sizeof(group));
	tracepoints->group[tracepoints->groups++] = group;
	return 0;
}

/* Returns 0 or errno. */
static int read_group(const struct tracepoints *tracepoints, const struct group *group)
{
	size_t size = (tracepoints->count + 1) * sizeof(*tracepoints->buf);
	ssize_t n = read(group->fd[0], tracepoints->buf, size);

	if (n < 0)
		return errno;
	return (size_t)n == size && tracepoints->buf[0] == tracepoints->count ? 0 : EIO;
}

/* ---- threads and CPUs ---- */

static bool has_tid(const struct tracepoints *tracepoints, pid_t tid)
{
	size_t i;

	for (i = 0; i < tracepoints->groups; i++) {
		if (tracepoints->group[i].tid == tid)
			return true;
	}
	return false;
}

/* Keeps the counts of threads that have ended, and closes their perf events. */
static void drop_ended_threads(struct tracepoints *tracepoints)
{
	size_t kept = 0, i, j;
	char path[64];

	for (i = 0; i < tracepoints->groups; i++) {
		struct group *group = &tracepoints->group[i];

		snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)tracepoints->pid,
			 (int)group->tid);
		if (!access(path, F_OK)) {
			tracepoints->group[kept++] = *group;
			continue;
		}
		if (!read_group(tracepoints, group)) {
			for (j = 0; j < tracepoints->count; j++)
				tracepoints->ended[j] += (int64_t)tracepoints->buf[j + 1];
		}
		close_group(group, tracepoints->count);
	}
	tracepoints->groups = kept;
}

/* Adds the threads that have started. Returns 0 or errno; a process that has ended is no error. */
static int add_threads(struct tracepoints *tracepoints)
{
	struct dirent *dirent;
	char path[32];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)tracepoints->pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : errno;
	while (!err && (dirent = readdir(dir))) {
		pid_t tid = atoi(dirent->d_name);

		if (tid > 0 && !has_tid(tracepoints, tid))
			err = add_group(tracepoints, tid, -1);
	}
	closedir(dir);
	return err;
}

/* The file has a list like "0-3,6". Returns 0 or errno. */
static int add_cpus(struct tracepoints *tracepoints)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, err = 0;
	char separator = ',';

	if (!file)
		return errno;
	while (!err && separator == ',' && fscanf(file, "%d", &first) == 1) {
		last = first;
		separator = (char)fgetc(file);
		if (separator == '-' && fscanf(file, "%d", &last) == 1)
			separator = (char)fgetc(file);
		for (; !err && first <= last; first++)
			err = add_group(tracepoints, -1, first);
	}
	fclose(file);
	return err;
}

/* ---- the source ---- */

static bool perf_fails(struct source *source, int err)
{
	const char *advice = "";

	if (err == EACCES || err == EPERM)
		advice = " Run kvm_stat as root.";
	else if (err == EMFILE)
		advice = " Select fewer statistics with -f, or raise the limit with 'ulimit -n'.";
	return source_fails(source, "cannot count tracepoints: %s.%s", strerror(err), advice);
}

static void close_groups(struct tracepoints *tracepoints)
{
	while (tracepoints->groups)
		close_group(&tracepoints->group[--tracepoints->groups], tracepoints->count);
}

static void choose_events(struct tracepoints *tracepoints)
{
	const struct source *source = &tracepoints->source;
	size_t i;

	tracepoints->count = 0;
	for (i = 0; i < source->count; i++) {
		if (source->stat[i].selected)
			tracepoints->chosen[tracepoints->count++] = i;
		tracepoints->ended[i] = 0;
	}
}

static bool tracepoints_select(struct source *source, pid_t pid)
{
	struct tracepoints *tracepoints = (struct tracepoints *)source;
	int err;

	close_groups(tracepoints);
	choose_events(tracepoints);
	tracepoints->pid = pid;
	if (!tracepoints->count)
		return true;
	err = pid ? add_threads(tracepoints) : add_cpus(tracepoints);
	if (!err)
		return true;
	close_groups(tracepoints);
	return perf_fails(source, err);
}

static bool tracepoints_read(struct source *source)
{
	struct tracepoints *tracepoints = (struct tracepoints *)source;
	size_t i, j;
	int err = 0;

	if (tracepoints->pid && tracepoints->count) {
		drop_ended_threads(tracepoints);
		err = add_threads(tracepoints);
	}
	for (i = 0; i < tracepoints->count; i++)
		source->stat[tracepoints->chosen[i]].value = tracepoints->ended[i];
	for (i = 0; !err && i < tracepoints->groups; i++) {
		err = read_group(tracepoints, &tracepoints->group[i]);
		for (j = 0; !err && j < tracepoints->count; j++)
			source->stat[tracepoints->chosen[j]].value +=
				(int64_t)tracepoints->buf[j + 1];
	}
	return err ? perf_fails(source, err) : true;
}

static void tracepoints_reset(struct source *source)
{
	struct tracepoints *tracepoints = (struct tracepoints *)source;
	size_t i;

	if (!tracepoints_read(source))
		return;
	for (i = 0; i < tracepoints->count; i++)
		tracepoints->ended[i] -= source->stat[tracepoints->chosen[i]].value;
}

static void tracepoints_close(struct source *source)
{
	struct tracepoints *tracepoints = (struct tracepoints *)source;
	size_t i;

	close_groups(tracepoints);
	for (i = 0; i < source->count; i++)
		free(tracepoints->event[i].filter);
	free(tracepoints->event);
	free(tracepoints->group);
	free(tracepoints->chosen);
	free(tracepoints->ended);
	free(tracepoints->buf);
	free(tracepoints->dir);
	source_free(source);
}

const char *tracepoint_filter(const struct source *source, size_t index)
{
	return ((const struct tracepoints *)source)->event[index].filter;
}

static void list_tracepoints(struct tracepoints *tracepoints,
			     const struct exit_reasons *(*reasons_of)(const char *event))
{
	struct source *source = &tracepoints->source;
	int err = add_tracepoints(tracepoints, reasons_of);

	if (err == ENOENT)
		source_fails(source, "%s does not exist. Load KVM's module, and mount tracefs: "
			     "'mount -t tracefs none /sys/kernel/tracing'.", tracepoints->dir);
	else if (err)
		source_fails(source, "cannot read %s: %s.%s", tracepoints->dir, strerror(err),
			     err == EACCES ? " Run kvm_stat as root." :
			     err == EPERM ? " The kernel is locked down." : "");
}

struct source *tracepoints_open(const char *dir,
				const struct exit_reasons *(*reasons_of)(const char *event))
{
	struct tracepoints *tracepoints = resize_array(NULL, 1, sizeof(*tracepoints));
	size_t count;

	*tracepoints = (struct tracepoints){
		.source.select = tracepoints_select,
		.source.read = tracepoints_read,
		.source.reset = tracepoints_reset,
		.source.close = tracepoints_close,
		.dir = dir ? copy_text(dir) : find_events(),
	};
	list_tracepoints(tracepoints, reasons_of ? reasons_of : exit_reasons_of_host);
	count = tracepoints->source.count + 1;
	tracepoints->chosen = resize_array(NULL, count, sizeof(*tracepoints->chosen));
	tracepoints->ended = resize_array(NULL, count, sizeof(*tracepoints->ended));
	tracepoints->buf = resize_array(NULL, count, sizeof(*tracepoints->buf));
	return &tracepoints->source;
}
