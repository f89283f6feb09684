// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test a monitor whose process runs out of file descriptors: it cannot find new VMMs, but it
 * continues to read those that it knows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "child_vmm.h"
#include "kvmstats.h"
#include "tap.h"

/* In microseconds. The monitor searches for new VMMs once per second. */
#define SEARCH_PAUSE	1100000

/* How often the monitor has reported these events. */
static int search_failed, search_works;

/* Other VMMs of the machine would need more files. */
static int select_child(const struct kvmstats_vmm *vmm, void *arg)
{
	return kvmstats_vmm_pid(vmm) == *(pid_t *)arg;
}

static void count_event(enum kvmstats_event event, const struct kvmstats_watch *watch, void *arg)
{
	(void)watch;
	(void)arg;
	search_failed += event == KVMSTATS_EVENT_SEARCH_FAILED;
	search_works += event == KVMSTATS_EVENT_SEARCH_WORKS;
}

/* Returns the time of the last sample of the VMM, 0 if it has no sample. */
static uint64_t time_of(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < kvmstats_monitor_watches(monitor); i++) {
		const struct kvmstats_watch *watch = kvmstats_monitor_watch(monitor, i);
		const struct kvmstats_reader *reader = kvmstats_watch_reader(watch, 0);

		if (kvmstats_vmm_pid(kvmstats_watch_vmm(watch)) == pid &&
		    !kvmstats_reader_error(reader))
			return kvmstats_sample_time(kvmstats_reader_now(reader));
	}
	return 0;
}

static int error_of(const struct kvmstats_monitor *monitor)
{
	return kvmstats_monitor_search_error(monitor);
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
static bool samples(struct kvmstats_monitor *monitor, pid_t pid, int times)
{
	while (times--) {
		uint64_t before = time_of(monitor, pid);

		usleep(SEARCH_PAUSE);
		if (kvmstats_monitor_sample(monitor) || time_of(monitor, pid) <= before)
			return false;
	}
	return true;
}

static void test(struct kvmstats_monitor *monitor, pid_t pid)
{
	pid_t other;

	tap_ok(!kvmstats_monitor_sample(monitor) && time_of(monitor, pid) && !error_of(monitor),
	       "the monitor reads a VMM");
	allow_files(0);
	tap_ok(samples(monitor, pid, 2),
	       "the monitor reads the VMM when it cannot open more files");
	tap_is(error_of(monitor), -EMFILE, "the search for new VMMs fails with EMFILE");
	tap_is(search_failed, 1, "the failure is reported once");
	/* One file is enough for /proc, but not for the directories of the processes in it. */
	allow_files(1);
	other = child_start();
	tap_ok(samples(monitor, pid, 1) && error_of(monitor) == -EMFILE,
	       "the search fails if only /proc can be opened");
	allow_files(100);
	tap_ok(samples(monitor, pid, 1) && !error_of(monitor),
	       "the search works when files can be opened");
	tap_is(search_works, 1, "the end of the failure is reported");
	tap_is(search_failed, 1, "the failure is not reported again");
	child_end(other);
}

int main(void)
{
	pid_t pid;
	struct kvmstats_monitor_options options = {
		.size = sizeof(options), .selects_vmm = select_child, .event = count_event,
		.arg = &pid,
	};
	struct kvmstats_monitor *monitor;
	char why[80];
	int err = child_start_vmm(&pid, true);

	if (err) {
		snprintf(why, sizeof(why), "a VM with statistics fds cannot run: %s",
			 strerror(-err));
		return tap_skip_all(why);
	}
	if (tap_ok(!kvmstats_monitor_open(&monitor, &options), "a monitor starts")) {
		test(monitor, pid);
		kvmstats_monitor_close(monitor);
	}
	child_end(pid);
	return tap_end();
}
