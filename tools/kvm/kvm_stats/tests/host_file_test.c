// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the BPF iterator of the host file on this machine's kernel: processes that hold VMs in
 * unusual ways, values, VMs that end while they are read, and readers that pause.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kvm.h>
#include <linux/userfaultfd.h>

#include "kvmstats.h"
#include "tap.h"
#include "util.h"

#if HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "host_file/loader.h"
#include "switches.h"
#include "tiny_guest.h"

#define VCPUS	2

static struct loader loader;

/* ---- passes ---- */

/* Returns the VM of the process, and stores how many it has. */
static const struct kvmstats_host_vm *vm_of(const struct kvmstats_host *host, pid_t pid,
					    size_t *count)
{
	const struct kvmstats_host_vm *found = NULL;
	size_t i;

	*count = 0;
	for (i = 0; host && i < kvmstats_host_vms(host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, i);

		if (kvmstats_host_vm_pid(vm) == pid) {
			found = vm;
			++*count;
		}
	}
	return found;
}

/* ---- processes that hold a VM ---- */

static int own_vm, own_vcpu[VCPUS];

static void create(void)
{
	int kvm = open("/dev/kvm", O_RDWR), i;

	own_vm = ioctl(kvm, KVM_CREATE_VM, 0);
	for (i = 0; i < VCPUS; i++)
		own_vcpu[i] = ioctl(own_vm, KVM_CREATE_VCPU, i);
	if (own_vm < 0 || own_vcpu[VCPUS - 1] < 0)
		_exit(1);
	close(kvm);
}

static int alive[2];		/* a pipe, which nothing is written to */
static int holder_ready;	/* the pipe of a process that holds a VM */

/* Waits until the test has ended. */
static void wait_for_parent(void)
{
	char c;

	while (read(alive[0], &c, 1) < 0 && errno == EINTR)
		;
	kill(0, SIGKILL);
}

static void *wait_as_holder(void *unused)
{
	write(holder_ready, "", 1);
	wait_for_parent();
	return unused;
}

static void hold_plain(void)
{
}

/* So many that iterators over files would be at one of them most of the time */
static void hold_duplicates(void)
{
	int i;

	for (i = 0; i < 400; i++) {
		dup(own_vm);
		dup(own_vcpu[i % VCPUS]);
	}
}

/* They end with the test: see wait_for_parent(). */
static void hold_in_children(void)
{
	int i;

	for (i = 0; i < 3 && fork(); i++)
		;
}

static void hold_without_vm_fd(void)
{
	close(own_vm);
}

static void hold_without_vcpu_fds(void)
{
	int i;

	for (i = 0; i < VCPUS; i++)
		close(own_vcpu[i]);
}

static void *unshare_files(void *unused)
{
	unshare(CLONE_FILES);
	pause();
	return unused;
}

static void hold_in_unshared_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread, NULL, unshare_files, NULL);
}

static int share_memory(void *unused)
{
	(void)unused;
	unshare(CLONE_FILES);
	pause();
	return 0;
}

/* A process of its own that has the same memory, as between vfork() and execve() */
static void hold_with_shared_memory(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	clone(share_memory, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
}

static void *replace_first_thread(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	return wait_as_holder(NULL);
}

/* The kernel makes another thread, which started later, the owner of the address space. */
static void hold_without_first_thread(void)
{
	static pthread_t first;
	pthread_t thread;

	first = pthread_self();
	usleep(50000);
	pthread_create(&thread, NULL, replace_first_thread, &first);
	pthread_exit(NULL);
}

static const struct {
	const char *name;
	void (*hold)(void);
} holders[] = {
	{ "a process", hold_plain },
	{ "duplicates of fds", hold_duplicates },
	{ "children", hold_in_children },
	{ "vCPUs without a VM fd", hold_without_vm_fd },
	{ "a VM without vCPU fds", hold_without_vcpu_fds },
	{ "threads with files of their own", hold_in_unshared_threads },
	{ "a process whose first thread has ended", hold_without_first_thread },
	{ "a process with the same memory", hold_with_shared_memory },
};

/* Starts a process group that holds a VM, and waits until it does. */
static pid_t start_holder(void (*hold)(void))
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(alive[1]);
		holder_ready = ready[1];
		create();
		hold();
		wait_as_holder(NULL);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		tap_ok(false, "a process with a VM started");
	close(ready[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool has_vcpus(const struct kvmstats_host_vm *vm)
{
	size_t i;

	for (i = 0; i < kvmstats_host_vm_vcpus(vm); i++) {
		if (kvmstats_host_vcpu_id(kvmstats_host_vm_vcpu(vm, i)) != (int)i)
			return false;
	}
	return kvmstats_host_vm_vcpus(vm) == VCPUS;
}

/* Whether the time is that in /proc, which has ticks */
static bool has_start_time(const struct kvmstats_host_vm *vm)
{
	uint64_t tick = SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
	char text[1024], *at;
	int i;

	if (!proc_read(text, sizeof(text), "%d/stat", (int)kvmstats_host_vm_pid(vm)))
		return false;
	at = strrchr(text, ')');
	for (i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	return at && kvmstats_host_vm_start_time(vm) / tick == strtoull(at, NULL, 10);
}

static void test_holders(void)
{
	pid_t pid[ARRAY_SIZE(holders)];
	struct kvmstats_host *host;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(holders); i++)
		pid[i] = start_holder(holders[i].hold);
	host = loader_read(&loader);
	tap_ok(host, "a pass is read");
	for (i = 0; i < ARRAY_SIZE(holders); i++) {
		size_t count;
		const struct kvmstats_host_vm *vm = vm_of(host, pid[i], &count);

		tap_ok(count == 1 && has_vcpus(vm) && !kvmstats_host_vm_is_orphan(vm) &&
		       has_start_time(vm),
		       "%s: one VM and its vCPUs", holders[i].name);
	}
	kvmstats_host_close(host);
	for (i = 0; i < ARRAY_SIZE(holders); i++)
		end_holder(pid[i]);
}

static uint64_t first_load;	/* the time that main() needs: minutes, with sanitizers */

static int try_to_load(void)
{
	static struct loader other;

	if (!loader_open(&other))
		return 0;
	printf("# %s\n", other.error);
	return 1;
}

/*
 * Whether a new process, which has PID @wanted if that is not 0, loads the program in a minute more
 * than ten times the first load. Returns its exit status: 0 if it does, 2 if another process has
 * got the PID.
 */
static int load_in_process(pid_t wanted)
{
	uint64_t end = clock_now() + 10 * first_load + 60000000000;
	pid_t pid, ended;
	int status;
	FILE *last = wanted ? fopen("/proc/sys/kernel/ns_last_pid", "w") : NULL;

	if (last) {
		fprintf(last, "%d", (int)wanted - 1);
		fclose(last);
	}
	pid = fork();
	if (!pid)
		_exit(wanted && getpid() != wanted ? 2 : try_to_load());
	while (!(ended = waitpid(pid, &status, WNOHANG)) && clock_now() < end)
		usleep(10000);
	if (!ended) {
		printf("# PID %d has not loaded the program\n", (int)pid);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A process with the PID of one that created a VM, which another process still holds */
static void test_reused_pid(pid_t creator)
{
	int tries = 0, status;

	if (access("/proc/sys/kernel/ns_last_pid", W_OK))
		return;
	do {
		status = load_in_process(creator);
	} while (status == 2 && tries++ < 1000);
	tap_is(status, 0, "a process with the PID of the creator loads the program");
}

/* Creates a VM, and ends when a child holds it. The PID of the child is the answer. */
static void test_orphan(void)
{
	struct kvmstats_host *host;
	int answer[2];
	size_t count;
	pid_t creator, child = 0;

	if (pipe(answer))
		return;
	creator = fork();
	if (!creator) {
		create();
		child = fork();
		if (!child) {
			setpgid(0, 0);
			close(alive[1]);
			wait_for_parent();
		}
		write(answer[1], &child, sizeof(child));
		_exit(0);
	}
	read(answer[0], &child, sizeof(child));
	waitpid(creator, NULL, 0);
	host = loader_read(&loader);
	const struct kvmstats_host_vm *vm = vm_of(host, creator, &count);

	tap_ok(count == 1 && kvmstats_host_vm_is_orphan(vm) && has_vcpus(vm),
	       "a VM whose creator has ended is shown once, and marked");
	kvmstats_host_close(host);
	test_reused_pid(creator);
	kill(child, SIGKILL);
	close(answer[0]);
	close(answer[1]);
}

/* ---- values ---- */

#define MANY	80

struct own_vm {
	int kvm, vm, vcpus, vcpu[MANY];
};

static void create_many(struct own_vm *own, int vcpus)
{
	own->kvm = open("/dev/kvm", O_RDWR);
	own->vm = ioctl(own->kvm, KVM_CREATE_VM, 0);
	for (own->vcpus = 0; own->vcpus < vcpus; own->vcpus++) {
		own->vcpu[own->vcpus] = ioctl(own->vm, KVM_CREATE_VCPU, own->vcpus);
		if (own->vcpu[own->vcpus] < 0)
			break;
	}
}

static void close_many(struct own_vm *own)
{
	while (own->vcpus)
		close(own->vcpu[--own->vcpus]);
	close(own->vm);
	close(own->kvm);
}

/* Whether @sample is equal to what KVM's own file has. */
static bool equals_file(const struct kvmstats_sample *sample, const struct kvmstats_schema *schema,
			int fd)
{
	struct kvmstats_schema *own_schema;
	struct kvmstats_sample *own;
	bool equal = true;
	size_t i;

	if (kvmstats_schema_read(&own_schema, fd) || kvmstats_sample_new(&own, own_schema) ||
	    kvmstats_sample_read(own, fd))
		return false;
	for (i = 0; i < kvmstats_schema_count(own_schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(own_schema, i);
		const struct kvmstats_stat *other;

		other = kvmstats_schema_find(schema, kvmstats_stat_name(stat));
		equal &= other && kvmstats_stat_flags(other) == kvmstats_stat_flags(stat) &&
			 kvmstats_stat_size(other) == kvmstats_stat_size(stat) &&
			 !memcmp(kvmstats_sample_values(sample, other),
				 kvmstats_sample_values(own, stat),
				 kvmstats_stat_size(stat) * sizeof(uint64_t));
	}
	kvmstats_sample_free(own);
	kvmstats_schema_free(own_schema);
	return equal;
}

/* A vCPU of this process that has run in this thread, without a guest. */
static void run_once(const struct own_vm *own, int i)
{
	int size = ioctl(own->kvm, KVM_GET_VCPU_MMAP_SIZE, 0), vcpu = own->vcpu[i];
	struct kvm_run *run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);

	tiny_set_up_vcpu(own->vm, vcpu, run);
	run->immediate_exit = 1;
	ioctl(vcpu, KVM_RUN, 0);
	munmap(run, size);
}

/* Whether all vCPUs of a VM of this process have the values of their own files. */
static bool equal_vcpus(const struct kvmstats_host *host, const struct kvmstats_host_vm *vm,
			const struct own_vm *own)
{
	bool equal = true;
	int i;

	for (i = 0; i < own->vcpus; i++) {
		int fd = kvmstats_fd_open(own->vcpu[i]);

		equal &= equals_file(kvmstats_host_vcpu_now(kvmstats_host_vm_vcpu(vm, i)),
				     kvmstats_host_schema(host, KVMSTATS_KIND_VCPU), fd);
		close(fd);
	}
	return equal;
}

/* In a process of its own, which has no other VM. Returns its exit status. */
static int check_values(void)
{
	const struct kvmstats_host_vm *vm;
	struct kvmstats_host *host;
	struct own_vm own;
	size_t count;
	int fd, i;

	create_many(&own, MANY);
	for (i = 0; i < own.vcpus; i += 2)
		run_once(&own, i);
	host = loader_read(&loader);
	vm = vm_of(host, getpid(), &count);
	if (count != 1 || kvmstats_host_vm_vcpus(vm) != (size_t)own.vcpus || own.vcpus != MANY)
		return 1;
	for (i = 0; i < own.vcpus; i++) {
		pid_t tid = kvmstats_host_vcpu_tid(kvmstats_host_vm_vcpu(vm, i));

		if (tid != (i % 2 ? 0 : getpid()))
			return 2;
	}
	fd = kvmstats_fd_open(own.vm);
	if (!equals_file(kvmstats_host_vm_now(vm),
			 kvmstats_host_schema(host, KVMSTATS_KIND_VM), fd))
		return 3;
	return equal_vcpus(host, vm, &own) ? 0 : 4;
}

static void test_values(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(check_values());
	waitpid(pid, &status, 0);
	tap_is(WIFEXITED(status) ? WEXITSTATUS(status) : 255, 0,
	       "80 vCPUs have their threads, and the values of KVM's own files");
}

/* ---- the statistics thread_* ---- */

/* Where /proc has them: in a file of the process, so many words behind the first text @before */
static const struct {
	const char *name;
	const char *file;
	const char *before;
	int words;
} thread_files[] = {
	{ "thread_cpu", "stat", ") ", 36 },
	{ "thread_run_delay_ns", "schedstat", "", 1 },
	{ "thread_runtime_ns", "schedstat", "", 0 },
	{ "thread_voluntary_switches", "status", "\nvoluntary_ctxt_switches:\t", 0 },
	{ "thread_involuntary_switches", "status", "nonvoluntary_ctxt_switches:\t", 0 },
	{ "thread_minor_faults", "stat", ") ", 7 },
	{ "thread_major_faults", "stat", ") ", 9 },
};

static uint64_t value_in_proc(pid_t pid, size_t i)
{
	const char *before = thread_files[i].before, *at;
	char text[4096];
	int n;

	if (!proc_read(text, sizeof(text), "%d/%s", (int)pid, thread_files[i].file))
		return 0;
	at = strstr(text, before);
	for (n = 0; at && n < thread_files[i].words; n++)
		at += strcspn(at + strlen(before), " ") + 1;
	return at ? strtoull(at + strlen(before), NULL, 10) : 0;
}

/* Returns the first of them that is not that of the thread, which has stopped, or NULL. */
static const char *wrong_thread_value(pid_t pid)
{
	struct kvmstats_host *host = loader_read(&loader);
	const struct kvmstats_host_vm *vm;
	const char *wrong = NULL;
	size_t count, i;

	vm = vm_of(host, pid, &count);
	if (count != 1)
		wrong = "the VM";
	for (i = 0; !wrong && i < ARRAY_SIZE(thread_files); i++) {
		if (loader_value(kvmstats_host_vcpu_now(kvmstats_host_vm_vcpu(vm, 0)),
				 kvmstats_host_schema(host, KVMSTATS_KIND_VCPU),
				 thread_files[i].name, UINT64_MAX) != value_in_proc(pid, i))
			wrong = thread_files[i].name;
	}
	kvmstats_host_close(host);
	return wrong;
}

static void test_thread(void)
{
	const char *wrong;
	struct own_vm own;
	pid_t pid = fork();
	int tries = 0;

	if (!pid) {
		create_many(&own, 1);
		run_once(&own, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	/* It leaves its CPU after it is reported as stopped. */
	while ((wrong = wrong_thread_value(pid)) && tries++ < 500)
		usleep(10000);
	if (!tap_ok(!wrong, "the statistics of a thread are those of /proc"))
		printf("# another value: %s\n", wrong);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- no address of the kernel ---- */

/* Words of the kernel's half of the address space. Random words, such as IDs, are not checked. */
static bool is_address(uint64_t word)
{
	return word >= 0xff00000000000000ull && word < 0xffffffffffff0000ull;
}

static bool has_address(const uint64_t *words, size_t count, size_t skip)
{
	size_t i;

	for (i = skip; i < count; i++) {
		if (is_address(words[i]))
			return true;
	}
	return false;
}

static void test_addresses(void)
{
	static uint64_t pass[1 << 21];
	size_t used = 0, at = 0;
	struct own_vm own;
	bool found = false;
	ssize_t n;
	int fd;

	create_many(&own, MANY);
	fd = loader_pass(&loader);
	while ((n = read(fd, (char *)pass + used, sizeof(pass) - used)) > 0)
		used += n;
	close(fd);
	while (at < used) {
		const struct kvm_host_record *record = (void *)((char *)pass + at);
		/* The header's boot id and session are random, too. */
		size_t skip = record->type == KVM_HOST_HEADER ?
			      offsetof(struct kvm_host_header, instance) / 8 : 2;

		if (record->size > used - at)
			break;
		found |= has_address((const uint64_t *)record, record->size / 8, skip);
		at += record->size;
	}
	tap_ok(used && at == used && !found, "a pass has no address of the kernel");
	close_many(&own);
}

/* ---- VMs that end while they are read ---- */

/*
 * Pauses after each read, and ends some VMs in the pauses. All others must be in the pass. The
 * last VM that was written is among those that end.
 */
static void test_end_between_reads(void)
{
	static struct own_vm own[40];
	static char pass[1 << 24];
	struct kvmstats_host *host;
	size_t used = 0, count = 0, i, ended = 0;
	int fd, pipes[2], status = -1, tries = 1000;
	ssize_t n;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		create_many(&own[i], 3);
	fd = loader_pass(&loader);
	while ((n = read(fd, pass + used, sizeof(pass) - used)) > 0 ||
	       (n < 0 && errno == EAGAIN && tries--)) {
		used += n > 0 ? n : 0;
		/* New VMs are first in KVM's list, so these are around the reader's position. */
		for (i = 0; i < 15 && ended < 30; i++)
			close_many(&own[ARRAY_SIZE(own) - 1 - ended++]);
	}
	close(fd);
	if (pipe(pipes))
		return;
	pid = fork();
	if (!pid) {
		for (i = 0; i < used; i += n > 0 ? n : 0)
			n = write(pipes[1], pass + i, used - i);
		_exit(0);
	}
	close(pipes[1]);
	if (!kvmstats_host_open_fd(&host, pipes[0])) {
		status = kvmstats_host_read(host);
		vm_of(host, getpid(), &count);
	}
	/* The loader has a VM in this process, too. */
	tap_ok(!status && ended == 30 && count >= 11,
	       "VMs end while a reader pauses: the others are in the pass");
	if (status || count < 11)
		printf("# status %d, %zu VMs ended, %zu are in the pass\n", status, ended, count);
	kvmstats_host_close(host);
	close(pipes[0]);
	waitpid(pid, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(own) - ended; i++)
		close_many(&own[i]);
}

static volatile bool stop;

static void *create_and_end(void *unused)
{
	while (!stop) {
		struct own_vm own;

		create_many(&own, 4);
		run_once(&own, 1);
		close_many(&own);
	}
	return unused;
}

struct reader {
	pthread_t thread;
	unsigned long failed, missing, wrong;
};

static atomic_ulong passes;	/* of all readers */

/* Memory that was freed, or used again, does not look like a vCPU that was hardly used. */
static bool is_plausible(const struct kvmstats_host *host, const struct kvmstats_host_vm *vm)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	size_t i, n;

	for (i = 0; i < kvmstats_host_vm_vcpus(vm); i++) {
		const struct kvmstats_host_vcpu *vcpu = kvmstats_host_vm_vcpu(vm, i);

		if (kvmstats_host_vcpu_id(vcpu) != (int)i)
			return false;
		for (n = 0; n < kvmstats_schema_count(schema); n++) {
			const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, n);

			if (strncmp(kvmstats_stat_name(stat), "thread_", 7) &&
			    *kvmstats_sample_values(kvmstats_host_vcpu_now(vcpu), stat) > 1000)
				return false;
		}
	}
	return true;
}

static bool are_plausible(const struct kvmstats_host *host)
{
	size_t i;

	for (i = 0; i < kvmstats_host_vms(host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, i);
		const struct kvmstats_host_vcpu *first = kvmstats_host_vm_vcpu(vm, 0);

		/* The loader's VM has only a vCPU with another ID. */
		if (kvmstats_host_vm_pid(vm) == getpid() &&
		    !(first && kvmstats_host_vcpu_id(first)) && !is_plausible(host, vm))
			return false;
	}
	return true;
}

/* The holder's VM must be in each pass, with its vCPUs. */
static pid_t stable;

static void *read_passes(void *arg)
{
	struct reader *reader = arg;

	while (!stop) {
		struct kvmstats_host *host = loader_read(&loader);
		const struct kvmstats_host_vm *vm;
		size_t count;

		vm = vm_of(host, stable, &count);
		passes++;
		reader->failed += !host;
		reader->missing += host && (count != 1 || !has_vcpus(vm));
		reader->wrong += host && !are_plausible(host);
		kvmstats_host_close(host);
	}
	return NULL;
}

/* Returns when all readers together have read as many passes as HOST_FILE_PASSES demands. */
static void wait_for_passes(void)
{
	const char *text = getenv("HOST_FILE_PASSES");
	unsigned long wanted = text ? strtoul(text, NULL, 10) : 3000, shown = 0;

	while (passes < wanted) {
		usleep(10000);
		if (passes < shown + 5000)
			continue;
		shown = passes;
		printf("# %lu passes\n", shown);
	}
}

static void test_races(void)
{
	struct reader reader[16] = { 0 }, sum = { 0 };
	pthread_t creator[4];
	size_t i;

	stable = start_holder(hold_plain);
	for (i = 0; i < ARRAY_SIZE(creator); i++)
		pthread_create(&creator[i], NULL, create_and_end, NULL);
	for (i = 0; i < ARRAY_SIZE(reader); i++)
		pthread_create(&reader[i].thread, NULL, read_passes, &reader[i]);
	wait_for_passes();
	stop = true;
	for (i = 0; i < ARRAY_SIZE(creator); i++)
		pthread_join(creator[i], NULL);
	for (i = 0; i < ARRAY_SIZE(reader); i++) {
		pthread_join(reader[i].thread, NULL);
		sum.failed += reader[i].failed;
		sum.missing += reader[i].missing;
		sum.wrong += reader[i].wrong;
	}
	tap_tried(passes, "passes of the host file while VMs come and go");
	tap_ok(!sum.failed, "no pass is torn while VMs come and go");
	tap_ok(!sum.missing, "a VM that stays is in each pass");
	tap_is((long long)sum.wrong, 0, "no value is that of a VM that has ended");
	if (sum.failed || sum.missing)
		printf("# %lu passes failed, %lu lack the VM\n", sum.failed, sum.missing);
	end_holder(stable);
}

/* ---- what a reader holds ---- */

static void test_reader_holds_nothing(void)
{
	pid_t pid = start_holder(hold_plain);
	int fd = loader_pass(&loader), tries;
	size_t count = 1;
	char c;

	tap_ok(read(fd, &c, 1) == 1, "a reader reads one byte");
	end_holder(pid);
	for (tries = 0; count && tries < 100; tries++) {
		struct kvmstats_host *host = loader_read(&loader);

		vm_of(host, pid, &count);
		kvmstats_host_close(host);
		usleep(count ? 10000 : 0);
	}
	tap_ok(!count, "the VM ends within a second while a reader pauses");
	close(fd);
}

/* ---- readers that stall ---- */

/* Readers of the pin, and of the relay, which has at most RELAY_READERS. */
#define READERS		100
#define RELAY_READERS	64
#define BUFFER		65536
/* VMs that end at the same time */
#define VMMS		4

/* In seconds: 1 s more than on this machine while as many threads do something else */
static double limit = 1;

static char work[] = "/tmp/host-file-XXXXXX", pinned[64], listening[64];

/* In a mount namespace of its own, so that nothing else sees the file. */
static bool pin_privately(void)
{
	char bpffs[64];

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !mkdtemp(work))
		return false;
	snprintf(bpffs, sizeof(bpffs), "%s/bpf", work);
	snprintf(pinned, sizeof(pinned), "%s/bpf/host", work);
	snprintf(listening, sizeof(listening), "%s/socket", work);
	return !mkdir(bpffs, 0700) && !mount("bpf", bpffs, "bpf", 0, NULL) &&
	       !bpf_obj_pin(bpf_link__fd(loader.link), pinned);
}

static void unpin(void)
{
	char bpffs[64];

	snprintf(bpffs, sizeof(bpffs), "%s/bpf", work);
	umount2(bpffs, MNT_DETACH);
	rmdir(bpffs);
	rmdir(work);
}

static pid_t start_relay(void)
{
	const char *program = getenv("HOST_FILE_RELAY") ?: RELAY;
	int tries = 1000;
	pid_t pid = fork();

	if (!pid) {
		execl(program, program, "--listen", listening, pinned, NULL);
		_exit(127);
	}
	while (access(listening, F_OK) && tries--)
		usleep(10000);
	return pid;
}

static int open_zero(void)
{
	return open("/dev/zero", O_RDONLY);
}

static int open_pin(void)
{
	return open(pinned, O_RDONLY);
}

static int open_relay(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, listening);
	return connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -1 : fd;
}

enum kind { LOOPING, IDLE, BYTES, PAUSED, NO_MEMORY };

static const char * const kinds[] = {
	[LOOPING] = "always read", [IDLE] = "always read with SCHED_IDLE",
	[BYTES] = "read single bytes", [PAUSED] = "are stopped",
	[NO_MEMORY] = "then wait for memory",
};

/* Readers are threads of one process. */
struct crowd {
	enum kind kind;
	int (*open)(void);
	unsigned int active;		/* as many must have read, or stalled */
	char *memory;			/* of all readers */
	pid_t pid;
	pthread_barrier_t begin;
	struct {			/* shared with this process */
		atomic_uint next, started, stalled, take;
	} *state;
};

static void *read_forever(void *arg)
{
	const struct sched_param none = { 0 };
	struct crowd *crowd = arg;
	char *buffer = crowd->memory + crowd->state->next++ * BUFFER;
	bool started = false;

	pthread_barrier_wait(&crowd->begin);
	if (crowd->kind == IDLE || crowd->kind == NO_MEMORY)
		sched_setscheduler(0, SCHED_IDLE, &none);
	while (true) {
		int fd = crowd->open();
		ssize_t n = 1;

		while (fd >= 0 && n > 0) {
			n = read(fd, buffer, crowd->kind == BYTES ? 1 : BUFFER);
			crowd->state->started += n > 0 && !started;
			started |= n > 0;
		}
		close(fd);
	}
	return NULL;
}

/* From now on, a reader that writes to its memory waits for ever. */
static void take_memory(struct crowd *crowd)
{
	struct uffdio_register range = {
		.range = { (unsigned long)crowd->memory, READERS * BUFFER },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffd_msg fault;

	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range) ||
	    madvise(crowd->memory, READERS * BUFFER, MADV_DONTNEED))
		_exit(1);
	while (read(fd, &fault, sizeof(fault)) == sizeof(fault))
		crowd->state->stalled++;
}

static void run_crowd(struct crowd *crowd)
{
	pthread_attr_t small;
	pthread_t thread;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_barrier_init(&crowd->begin, NULL, READERS + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 17);
	for (i = 0; i < READERS; i++)
		pthread_create(&thread, &small, read_forever, crowd);
	pthread_barrier_wait(&crowd->begin);
	while (!crowd->state->take)
		usleep(100);
	take_memory(crowd);
}

/* Returns false if it does not get there. */
static bool wait_for(const atomic_uint *count, unsigned int wanted)
{
	int tries = 6000;

	while (*count < wanted && tries--)
		usleep(10000);
	return *count >= wanted;
}

static bool start_crowd(struct crowd *crowd)
{
	int status = 0;

	crowd->memory = mmap(NULL, READERS * BUFFER, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	crowd->state = mmap(NULL, sizeof(*crowd->state), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	crowd->pid = fork();
	if (!crowd->pid)
		run_crowd(crowd);
	if (!wait_for(&crowd->state->started, crowd->active))
		return false;
	if (crowd->kind != PAUSED)
		return true;
	kill(crowd->pid, SIGSTOP);
	return waitpid(crowd->pid, &status, WUNTRACED) == crowd->pid && WIFSTOPPED(status);
}

static void end_crowd(struct crowd *crowd)
{
	kill(crowd->pid, SIGKILL);
	waitpid(crowd->pid, NULL, 0);
	munmap(crowd->memory, READERS * BUFFER);
	munmap(crowd->state, sizeof(*crowd->state));
}

static bool has_vms(const pid_t *vmm)
{
	struct kvmstats_host *host = loader_read(&loader);
	size_t found = !host, count;
	int i;

	for (i = 0; i < VMMS; i++) {
		vm_of(host, vmm[i], &count);
		found += count;
	}
	kvmstats_host_close(host);
	return found;
}

/*
 * Kills VMMs, and returns when their VMs have ended. KVM destroys a VM in the last process that
 * closes it, before the end of this process. The VMMs do not have to compete with the readers for
 * CPU time, only for what they hold. If a reader holds a file only for a moment, but then waits for
 * memory in the kernel, the kernel does not close this file meanwhile.
 */
static double seconds_of_end(const pid_t *vmm, struct crowd *crowd)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	uint64_t start = clock_now(), end;
	int i;

	for (i = 0; i < VMMS; i++) {
		sched_setscheduler(vmm[i], SCHED_FIFO, &lowest);
		kill(-vmm[i], SIGKILL);
	}
	for (i = 0; i < VMMS; i++)
		waitpid(vmm[i], NULL, 0);
	end = clock_now();
	crowd->state->take = crowd->kind == NO_MEMORY;
	if (crowd->kind == NO_MEMORY && !wait_for(&crowd->state->stalled, crowd->active))
		puts("# some readers do not wait for memory");
	while (has_vms(vmm) && end - start < (limit + 5) * SECOND)
		end = clock_now();
	return (double)(end - start) / SECOND;
}

static double time_end_of_vms(struct crowd *crowd)
{
	pid_t vmm[VMMS];
	double seconds;
	int i;

	for (i = 0; i < VMMS; i++)
		vmm[i] = start_holder(hold_duplicates);
	seconds = seconds_of_end(vmm, crowd);
	printf("# %.3f s\n", seconds);
	return seconds;
}

/*
 * Readers that wake the relay all the time can make the scheduler late to run the kernel's threads
 * that the end of a process waits for. So there are more tries, except where what a reader of the
 * pin holds would be held only in the first one.
 */
static void test_crowd(enum kind kind, int (*open)(void))
{
	struct crowd crowd = {
		.kind = kind, .open = open,
		.active = open == open_relay ? RELAY_READERS : READERS,
	};
	int tries = kind == NO_MEMORY && open == open_pin ? 1 : 3;
	bool ready = start_crowd(&crowd);
	double seconds = INFINITY;

	while (ready && seconds >= limit && tries--)
		seconds = time_end_of_vms(&crowd);
	tap_ok(seconds < limit, "the end of VMs is not delayed while %d readers of the %s %s",
	       READERS, open == open_relay ? "relay" : "pin", kinds[kind]);
	end_crowd(&crowd);
}

/* A busy machine needs longer to end a process. */
static void set_limit(void)
{
	struct crowd crowd = { .kind = BYTES, .open = open_zero, .active = READERS };
	double seconds = start_crowd(&crowd) ? time_end_of_vms(&crowd) : 0;

	limit = 1 + 3 * seconds;
	printf("# the limit is %.3f s\n", limit);
	end_crowd(&crowd);
}

/* With VMs whose records need more than one read, and more than the buffer of a socket. */
static void test_stalled_readers(void)
{
	static struct own_vm own[3];
	pid_t relay;
	size_t i;

	if (!pin_privately()) {
		tap_ok(false, "the program is pinned: %s", strerror(errno));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(own); i++)
		create_many(&own[i], MANY);
	relay = start_relay();
	set_limit();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		test_crowd(i, open_pin);
		test_crowd(i, open_relay);
	}
	kill(relay, SIGTERM);
	waitpid(relay, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(own); i++)
		close_many(&own[i]);
	unpin();
}

/* ---- how the loader is started ---- */

static void test_blocked_signals(void)
{
	sigset_t all, mask;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	tap_is(load_in_process(0), 0, "a process whose signals are blocked loads the program");
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Processes that have a million files together */
static void hold_million_files(void)
{
	int files = 0, i, processes;
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (files < 100000 && dup(alive[0]) >= 0)
		files++;
	processes = 1100000 / files;
	for (i = 0; i < processes && fork(); i++)
		;
	if (i < processes)
		wait_for_parent();
}

static void test_many_files(void)
{
	pid_t pid = start_holder(hold_million_files);

	tap_is(load_in_process(0), 0, "the program loads if other processes have a million files");
	end_holder(pid);
}

/* The program would show this process with another PID, or other processes with its PID. */
static bool is_refused(void)
{
	static struct loader other;
	struct message why;

	return loader_open(&other) && strstr(other.error, "PID namespace") &&
	       !switches_open(&why) && strstr(why.what, "PID namespace");
}

static void test_pid_namespace(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		unshare(CLONE_NEWPID);
		pid = fork();
		if (!pid)
			_exit(is_refused() ? 7 : 1);
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(pid, &status, 0);
	tap_is(WEXITSTATUS(status), 7, "no program loads in another PID namespace, and says why");
}

int main(void)
{
	/* A test machine stops a program that prints nothing. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("there is no /dev/kvm, or it cannot be opened");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return tap_skip_all("the kernel has no BTF");
	if (geteuid())
		return tap_skip_all("BPF programs need root");
	first_load = clock_now();
	if (loader_open(&loader)) {
		if (strstr(loader.error, "CAP_BPF") || strstr(loader.error, "5.14"))
			return tap_skip_all(loader.error);
		tap_ok(false, "the program loads, and is right: %s", loader.error);
		return tap_end();
	}
	first_load = clock_now() - first_load;
	tap_ok(true, "the program loads, and is right");
	if (pipe2(alive, O_CLOEXEC))
		return 1;
	test_blocked_signals();
	test_pid_namespace();
	test_many_files();
	test_holders();
	test_orphan();
	test_values();
	test_thread();
	test_addresses();
	test_end_between_reads();
	test_reader_holds_nothing();
	test_stalled_readers();
	test_races();
	loader_close(&loader);
	return tap_end();
}

#else

int main(void)
{
	return tap_skip_all("built without libbpf");
}

#endif
