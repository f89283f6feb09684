// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print what a sample of kvm-stats costs with many VMs, as TAP.  The CPU time of kvm-stats in
 * nanoseconds is the number of its instructions under emulation with -icount shift=0.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "bench.h"

#define KVM_STATS	"/tests/kvm-stats"
#define EVENT_ID	"/sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id"
#define MAX_VMS		512
#define FIRST		3	/* samples before counting */
#define COUNTED		10	/* samples */

struct setup {
	int vms;
	int vcpus;	/* of each VM */
};

struct monitor {
	pid_t pid;
	FILE *output;	/* one line for each sample, after a header */
};

struct costs {
	double start;	/* instructions until the sample FIRST */
	double instructions, calls;	/* of each sample after it */
	double files;
};

/* ---- VMMs ---- */

/* Write an empty text to @ready when the vCPUs exist, or why they do not. */
static void run_vmm(int vcpus, int ready)
{
	int i, vm;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	vm = vm_create();
	for (i = 0; vm >= 0 && i < vcpus; i++) {
		if (vcpu_create(vm, i) < 0)
			break;
	}
	if (write(ready, why(), strlen(why()) + 1) < 0)
		_exit(1);
	for (;;)
		pause();
}

/* Return the PID of a VMM whose vCPUs do not run, or -1; see why(). */
static pid_t start_vmm(int vcpus)
{
	char text[256] = "a VMM ended early";
	int ready[2];
	pid_t pid;

	if (pipe(ready)) {
		set_why("pipe: %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid)
		run_vmm(vcpus, ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], text, sizeof(text)) < 0)
		set_why("a VMM cannot be started: %s", strerror(errno));
	else if (text[0])
		set_why("%s", text);
	close(ready[0]);
	return why()[0] ? -1 : pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- kvm-stats ---- */

static bool start_monitor(struct monitor *monitor)
{
	int ends[2];

	if (pipe(ends)) {
		set_why("pipe: %s", strerror(errno));
		return false;
	}
	fflush(stdout);
	monitor->pid = fork();
	if (!monitor->pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(KVM_STATS, "kvm-stats", "log", "--csv", "-i", "1", "-f", "^exits$", NULL);
		_exit(127);
	}
	close(ends[1]);
	monitor->output = fdopen(ends[0], "r");
	return true;
}

/* Return in the middle of the interval after the last of the lines, while kvm-stats sleeps. */
static bool wait_for_lines(struct monitor *monitor, int lines)
{
	char line[4096];

	for (; lines; lines--) {
		if (!fgets(line, sizeof(line), monitor->output)) {
			set_why("kvm-stats ended early");
			return false;
		}
	}
	usleep(500000);
	return true;
}

static double instructions_of(pid_t pid)
{
	struct timespec time = {};
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static double files_of(pid_t pid)
{
	char path[64];
	int count = -2;		/* "." and ".." */
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* ---- system calls ---- */

/* Return an fd that counts the system calls of a process, or -1; see why(). */
static int open_counter(pid_t pid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	FILE *file = fopen(EVENT_ID, "r");
	int id = -1, fd;

	if (!file || fscanf(file, "%d", &id) != 1)
		set_why("%s cannot be read: %s", EVENT_ID, strerror(errno));
	if (file)
		fclose(file);
	if (id < 0)
		return -1;
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
	if (fd < 0)
		set_why("perf_event_open: %s", strerror(errno));
	return fd;
}

/* The tracepoint takes instructions, so they are not counted at the same time. */
static bool count_calls(struct monitor *monitor, struct costs *costs)
{
	int counter = open_counter(monitor->pid);
	uint64_t calls = 0;
	bool ok;

	if (counter < 0)
		return false;
	ok = wait_for_lines(monitor, COUNTED) && read(counter, &calls, sizeof(calls)) > 0;
	close(counter);
	costs->calls = (double)calls / COUNTED;
	return ok;
}

/* ---- rows ---- */

static bool count_samples(struct monitor *monitor, struct costs *costs)
{
	if (!wait_for_lines(monitor, 1 + FIRST))
		return false;
	costs->start = instructions_of(monitor->pid);
	if (!wait_for_lines(monitor, COUNTED))
		return false;
	costs->instructions = (instructions_of(monitor->pid) - costs->start) / COUNTED;
	costs->files = files_of(monitor->pid);
	return count_calls(monitor, costs);
}

static bool run_monitor(struct costs *costs)
{
	struct monitor monitor;
	bool ok;

	if (!start_monitor(&monitor))
		return false;
	ok = count_samples(&monitor, costs);
	end_process(monitor.pid);
	fclose(monitor.output);
	return ok;
}

/* The name has the numbers of VMs and vCPUs. */
static void print_row(const struct setup *setup, const char *name, double value)
{
	char row[64];

	snprintf(row, sizeof(row), "vms_%d_vcpus_%d_%s", setup->vms, setup->vcpus, name);
	if (why()[0])
		row_failed(row);
	else
		row_value(row, value);
}

static void measure(const struct setup *setup)
{
	static pid_t vmms[MAX_VMS];
	struct costs costs = {};
	int started = 0;

	set_why("%s", "");
	while (started < setup->vms && (vmms[started] = start_vmm(setup->vcpus)) > 0)
		started++;
	if (started == setup->vms && !run_monitor(&costs) && !why()[0])
		set_why("the system calls cannot be read");
	while (started)
		end_process(vmms[--started]);
	print_row(setup, "instructions", costs.instructions);
	print_row(setup, "calls", costs.calls);
	print_row(setup, "files", costs.files);
	print_row(setup, "start", costs.start);
	fflush(stdout);
}

int main(void)
{
	measure(&(struct setup) { .vms = 512, .vcpus = 8 });
	measure(&(struct setup) { .vms = 16, .vcpus = 256 });
	return rows_end();
}
