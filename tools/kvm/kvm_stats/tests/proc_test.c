// SPDX-License-Identifier: GPL-2.0-only
/* Test the values of /proc and of cgroups, in a directory of sample files. */
#include <math.h>

#include "cgroup.h"
#include "guest_files.h"
#include "proc.h"
#include "tap.h"
#include "util.h"

static struct guest_files files;

#define write_file(text, ...)	guest_files_write(&files, 0600, text, __VA_ARGS__)

static int threads_of_process = 3;

static void write_task(const char *path, const char *name, char state, int user, int kernel,
		       int guest)
{
	guest_files_task(&files, path, &(struct guest_task){
		.name = name, .state = state, .user = user, .kernel = kernel,
		.threads = threads_of_process, .guest = guest });
}

static void write_stat(const char *path, const char *name, int user, int kernel, int guest)
{
	write_task(path, name, 'S', user, kernel, guest);
}

/* vCPUs without a TID and without statistics */
static const struct process_vcpu unknown_vcpus[] = { { .id = 0 }, { .id = 1 }, { .id = 2 } };

/* A pass over one process */
static bool update(struct process *process, uint64_t time, const struct process_vcpu *vcpu,
		   size_t vcpus)
{
	struct processes processes = { 0 };

	processes_begin(&processes, time, NULL, false);
	return process_update(process, &processes, vcpu, vcpus);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 0.01;
}

static void test_task(void)
{
	struct task task;

	write_stat("7/stat", "a (b) c", 250, 50, 200);
	tap_ok(task_read(&task, 7, 0), "a process is read");
	tap_ok(!strcmp(task.name, "a (b) c"), "a name can contain parentheses and spaces");
	tap_is(task.user, 250 * SECOND / (uint64_t)sysconf(_SC_CLK_TCK), "the user time is read");
	tap_is(task.kernel, 50 * SECOND / (uint64_t)sysconf(_SC_CLK_TCK),
	       "the kernel time is read");
	tap_is(task.guest, 200 * SECOND / (uint64_t)sysconf(_SC_CLK_TCK), "the guest time is read");
	tap_is(task.memory, 50 * (uint64_t)sysconf(_SC_PAGESIZE), "the memory is read");
	tap_is(task.major_faults, 12, "major faults are read");
	tap_ok(!task_is_stopped(&task), "a process that sleeps is not stopped");
	tap_ok(!task_read(&task, 8, 0), "a process that does not exist is reported");
	write_file("8 (truncated) S 1", "8/stat");
	tap_ok(!task_read(&task, 8, 0), "a file that is too short is reported");
	write_file("no parentheses", "8/stat");
	tap_ok(!task_read(&task, 8, 0), "a file without a name is reported");
}

static void write_threads(const char *first, const char *second, int guest)
{
	write_stat("7/stat", "vmm", 2 * guest + 50, 10, 2 * guest);
	write_stat("7/task/7/stat", "vmm", 50, 0, 0);
	write_stat("7/task/9/stat", first, guest, 5, guest);
	write_stat("7/task/8/stat", second, guest, 5, guest);
}

/* Returns the TID of a vCPU without a known one, or 0. */
static pid_t tid_of(const struct process *process, int vcpu)
{
	const struct thread *thread = process_vcpu(process, 0, vcpu);

	return thread ? thread->tid : 0;
}

static void test_named_threads(void)
{
	struct process process = { .pid = 7 };

	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	write_file("100 1000000000 5", "7/task/9/schedstat");
	tap_ok(update(&process, 10 * SECOND, unknown_vcpus, 2) && process.threads == 3,
	       "the threads are listed");
	tap_ok(process_use(&process).guest < 0, "the use is unknown after the first update");
	write_threads("CPU 0/KVM", "CPU 1/KVM", (int)sysconf(_SC_CLK_TCK));
	write_file("1000000100 1500000000 5", "7/task/9/schedstat");
	update(&process, 12 * SECOND, unknown_vcpus, 2);
	tap_is(tid_of(&process, 0), 9, "the thread of a vCPU is found by its name");
	tap_ok(!tid_of(&process, 2), "a vCPU without a thread is reported");
	tap_ok(near(thread_use(&process, process_vcpu(&process, 0, 0)).guest, 50),
	       "the guest time of a thread is a percentage");
	tap_ok(near(thread_use(&process, process_vcpu(&process, 0, 0)).user, 0),
	       "the user time does not include the guest time");
	tap_ok(near(thread_use(&process, process_vcpu(&process, 0, 0)).waiting, 25),
	       "the time that a thread waits for a CPU is a percentage");
	tap_ok(thread_use(&process, process_vcpu(&process, 0, 1)).waiting < 0,
	       "without schedstat the waiting time is unknown");
	tap_ok(near(process_use(&process).guest, 100),
	       "the use of a process is the sum over its threads");
	process_free(&process);
}

static void test_unnamed_threads(void)
{
	struct process process = { .pid = 7 };

	write_threads("vmm", "vmm", 100);
	update(&process, SECOND, unknown_vcpus, 2);
	tap_is(tid_of(&process, 0), 8, "without names the oldest vCPU thread is vCPU 0");
	tap_is(tid_of(&process, 1), 9, "the next one is vCPU 1");
	update(&process, 2 * SECOND, unknown_vcpus, 3);
	tap_ok(!tid_of(&process, 0),
	       "without names, no thread is assigned if their number differs");
	if (unlink("7/task/8/stat"))
		tap_ok(false, "a thread can end");
	update(&process, 3 * SECOND, unknown_vcpus, 2);
	tap_is(process.threads, 2, "a thread that has ended is removed");
	process_free(&process);
}

/* A VMM without a thread for the vCPU, which starts late */
static void test_main_thread(void)
{
	struct process process = { .pid = 7 };
	uint64_t i;

	write_file("1000 2000 3", "7/task/7/schedstat");
	for (i = 1; i < 5; i++) {
		write_threads("IO a", "IO b", 0);
		update(&process, i * SECOND, unknown_vcpus, 1);
	}
	write_stat("7/task/7/stat", "vmm", 50, 0, 20);
	update(&process, i * SECOND, unknown_vcpus, 1);
	tap_is(tid_of(&process, 0), 7, "the main thread can run the vCPU");
	unlink("7/task/7/schedstat");
	process_free(&process);
}

/* The vCPU IDs of a guest with 3 cores in each socket have a gap. */
static void test_gaps(void)
{
	static const struct process_vcpu gaps[] = { { .id = 0 }, { .id = 4 } };
	struct process process = { .pid = 7 };

	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	update(&process, SECOND, gaps, 2);
	tap_is(tid_of(&process, 4), 8,
	       "the numbers in names are indexes, not vCPU IDs");
	tap_ok(!tid_of(&process, 1), "no thread has a vCPU ID that does not exist");
	process_free(&process);
}

/* ---- vCPUs of which the caller knows the thread ---- */

enum { KNOWN, STATE, RUN_DELAY, RUNTIME, USER, SYSTEM, GUEST, FAULTS, BLOCKING, VALUES };

static struct kvmstats_schema *make_schema(void)
{
	static const char * const names[] = {
		"thread_known", "thread_state", "thread_run_delay_ns", "thread_runtime_ns",
		"thread_user_ns", "thread_system_ns", "thread_guest_ns", "thread_major_faults",
		"blocking",
	};
	struct kvmstats_desc desc[VALUES] = { 0 };
	struct kvmstats_schema *schema;
	size_t i;

	for (i = 0; i < VALUES; i++)
		desc[i] = (struct kvmstats_desc){ .name = names[i], .size = 1 };
	if (kvmstats_schema_make(&schema, desc, VALUES, sizeof(*desc)))
		abort();
	return schema;
}

/* A guest of two vCPUs with the threads 8 and 9 in a host file */
struct vcpus {
	struct kvmstats_schema *schema;
	struct kvmstats_sample *sample[2];
	struct process_vcpu vcpu[2];
	uint64_t value[2][VALUES];
	struct processes processes;
	struct process process;
	uint64_t time;
};

static void make_vcpus(struct vcpus *vcpus)
{
	int i;

	*vcpus = (struct vcpus){ .schema = make_schema(), .process.pid = 7 };
	for (i = 0; i < 2; i++) {
		if (kvmstats_sample_new(&vcpus->sample[i], vcpus->schema))
			abort();
		vcpus->vcpu[i] = (struct process_vcpu){
			.id = i, .tid = 8 + i, .sample = vcpus->sample[i],
		};
		vcpus->value[i][KNOWN] = 1;
		vcpus->value[i][STATE] = 1;
		vcpus->value[i][BLOCKING] = 1;
	}
}

static void free_vcpus(struct vcpus *vcpus)
{
	kvmstats_sample_free(vcpus->sample[0]);
	kvmstats_sample_free(vcpus->sample[1]);
	kvmstats_schema_free(vcpus->schema);
	process_free(&vcpus->process);
	processes_free(&vcpus->processes);
}

/* A pass one second after the last one */
static enum process_state pass(struct vcpus *vcpus, bool all_threads)
{
	int i;

	vcpus->time += SECOND;
	for (i = 0; i < 2; i++) {
		if (kvmstats_sample_set(vcpus->sample[i], vcpus->value[i], VALUES, vcpus->time))
			abort();
	}
	processes_begin(&vcpus->processes, vcpus->time, vcpus->schema, all_threads);
	if (!process_update(&vcpus->process, &vcpus->processes, vcpus->vcpu, 2))
		abort();
	return vcpus->process.state;
}

static const struct thread *first_vcpu(const struct vcpus *vcpus)
{
	return process_vcpu(&vcpus->process, 8, -1);
}

static void test_samples(void)
{
	struct vcpus vcpus;
	struct cpu_use use;

	make_vcpus(&vcpus);
	write_stat("7/stat", "vmm", 0, 0, 0);
	vcpus.value[0][GUEST] = 40 * SECOND;
	vcpus.value[0][USER] = 41 * SECOND;
	vcpus.value[0][RUN_DELAY] = 5 * SECOND;
	pass(&vcpus, false);
	tap_is(vcpus.process.threads, 2, "only the threads of vCPUs are listed");
	vcpus.value[0][GUEST] += SECOND / 2;
	vcpus.value[0][USER] += SECOND / 2;
	vcpus.value[0][SYSTEM] += SECOND / 10;
	vcpus.value[0][RUNTIME] += SECOND * 3 / 10;
	vcpus.value[0][RUN_DELAY] += SECOND / 10;
	vcpus.value[0][FAULTS] = 3;
	vcpus.vcpu[0].waiting = SECOND / 5;
	pass(&vcpus, false);
	use = thread_use(&vcpus.process, first_vcpu(&vcpus));
	tap_ok(near(use.guest, 25) && near(use.user, 0) && near(use.kernel, 5),
	       "the ticks of a vCPU are parts of its run time");
	tap_ok(near(use.waiting, 30), "a wait that has not ended is included");
	tap_ok(use.throttled < 0, "without a limit there is no throttled time");
	tap_is(first_vcpu(&vcpus)->now.major_faults, 3, "the host file has the major faults");
	vcpus.vcpu[0].waiting = SECOND / 6;
	vcpus.value[0][RUNTIME] += SECOND / 20;
	pass(&vcpus, false);
	tap_ok(near(thread_use(&vcpus.process, first_vcpu(&vcpus)).guest, 5),
	       "without a tick, it ran the guest");
	tap_ok(near(thread_use(&vcpus.process, first_vcpu(&vcpus)).waiting, 0),
	       "the waiting time never decreases");
	tap_ok(near(process_group_use(&vcpus.process, THREAD_VCPU).kernel, 0),
	       "the use of a group is that of the last interval");
	tap_is(vcpus.process.group[THREAD_VCPU].guest, 40 * SECOND + SECOND / 2,
	       "the times of a group are those since the start");
	vcpus.vcpu[0].tid = 11;
	pass(&vcpus, false);
	tap_is(vcpus.process.group[THREAD_VCPU].guest, 81 * SECOND,
	       "they do not decrease when a thread ends");
	free_vcpus(&vcpus);
}

/* The VMM of another host: its PID may be that of any process here. */
static void test_other_host(void)
{
	struct vcpus vcpus;

	make_vcpus(&vcpus);
	vcpus.process.pid = 0;
	pass(&vcpus, true);
	vcpus.value[0][GUEST] = SECOND / 2;
	vcpus.value[0][USER] = SECOND / 2;
	vcpus.value[0][RUNTIME] = SECOND / 2;
	tap_ok(pass(&vcpus, true) == PROCESS_UNKNOWN && !vcpus.process.has_now,
	       "without a PID, /proc is not read");
	tap_ok(near(thread_use(&vcpus.process, first_vcpu(&vcpus)).guest, 50),
	       "samples have values without a PID");
	free_vcpus(&vcpus);
}

static void test_states(void)
{
	struct vcpus vcpus;

	make_vcpus(&vcpus);
	write_stat("7/stat", "vmm", 0, 0, 0);
	tap_ok(pass(&vcpus, false) == PROCESS_RUNS && pass(&vcpus, false) == PROCESS_RUNS,
	       "a guest whose vCPUs halt runs");
	vcpus.value[0][BLOCKING] = 0;
	tap_ok(pass(&vcpus, false) == PROCESS_RUNS && pass(&vcpus, false) == PROCESS_RUNS,
	       "a guest with one vCPU that halts runs");
	vcpus.value[1][BLOCKING] = 0;
	tap_ok(pass(&vcpus, false) == PROCESS_RUNS, "a short sleep outside of KVM_RUN is no pause");
	tap_ok(pass(&vcpus, false) == PROCESS_PAUSED,
	       "a guest whose vCPUs sleep outside of KVM_RUN is paused");
	vcpus.value[1][RUNTIME]++;
	tap_ok(pass(&vcpus, false) == PROCESS_RUNS, "a vCPU that ran meanwhile is not paused");
	vcpus.value[1][STATE] = 2;
	tap_ok(pass(&vcpus, false) == PROCESS_BLOCKED,
	       "a vCPU in uninterruptible sleep is blocked");
	vcpus.value[1][RUNTIME]++;
	tap_ok(pass(&vcpus, false) == PROCESS_RUNS, "unless it ran meanwhile");
	vcpus.value[1][STATE] = 0x104;
	tap_ok(pass(&vcpus, false) == PROCESS_STOPPED, "a signal can stop the vCPUs");
	vcpus.value[1][STATE] = 0x108;
	tap_ok(pass(&vcpus, false) == PROCESS_STOPPED, "a debugger can stop the vCPUs");
	vcpus.value[1][STATE] = 0;
	write_task("7/stat", "vmm", 'T', 0, 0, 0);
	tap_ok(pass(&vcpus, false) == PROCESS_STOPPED, "a signal can stop the process");
	write_task("7/stat", "vmm", 'D', 0, 0, 0);
	write_task("7/task/7/stat", "vmm", 'D', 0, 0, 0);
	tap_ok(pass(&vcpus, false) == PROCESS_BLOCKED,
	       "a main thread in uninterruptible sleep is blocked");
	write_stat("7/stat", "vmm", 0, 0, 0);
	tap_ok(pass(&vcpus, true) == PROCESS_RUNS, "it runs afterwards");
	write_file("0::/vms/frozen\n", "7/task/8/cgroup");
	write_file("frozen 1\n", "vms/frozen/cgroup.events");
	vcpus.value[1][STATE] = 2;
	vcpus.time += 10 * SECOND;
	tap_ok(pass(&vcpus, false) == PROCESS_FROZEN, "a frozen process is not blocked");
	write_stat("7/stat", "vmm", 1, 0, 0);
	tap_ok(pass(&vcpus, false) == PROCESS_BLOCKED, "a process that used a CPU is not frozen");
	unlink("7/stat");
	unlink("7/task/8/cgroup");
	tap_ok(pass(&vcpus, false) == PROCESS_UNKNOWN,
	       "the state of a process that has ended is unknown");
	free_vcpus(&vcpus);
}

/* The guess finds the threads, and the sample of the vCPU has the rest: QEMU started with -S */
static void test_paused_guess(void)
{
	struct vcpus vcpus;

	make_vcpus(&vcpus);
	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	vcpus.vcpu[0].tid = 0;
	vcpus.vcpu[1].tid = 0;
	vcpus.value[0][BLOCKING] = 0;
	vcpus.value[1][BLOCKING] = 0;
	tap_ok(pass(&vcpus, false) == PROCESS_RUNS && pass(&vcpus, false) == PROCESS_PAUSED,
	       "a guest whose vCPUs never ran is paused");
	free_vcpus(&vcpus);
}

static void test_limits(void)
{
	struct vcpus vcpus;
	struct cpu_use use;

	make_vcpus(&vcpus);
	write_stat("7/stat", "vmm", 0, 0, 0);
	write_file("0::/vms/one\n", "7/task/8/cgroup");
	write_file("0::/vms/two\n", "7/task/9/cgroup");
	write_file("50000 100000\n", "vms/one/cpu.max");
	write_file("400000 100000\n", "vms/cpu.max");
	write_file("usage_usec 0\n", "vms/one/cpu.stat");
	write_file("usage_usec 0\n", "vms/cpu.stat");
	pass(&vcpus, false);
	tap_ok(near(vcpus.process.limit.cpus, 0.5) &&
	       !strcmp(vcpus.process.limit.cgroup, "/vms/one"), "the tightest limit is found");
	write_file("usage_usec 500000\nnr_periods 10\nnr_throttled 8\nthrottled_usec 400000\n",
		   "vms/one/cpu.stat");
	vcpus.value[0][RUN_DELAY] += SECOND / 2;
	vcpus.value[1][RUN_DELAY] += SECOND / 10;
	pass(&vcpus, false);
	use = thread_use(&vcpus.process, first_vcpu(&vcpus));
	tap_ok(near(use.throttled, 40) && near(use.waiting, 10),
	       "throttled time is no time that waits for a CPU");
	tap_ok(!use.throttled_is_exact, "with another limit above, it is not exact");
	use = thread_use(&vcpus.process, process_vcpu(&vcpus.process, 9, -1));
	tap_ok(near(use.throttled, 0) && near(use.waiting, 10), "other vCPUs wait for a CPU");
	tap_ok(vcpus.process.limit.binds && vcpus.process.limit.throttled == 2 * SECOND / 5,
	       "the process has the sum of its limits");
	use = process_group_use(&vcpus.process, THREAD_VCPU);
	tap_ok(near(use.throttled, 40) && near(use.waiting, 20), "and so has its group of vCPUs");
	write_file("usage_usec 1000000\nnr_periods 10\nnr_throttled 8\nthrottled_usec 3000000\n",
		   "vms/cpu.stat");
	vcpus.value[1][RUN_DELAY] += SECOND / 10;
	pass(&vcpus, false);
	use = thread_use(&vcpus.process, process_vcpu(&vcpus.process, 9, -1));
	tap_ok(near(use.throttled, 10) && near(use.waiting, 0),
	       "a limit of many threads explains at most their wait");
	write_file("max 100000\n", "vms/cpu.max");
	pass(&vcpus, false);
	tap_ok(thread_use(&vcpus.process, first_vcpu(&vcpus)).throttled_is_exact,
	       "a limit for one thread alone is exact");
	write_file("0::/vms/one\n", "7/task/9/cgroup");
	vcpus.time += 10 * SECOND;
	pass(&vcpus, false);
	tap_ok(!thread_use(&vcpus.process, first_vcpu(&vcpus)).throttled_is_exact,
	       "a thread that moves to another cgroup is noticed");
	free_vcpus(&vcpus);
}

/* ---- all threads ---- */

static void test_groups(void)
{
	struct vcpus vcpus;

	make_vcpus(&vcpus);
	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	write_stat("7/task/10/stat", "IO iothread1", 0, 0, 0);
	write_stat("7/task/11/stat", "vhost-7", 0, 0, 0);
	write_file("1000 2000 3", "7/task/10/schedstat");
	write_file("kthreadd\n", "2/comm");
	write_file("20 21 22 ", "2/task/2/children");
	write_file("kworker/0:1\n", "20/comm");
	write_file("vhost-7\n", "21/comm");
	write_file("vhost-8000\n", "22/comm");
	write_stat("21/task/21/stat", "vhost-7", 0, 0, 0);
	write_file("500 0 1", "21/task/21/schedstat");
	pass(&vcpus, true);
	tap_is(vcpus.process.threads, 6, "all threads of the process are listed");
	tap_is(process_vcpu(&vcpus.process, 10, -1)->group, THREAD_IO, "I/O threads are found");
	tap_is(process_vcpu(&vcpus.process, 11, -1)->group, THREAD_VHOST,
	       "vhost threads of the process are found");
	tap_ok(process_vcpu(&vcpus.process, 21, -1) && !process_vcpu(&vcpus.process, 22, -1),
	       "those of the kernel are found, but not those of other VMMs");
	tap_is(process_vcpu(&vcpus.process, 7, -1)->group, THREAD_EMULATOR,
	       "other threads are those of the emulator");
	pass(&vcpus, true);
	write_file("250001000 500002000 3", "7/task/10/schedstat");
	write_file("vhost-7\n", "20/comm");
	pass(&vcpus, true);
	tap_is(vcpus.process.group[THREAD_IO].runtime, 250001000,
	       "a group has the sum of its times");
	tap_ok(near(process_group_use(&vcpus.process, THREAD_IO).waiting, 50),
	       "the time that a group waits is known");
	tap_is(vcpus.process.threads, 6, "names of the kernel's threads are read once");
	unlink("7/task/10/stat");
	unlink("7/task/10/schedstat");
	pass(&vcpus, true);
	tap_is(vcpus.process.group[THREAD_IO].runtime, 250001000,
	       "the times of a group include those of threads that have ended");
	pass(&vcpus, false);
	tap_is(vcpus.process.threads, 2, "the other threads can be left out");
	free_vcpus(&vcpus);
}

/* How often the list of threads and the state of the main thread were read */
struct reads {
	int lists, states;
};

static ssize_t count_read(char *buf, size_t size, const char *path, void *arg)
{
	struct reads *reads = arg;

	reads->lists += ends_with(path, "/7/task");
	reads->states += ends_with(path, "/7/task/7/stat");
	return read_kernel_file(buf, size, path);
}

static void test_thread_list(void)
{
	struct reads reads = { 0 };
	struct vcpus vcpus;
	int i;

	make_vcpus(&vcpus);
	vcpus.processes.states = true;
	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	write_file("1000 2000 3", "7/task/7/schedstat");
	unlink("7/task/11/stat");
	kernel_set_reader(count_read, &reads);
	for (i = 0; i < 5; i++) {
		write_task("7/stat", "vmm", i < 4 ? 'S' : 'R', 0, 0, 0);
		pass(&vcpus, true);
	}
	tap_is(reads.lists, 1, "the threads are listed once");
	tap_is(reads.states, 2, "the state of the main thread is not read from two files");
	tap_is(process_vcpu(&vcpus.process, 7, -1)->now.state, 'R', "it is that of the process");
	threads_of_process = 4;
	write_stat("7/stat", "vmm", 0, 0, 0);
	write_stat("7/task/10/stat", "worker", 0, 0, 0);
	pass(&vcpus, true);
	tap_ok(process_vcpu(&vcpus.process, 10, -1), "a new thread is found");
	unlink("7/task/10/stat");
	write_stat("7/task/12/stat", "worker", 0, 0, 0);
	pass(&vcpus, true);
	tap_ok(process_vcpu(&vcpus.process, 12, -1) && !process_vcpu(&vcpus.process, 10, -1),
	       "so is one that replaces another one");
	kernel_set_reader(NULL, NULL);
	unlink("7/task/7/schedstat");
	unlink("7/task/12/stat");
	threads_of_process = 3;
	free_vcpus(&vcpus);
}

static void test_huge_pages(void)
{
	struct process process = { .pid = 7 };

	write_stat("7/stat", "vmm", 0, 0, 0);
	write_file("Name:\tvmm\nVmRSS:\t 5 kB\nHugetlbPages:\t    4096 kB\n", "7/status");
	update(&process, SECOND, NULL, 0);
	tap_is(process.huge_memory, 4096 * 1024, "huge pages are counted");
	process_free(&process);
}

static void test_host(void)
{
	struct host host = { 0 };

	write_file("cpu  100 0 50 800 50 0 0 0 40 0\ncpu0 1 2\ncpu1 1 2\nintr 5\n", "stat");
	write_file("MemTotal:       1024 kB\nMemFree: 1 kB\nMemAvailable:    256 kB\n", "meminfo");
	write_file("1.50 2.00 3.00 1/200 999\n", "loadavg");
	host_update(&host);
	tap_is(host.cpus, 2, "the CPUs are counted");
	tap_ok(host.memory == 1024 * 1024 && host.available == 256 * 1024, "the memory is read");
	tap_ok(near(host.load, 1.5), "the load is read");
	tap_ok(host_use(&host).guest < 0, "the use is unknown after the first update");
	write_file("cpu  160 0 60 820 60 0 0 0 80 0\ncpu0 1 2\ncpu1 1 2\n", "stat");
	host_update(&host);
	tap_ok(near(host_use(&host).guest, 40), "the time in guests is a percentage");
	tap_ok(near(host_use(&host).user, 20), "the user time does not include guests");
	tap_ok(near(host_use(&host).kernel, 10), "the kernel time is a percentage");
}

static ssize_t count_status(char *buf, size_t size, const char *path, void *arg)
{
	*(int *)arg += ends_with(path, "/status");
	return read_kernel_file(buf, size, path);
}

static void test_spread(void)
{
	struct process a = { .pid = 20 }, b = { .pid = 25 };
	int reads = 0, most = 0, all = 0;
	uint64_t second;

	write_stat("20/stat", "vmm", 0, 0, 0);
	write_stat("25/stat", "vmm", 0, 0, 0);
	update(&a, 100 * SECOND, NULL, 0);
	update(&b, 100 * SECOND, NULL, 0);
	kernel_set_reader(count_status, &reads);
	for (second = 101; second <= 120; second++, reads = 0) {
		update(&a, second * SECOND, NULL, 0);
		update(&b, second * SECOND, NULL, 0);
		most = reads > most ? reads : most;
		all += reads;
	}
	kernel_set_reader(NULL, NULL);
	tap_ok(most == 1 && all == 4, "not all processes are checked in the same pass");
	process_free(&a);
	process_free(&b);
}

static void test_many_cpus(void)
{
	struct host host = { 0 };
	static char text[1024 * 96];
	size_t len = 0;
	int i;

	len += (size_t)sprintf(text, "cpu  100 0 50 800 50 0 0 0 40 0\n");
	for (i = 0; i < 1024; i++)
		len += (size_t)sprintf(text + len, "cpu%d 1234567 2345 345678 456789012 56789 0 "
				       "67890 7890 8901234 0\n", i);
	write_file(text, "stat");
	host_update(&host);
	tap_is(host.cpus, 1024, "many CPUs are counted");
}

int main(void)
{
	if (guest_files_make(&files) || chdir(files.dir))
		return 1;
	proc_set_root(files.dir);
	cgroup_set_root(files.dir);
	write_file("cpu\n", "cgroup.controllers");
	test_task();
	test_named_threads();
	test_gaps();
	test_main_thread();
	test_unnamed_threads();
	test_samples();
	test_other_host();
	test_states();
	test_paused_guess();
	test_limits();
	test_groups();
	test_thread_list();
	test_huge_pages();
	test_spread();
	test_host();
	test_many_cpus();
	guest_files_remove(&files);
	return tap_end();
}
