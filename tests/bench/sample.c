// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample of kvm-stats costs with many VMs.  The CPU time of kvm-stats in nanoseconds is the
 * number of its instructions under emulation with -icount shift=0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "bench.h"

#ifndef SYS_close_range
#define SYS_close_range	436
#endif

#define KVM_STATS	"/tests/kvm-stats"
#define EVENT_ID	"/sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id"
#define VMS		512
#define VCPUS		8	/* of each VM */

/* A VMM whose vCPUs do not run.  It closes @ready when they exist. */
static void run_vmm(int ready)
{
	int kvm = must(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	int vm = must(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM"), i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < VCPUS; i++)
		must(ioctl(vm, KVM_CREATE_VCPU, i), "KVM_CREATE_VCPU");
	must(write(ready, "", 1), "write()");
	for (;;)
		pause();
}

static void start_vmm(void)
{
	int ready[2];
	char byte;

	must(pipe(ready), "pipe()");
	if (!must(fork(), "fork()"))
		run_vmm(ready[1]);
	close(ready[1]);
	must(read(ready[0], &byte, 1) == 1 ? 0 : -1, "a VMM ended");
	close(ready[0]);
}

/* Run kvm-stats for a number of samples.  Return the instructions. */
static double log_samples(const char *number)
{
	pid_t pid = must(fork(), "fork()");
	struct rusage use;
	int status;

	if (!pid) {
		must(dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO), "dup2()");
		execl(KVM_STATS, "kvm-stats", "log", "--csv", "-i", "1", "-c", number, "-f",
		      "^exits$", NULL);
		_exit(127);
	}
	must(wait4(pid, &status, 0, &use), "wait4()");
	must(status ? -1 : 0, "kvm-stats failed");
	return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e9 +
	       (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e3;
}

/* Return the system calls of this process and of kvm-stats. */
static double log_calls(const char *number)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .inherit = 1,
	};
	FILE *file = fopen(EVENT_ID, "r");
	uint64_t calls;
	int counter;

	must(file && fscanf(file, "%llu", &attr.config) == 1 ? 0 : -1, EVENT_ID);
	fclose(file);
	counter = must(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), "perf_event_open()");
	log_samples(number);
	must(read(counter, &calls, sizeof(calls)), "the counter of system calls");
	close(counter);
	return calls;
}

/*
 * Ten samples after the third are counted.  The tracepoint executes instructions, so the system
 * calls are counted in other runs.  All other VMs of this process end.
 */
double sample(long value)
{
	static int started;

	syscall(SYS_close_range, 3, ~0U, 0);
	for (; started < VMS; started++)
		start_vmm();
	switch (value) {
	case SAMPLE_START:
		return log_samples("3");
	case SAMPLE_INSTRUCTIONS:
		return (log_samples("13") - log_samples("3")) / 10;
	default:
		return (log_calls("13") - log_calls("3")) / 10;
	}
}
