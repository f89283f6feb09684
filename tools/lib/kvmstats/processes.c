// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * The origin /proc: which processes run guests, from files that all users can read. It has no
 * statistics of KVM.
 *
 * A process runs guests if it has spent time in one, or if one of its threads has a name that VMMs
 * give the threads of vCPUs, or that KVM gives its own. Known VMMs are read in each pass. All
 * processes are examined every five seconds, and their threads only when the number of them has
 * changed.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "internal.h"

#define SCAN_INTERVAL	(5 * SECOND)

/* The name of a thread that KVM itself adds to each process that has VMs, on x86 and Linux 6.x */
#define KVM_THREAD	"kvm-nx-lpage-re"

/* The identity of a process: when it started, in ticks, and its PID, which has at most 22 bits. */
#define PID_BITS	22

struct kvmstats_places kvmstats_places = {
	.file = KVMSTATS_HOST_FILE,
	.socket = KVMSTATS_HOST_SOCKET,
	.proc = "/proc",
};

struct vcpu_thread {
	pid_t tid;
	int id;			/* from its name, -1: not known */
};

struct kvmstats_process {
	pid_t pid;
	uint64_t start_time;
	long threads;		/* when they were examined */
	bool is_vmm;
	struct vcpu_thread *vcpu;
	size_t vcpus;
	size_t capacity;
};

/* ---- files ---- */

static uint64_t tick(void)
{
	return SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

uint64_t kvmstats_round_to_ticks(uint64_t ns)
{
	return ns / tick() * tick();
}

static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : errno == EPERM ? -EACCES : -errno;
	do {
		n = read(fd, text, size - 1);
	} while (n < 0 && errno == EINTR);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (!err)
		text[n] = '\0';
	return err;
}

/* proc(5) numbers the fields: 3 is state, 20 num_threads, 22 starttime, and 43 guest_time. */
static int parse_stat(struct kvmstats_task *task, const char *text)
{
	const char *start = strchr(text, '('), *end = strrchr(text, ')');
	uint64_t start_ticks, guest_ticks;

	if (!start || !end || end < start ||
	    sscanf(end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		   " %ld %*s %" SCNu64 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		   " %*s %*s %*s %*s %*s %*s %" SCNu64, &task->state, &task->threads, &start_ticks,
		   &guest_ticks) != 4)
		return -EPROTO;
	snprintf(task->comm, sizeof(task->comm), "%.*s", (int)(end - start - 1), start + 1);
	task->start_time = start_ticks * tick();
	task->guest_time = guest_ticks * tick();
	return 0;
}

int kvmstats_task_read(struct kvmstats_task *task, pid_t pid, pid_t tid)
{
	char path[128], text[1024];
	int err;

	if (tid)
		snprintf(path, sizeof(path), "%s/%d/task/%d/stat", kvmstats_places.proc, (int)pid,
			 (int)tid);
	else
		snprintf(path, sizeof(path), "%s/%d/stat", kvmstats_places.proc, (int)pid);
	err = read_text(path, text, sizeof(text));
	return err ? err : parse_stat(task, text);
}

int kvmstats_why_missing(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH ? -ESRCH : -EACCES;
}

/* The inode of the initial PID namespace is the same in all kernels. Some have no namespaces. */
#define INIT_PID_NAMESPACE	0xEFFFFFFCu

bool kvmstats_has_other_pids(void)
{
	struct stat namespace;
	char path[64];

	snprintf(path, sizeof(path), "%s/self/ns/pid", kvmstats_places.proc);
	return stat(path, &namespace) ? errno != ENOENT : namespace.st_ino != INIT_PID_NAMESPACE;
}

/*
 * Calls @fn for each number in a directory, until it fails. Returns its error, or that of reading
 * the directory.
 */
static int visit_numbers(const char *path, int (*fn)(pid_t number, void *arg), void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *dirent;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err) {
		errno = 0;
		dirent = readdir(dir);
		if (!dirent)
			break;
		if (isdigit((unsigned char)dirent->d_name[0]))
			err = fn((pid_t)atoi(dirent->d_name), arg);
	}
	if (!err && errno && errno != ENOENT)
		err = -errno;
	closedir(dir);
	return err;
}

/* ---- the threads of a process ---- */

static int add_thread(pid_t tid, void *arg)
{
	struct kvmstats_process *process = arg;
	struct kvmstats_task task;
	struct vcpu_thread *more;
	int id, err = kvmstats_task_read(&task, process->pid, tid);

	/* It can have ended. */
	if (err)
		return is_resource_shortage(err) ? err : 0;
	process->is_vmm |= !strcmp(task.comm, KVM_THREAD);
	id = kvmstats_vcpu_of_name(task.comm);
	if (id < 0 && !task.guest_time)
		return 0;
	more = array_grow(process->vcpu, process->vcpus, &process->capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	process->vcpu = more;
	more[process->vcpus++] = (struct vcpu_thread){ tid, id };
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct vcpu_thread *x = a, *y = b;
	int order = (x->id > y->id) - (x->id < y->id);

	return order ? order : (x->tid > y->tid) - (x->tid < y->tid);
}

/* Numbers the vCPUs by their names, or in the order of threads if a name is missing or repeated. */
static void number_vcpus(struct kvmstats_process *process)
{
	bool named = true;
	size_t i;

	if (process->vcpus)
		qsort(process->vcpu, process->vcpus, sizeof(*process->vcpu), by_id);
	for (i = 0; i < process->vcpus; i++)
		named = named && process->vcpu[i].id >= 0 &&
			(!i || process->vcpu[i].id != process->vcpu[i - 1].id);
	for (i = 0; i < process->vcpus && !named; i++)
		process->vcpu[i].id = (int)i;
}

static int list_threads(struct kvmstats_process *process, long threads)
{
	char path[128];
	int err;

	process->vcpus = 0;
	process->threads = threads;
	snprintf(path, sizeof(path), "%s/%d/task", kvmstats_places.proc, (int)process->pid);
	err = visit_numbers(path, add_thread, process);
	if (is_resource_shortage(err))
		return err;
	number_vcpus(process);
	process->is_vmm |= process->vcpus > 0;
	return 0;
}

/* ---- processes ---- */

/*
 * Examines a process that @task describes. In a scan of all, the threads of a VMM are listed again:
 * they may have run a guest for the first time.
 */
static int examine(struct kvmstats_process *process, const struct kvmstats_task *task, bool all)
{
	process->is_vmm |= task->guest_time > 0;
	if (process->is_vmm ? all || task->threads != process->threads :
			      task->threads > 1 && task->threads != process->threads)
		return list_threads(process, task->threads);
	return 0;
}

struct scan {
	struct kvmstats_processes *from;
	struct kvmstats_process *process;
	size_t count;
	size_t capacity;
};

static int by_pid(const void *a, const void *b)
{
	const struct kvmstats_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Moves what is known of the process, unless another one has the PID now. */
static struct kvmstats_process take_known(struct kvmstats_processes *from, pid_t pid,
					  uint64_t start_time)
{
	struct kvmstats_process key = { .pid = pid, .start_time = start_time };
	struct kvmstats_process *known = from->count ? bsearch(&key, from->process, from->count,
							       sizeof(key), by_pid) : NULL;

	if (!known || known->start_time != start_time)
		return key;
	key = *known;
	known->vcpu = NULL;
	return key;
}

static int scan_process(pid_t pid, void *arg)
{
	struct scan *scan = arg;
	struct kvmstats_process *more;
	struct kvmstats_task task;
	int err = kvmstats_task_read(&task, pid, 0);

	/* It can have ended. */
	if (err || task.state == 'Z')
		return is_resource_shortage(err) ? err : 0;
	more = array_grow(scan->process, scan->count, &scan->capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	scan->process = more;
	more += scan->count++;
	*more = take_known(scan->from, pid, task.start_time);
	return examine(more, &task, true);
}

void kvmstats_processes_free(struct kvmstats_processes *processes)
{
	while (processes->count)
		free(processes->process[--processes->count].vcpu);
	free(processes->process);
	*processes = (struct kvmstats_processes){ 0 };
}

static int scan_all(struct kvmstats_processes *processes)
{
	struct scan scan = { .from = processes };
	struct kvmstats_task init;
	int err = visit_numbers(kvmstats_places.proc, scan_process, &scan);

	kvmstats_processes_free(processes);
	processes->process = scan.process;
	processes->count = scan.count;
	if (err)
		return err;
	if (scan.count)
		qsort(scan.process, scan.count, sizeof(*scan.process), by_pid);
	/* The option hidepid of /proc hides the processes of other users, and so process 1. */
	processes->error = kvmstats_task_read(&init, 1, 0) ? -EACCES : 0;
	processes->next_scan = clock_now() + SCAN_INTERVAL;
	return 0;
}

static int examine_vmms(struct kvmstats_processes *processes)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < processes->count; i++) {
		struct kvmstats_process *process = &processes->process[i];
		struct kvmstats_task task;

		if (!process->is_vmm)
			continue;
		err = kvmstats_task_read(&task, process->pid, 0);
		if (is_resource_shortage(err))
			return err;
		if (err || task.state == 'Z' || task.start_time != process->start_time)
			process->is_vmm = false;
		err = process->is_vmm ? examine(process, &task, false) : 0;
	}
	return err;
}

/* ---- writing a pass ---- */

static int write_process(const struct kvmstats_process *process, struct kvmstats_pass *pass)
{
	uint64_t id = process->start_time / tick() << PID_BITS | (uint64_t)process->pid;
	struct kvm_host_vm *vm = kvmstats_pass_add(pass, KVM_HOST_VM, sizeof(*vm), id);
	uint64_t time = clock_now();
	size_t i;

	if (!vm)
		return -ENOMEM;
	vm->time = time;
	vm->start_time = process->start_time;
	vm->pid = (uint32_t)process->pid;
	vm->vcpus = (uint32_t)process->vcpus;
	for (i = 0; i < process->vcpus; i++) {
		struct kvm_host_vcpu *vcpu = kvmstats_pass_add(pass, KVM_HOST_VCPU, sizeof(*vcpu),
							       id);

		if (!vcpu)
			return -ENOMEM;
		vcpu->time = time;
		vcpu->vcpu_id = (uint32_t)process->vcpu[i].id;
		vcpu->tid = (uint32_t)process->vcpu[i].tid;
	}
	return 0;
}

int kvmstats_processes_write(struct kvmstats_processes *processes, struct kvmstats_pass *pass)
{
	static const struct kvm_host_header header;
	int err = clock_now() >= processes->next_scan ? scan_all(processes) :
							examine_vmms(processes);
	size_t i;

	if (!err)
		err = kvmstats_pass_start(pass, &header, NULL);
	for (i = 0; !err && i < processes->count; i++) {
		if (processes->process[i].is_vmm)
			err = write_process(&processes->process[i], pass);
	}
	return err ? err : kvmstats_pass_finish(pass);
}
