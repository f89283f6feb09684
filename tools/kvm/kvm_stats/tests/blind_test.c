// SPDX-License-Identifier: GPL-2.0-only
/*
 * A monitor that runs out of files: blind_test PID, of a VMM whose statistics can be had
 *
 * It cannot look for new VMMs then; those that it knows it reads on.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor.h"
#include "tap.h"

/* Longer than what lies between two looks for new VMMs. */
#define LOOK_PAUSE	1100000

static int blind, seeing;

static void count(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	(void)vmm;
	(void)arg;
	blind += event == MONITOR_SEARCH_FAILED;
	seeing += event == MONITOR_SEARCH_WORKS;
}

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

/* So many more than there are may be opened. */
static void allow_files(int more)
{
	struct rlimit limit;
	int next = dup(STDIN_FILENO);

	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)next + more;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool samples(struct monitor *monitor, pid_t pid, int times)
{
	while (times--) {
		uint64_t before = time_of(monitor, pid);

		usleep(LOOK_PAUSE);
		if (monitor_sample(monitor) || time_of(monitor, pid) <= before)
			return false;
	}
	return true;
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
	       "it reads the VMM");
	allow_files(0);
	tap_ok(samples(monitor, pid, 2), "without a file to spare it reads on");
	tap_is(monitor->search_error, -EMFILE, "it knows that it finds no others");
	tap_is(blind, 1, "which it has told once");
	/* /proc can be opened now, and what is in it cannot. */
	allow_files(1);
	other = start_process();
	tap_ok(samples(monitor, pid, 1) && monitor->search_error == -EMFILE,
	       "nor does it if /proc alone can be read");
	allow_files(100);
	tap_ok(samples(monitor, pid, 1) && !monitor->search_error, "with files to spare it finds them");
	tap_is(seeing, 1, "which it tells");
	tap_is(blind, 1, "and that was all");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

int main(int argc, char **argv)
{
	struct filter filter = { 0 };
	struct monitor_options options = { .filter = &filter, .event = count };
	struct monitor *monitor;

	if (argc != 2)
		return 2;
	if (tap_ok(!monitor_open(&monitor, &options), "a monitor starts")) {
		test(monitor, atoi(argv[1]));
		monitor_close(monitor);
	}
	filter_free(&filter);
	return tap_end();
}
