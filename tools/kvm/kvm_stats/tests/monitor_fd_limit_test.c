// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test a monitor whose process runs out of file descriptors: it cannot find new VMMs, but it
 * continues to read those that it knows.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/monitor.h"
#include "tap.h"
#include "tiny_vmm.h"

/* In microseconds. The monitor searches for new VMMs once per second. */
#define SEARCH_PAUSE	1100000

/* How often the monitor has reported these events. */
static int search_failed, search_works;

static void count_event(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	(void)vmm;
	(void)arg;
	search_failed += event == MONITOR_SEARCH_FAILED;
	search_works += event == MONITOR_SEARCH_WORKS;
}

/* Returns the time of the last sample of the VMM, 0 if it has no sample. */
static uint64_t time_of(const struct monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->pid == pid && vmm->targets)
			return kvmstats_sample_time(vmm->target[0]->now);
	}
	return 0;
}

/* Allows this process to open @more files. It relies on fd numbers being used without gaps. */
static void allow_files(int more)
{
	struct rlimit limit;
	int next = dup(STDIN_FILENO);

	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)next + more;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Returns whether each of @times samples, one per search, has read new values of the VMM. */
static bool samples(struct monitor *monitor, pid_t pid, int times)
{
	while (times--) {
		uint64_t before = time_of(monitor, pid);

		usleep(SEARCH_PAUSE);
		if (monitor_sample(monitor) || time_of(monitor, pid) <= before)
			return false;
	}
	return true;
}

/* Runs a VMM that holds statistics fds. It writes 0 or -errno to the pipe @ready. */
static void __attribute__((noreturn)) run_vmm(int ready)
{
	struct tiny_vm vm;
	int err = tiny_create(&vm, 1);

	if (!err && (ioctl(vm.fd, KVM_GET_STATS_FD, NULL) < 0 ||
		     ioctl(vm.vcpu[0].fd, KVM_GET_STATS_FD, NULL) < 0))
		err = -errno;
	if (write(ready, &err, sizeof(err)) != sizeof(err) || err)
		_exit(1);
	pause();
	_exit(0);
}

/* Returns 0, or the -errno of the call that failed in the VMM. */
static int start_vmm(pid_t *pid)
{
	int ready[2], err = -EIO;

	if (pipe(ready))
		return -errno;
	*pid = fork();
	if (!*pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_vmm(ready[1]);
	}
	close(ready[1]);
	if (read(ready[0], &err, sizeof(err)) != sizeof(err))
		err = -EIO;
	close(ready[0]);
	return err;
}

static pid_t start_process(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pause();
	_exit(0);
}

static void test(struct monitor *monitor, pid_t pid)
{
	pid_t other;

	tap_ok(!monitor_sample(monitor) && time_of(monitor, pid) && !monitor->search_error,
	       "the monitor reads a VMM");
	allow_files(0);
	tap_ok(samples(monitor, pid, 2),
	       "the monitor reads the VMM when it cannot open more files");
	tap_is(monitor->search_error, -EMFILE, "the search for new VMMs fails with EMFILE");
	tap_is(search_failed, 1, "the failure is reported once");
	/* One file is enough for /proc, but not for the directories of the processes in it. */
	allow_files(1);
	other = start_process();
	tap_ok(samples(monitor, pid, 1) && monitor->search_error == -EMFILE,
	       "the search fails if only /proc can be opened");
	allow_files(100);
	tap_ok(samples(monitor, pid, 1) && !monitor->search_error,
	       "the search works when files can be opened");
	tap_is(search_works, 1, "the end of the failure is reported");
	tap_is(search_failed, 1, "the failure is not reported again");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

int main(void)
{
	struct filter filter = { 0 };
	struct monitor_options options = { .filter = &filter, .event = count_event };
	struct monitor *monitor;
	char why[80];
	pid_t pid;
	int err = start_vmm(&pid);

	if (err) {
		snprintf(why, sizeof(why), "a VM with statistics fds cannot run: %s",
			 strerror(-err));
		return tap_skip_all(why);
	}
	if (tap_ok(!monitor_open(&monitor, &options), "a monitor starts")) {
		test(monitor, pid);
		monitor_close(monitor);
	}
	filter_free(&filter);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return tap_end();
}
