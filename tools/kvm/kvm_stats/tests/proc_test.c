// SPDX-License-Identifier: GPL-2.0-only
/* Test the figures of /proc, in a directory of sample files. */
#include <math.h>

#include "guest_files.h"
#include "proc.h"
#include "tap.h"
#include "util.h"

static struct guest_files files;

#define write_file(text, ...)	guest_files_write(&files, 0600, text, __VA_ARGS__)

/* Times are in ticks. The fields that the parser skips have other numbers. */
static void write_stat(const char *path, const char *name, int user, int kernel, int guest)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "7 (%s) S 1 7 7 0 -1 4194304 10 11 12 13 %d %d 16 17 20 0 3 0 100 999999 50 "
		 "25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 %d 44 45 46\n",
		 name, user, kernel, guest);
	write_file(text, "%s", path);
}

static const int ids[] = { 0, 1, 2 };

static bool near(double a, double b)
{
	return fabs(a - b) < 0.01;
}

static void test_names(void)
{
	static const struct {
		const char *name;
		int vcpu;
	} cases[] = {
		{ "CPU 0/KVM", 0 }, { "CPU 12/KVM", 12 }, { "CPU 3/TCG", -1 }, { "CPU /KVM", -1 },
		{ "fc_vcpu 3", 3 }, { "vcpu7", 7 }, { "crosvm_vcpu11", 11 }, { "kvm-vcpu-0", 0 },
		{ "vcpu", -1 }, { "vcpu_manager", -1 }, { "vcpu1x", -1 }, { "IO mon_iothread", -1 },
		{ "qemu-system-x86", -1 }, { "", -1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_ok(process_vcpu_of_name(cases[i].name) == cases[i].vcpu,
		       "the vCPU is found in the name of a thread: '%s'", cases[i].name);
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

/* Returns the thread of a vCPU, or NULL if it is unknown. */
static const struct thread *process_vcpu(const struct process *process, int vcpu)
{
	size_t i;

	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].runs_vcpu && process->thread[i].vcpu == vcpu)
			return &process->thread[i];
	}
	return NULL;
}

static void test_named_threads(void)
{
	struct process process = { .pid = 7 };

	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	write_file("100 1000000000 5", "7/task/9/schedstat");
	tap_ok(process_update(&process, 10 * SECOND, ids, 2) && process.threads == 3,
	       "the threads are listed");
	tap_ok(process_use(&process).guest < 0, "the use is unknown after the first update");
	write_threads("CPU 0/KVM", "CPU 1/KVM", (int)sysconf(_SC_CLK_TCK));
	write_file("200 1500000000 5", "7/task/9/schedstat");
	process_update(&process, 12 * SECOND, ids, 2);
	tap_is(process_vcpu(&process, 0)->tid, 9, "the thread of a vCPU is found by its name");
	tap_ok(!process_vcpu(&process, 2), "a vCPU without a thread is reported");
	tap_ok(near(thread_use(&process, process_vcpu(&process, 0)).guest, 50),
	       "the guest time of a thread is a percentage");
	tap_ok(near(thread_use(&process, process_vcpu(&process, 0)).user, 0),
	       "the user time does not include the guest time");
	tap_ok(near(thread_use(&process, process_vcpu(&process, 0)).waiting, 25),
	       "the time that a thread waits for a CPU is a percentage");
	tap_ok(thread_use(&process, process_vcpu(&process, 1)).waiting < 0,
	       "without schedstat the waiting time is unknown");
	tap_ok(near(process_use(&process).guest, 100),
	       "the use of a process is the sum over its threads");
	process_free(&process);
}

static void test_unnamed_threads(void)
{
	struct process process = { .pid = 7 };

	write_threads("vmm", "vmm", 100);
	process_update(&process, SECOND, ids, 2);
	tap_is(process_vcpu(&process, 0)->tid, 8, "without names the oldest vCPU thread is vCPU 0");
	tap_is(process_vcpu(&process, 1)->tid, 9, "the next one is vCPU 1");
	process_update(&process, 2 * SECOND, ids, 3);
	tap_ok(!process_vcpu(&process, 0),
	       "without names, no thread is assigned if their number differs");
	if (unlink("7/task/8/stat"))
		tap_ok(false, "a thread can end");
	process_update(&process, 3 * SECOND, ids, 2);
	tap_is(process.threads, 2, "a thread that has ended is removed");
	process_free(&process);
}

/* The vCPU IDs of a guest with 3 cores in each socket have a gap. */
static void test_gaps(void)
{
	static const int gaps[] = { 0, 4 };
	struct process process = { .pid = 7 };

	write_threads("CPU 0/KVM", "CPU 1/KVM", 0);
	process_update(&process, SECOND, gaps, 2);
	tap_ok(process_vcpu(&process, 4) && process_vcpu(&process, 4)->tid == 8,
	       "the numbers in names are indexes, not vCPU IDs");
	tap_ok(!process_vcpu(&process, 1), "no thread has a vCPU ID that does not exist");
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
	test_names();
	test_task();
	test_named_threads();
	test_gaps();
	test_unnamed_threads();
	test_host();
	test_many_cpus();
	guest_files_remove(&files);
	return tap_end();
}
