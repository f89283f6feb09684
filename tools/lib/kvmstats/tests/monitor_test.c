// SPDX-License-Identifier: GPL-2.0-only
/* Test monitors: VMMs that start and end, what is selected, and what cannot be read. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "child_vmm.h"
#include "kvmstats.h"
#include "tap.h"

#define SECOND	UINT64_C(1000000000)

/* How often the monitor has reported each event. */
static int events[KVMSTATS_EVENT_SEARCH_WORKS + 1];

static void count_event(enum kvmstats_event event, const struct kvmstats_watch *watch, void *arg)
{
	(void)watch;
	(void)arg;
	events[event]++;
}

static int select_vcpus(const struct kvmstats_target *target, void *arg)
{
	(void)arg;
	return kvmstats_target_kind(target) == KVMSTATS_KIND_VCPU;
}

static int select_none(const struct kvmstats_vmm *vmm, void *arg)
{
	(void)vmm;
	(void)arg;
	return 0;
}

/* Opens a monitor of one process, and samples. Returns NULL if that fails. */
static struct kvmstats_monitor *watch(const struct kvmstats_monitor_options *options, pid_t *pid)
{
	struct kvmstats_monitor_options all = *options;
	struct kvmstats_monitor *monitor;

	memset(events, 0, sizeof(events));
	all.size = sizeof(all);
	all.event = count_event;
	all.pid = pid;
	all.pids = 1;
	if (kvmstats_monitor_open(&monitor, &all))
		return NULL;
	if (!kvmstats_monitor_sample(monitor))
		return monitor;
	kvmstats_monitor_close(monitor);
	return NULL;
}

static uint64_t soon(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec + 5 * SECOND;
}

/* ---- without a VM ---- */

static void test_options(void)
{
	/* The options of a later version, which has added a member. */
	struct {
		struct kvmstats_monitor_options options;
		uint64_t added;
	} later = { .options.size = sizeof(later) };
	struct kvmstats_monitor *monitor;

	tap_is(kvmstats_monitor_open(&monitor, &later.options), 0,
	       "options of a later version are accepted if the added member is 0");
	kvmstats_monitor_close(monitor);
	later.added = 1;
	tap_is(kvmstats_monitor_open(&monitor, &later.options), -E2BIG,
	       "options of a later version are refused if the added member is not 0");
	tap_ok(!monitor, "after an error there is no monitor");
	later.options.size = 0;
	tap_is(kvmstats_monitor_open(&monitor, &later.options), -EINVAL,
	       "options without a size are refused");
	later.options.size = sizeof(later.options) - 1;
	tap_is(kvmstats_monitor_open(&monitor, &later.options), -EINVAL,
	       "options that are shorter than those of version 1.0 are refused");
	tap_is(kvmstats_monitor_open(&monitor, NULL), 0, "a monitor needs no options");
	tap_is(kvmstats_monitor_watches(monitor), 0, "a new monitor knows no VMM");
	tap_ok(!kvmstats_monitor_watch(monitor, 0), "there is no VMM with a too large index");
	tap_is(kvmstats_monitor_time(monitor), 0, "a new monitor has no sample");
	tap_is(kvmstats_monitor_pid_error(monitor, getpid()), -EINVAL,
	       "a process that is not selected by PID has no error of its own");
	kvmstats_monitor_close(monitor);
	kvmstats_monitor_close(NULL);
}

static void test_other_process(void)
{
	struct kvmstats_monitor_options options = { 0 };
	struct kvmstats_monitor *monitor;
	pid_t pid = child_start();

	monitor = watch(&options, &pid);
	if (!tap_ok(monitor, "a monitor of a process without a VM starts"))
		return;
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ENODEV,
	       "a process without a VM is reported as such");
	kvmstats_monitor_close(monitor);
	child_end(pid);
	monitor = watch(&options, &pid);
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ESRCH,
	       "a process that has ended is reported as such");
	tap_is(kvmstats_monitor_wait(monitor, soon()), -ESRCH,
	       "the wait ends when all selected processes have ended");
	kvmstats_monitor_close(monitor);
}

/* ---- with a VM ---- */

static const struct kvmstats_reader *reader_at(const struct kvmstats_monitor *monitor, size_t i)
{
	return kvmstats_watch_reader(kvmstats_monitor_watch(monitor, 0), i);
}

static void test_samples(struct kvmstats_monitor *monitor)
{
	const struct kvmstats_reader *vm = reader_at(monitor, 0), *vcpu = reader_at(monitor, 1);

	tap_is(kvmstats_target_kind(kvmstats_reader_target(vm)), KVMSTATS_KIND_VM,
	       "the first reader is that of the VM");
	tap_is(kvmstats_target_vcpu(kvmstats_reader_target(vcpu)), 0,
	       "the second reader is that of the vCPU");
	tap_ok(!kvmstats_reader_error(vm) && !kvmstats_reader_error(vcpu), "both can be read");
	tap_is(kvmstats_sample_time(kvmstats_reader_before(vcpu)), 0,
	       "after the first sample there is no previous one");
	tap_is(kvmstats_monitor_sample(monitor), 0, "a second sample is read");
	tap_ok(kvmstats_sample_time(kvmstats_reader_before(vcpu)) <
	       kvmstats_sample_time(kvmstats_reader_now(vcpu)), "the previous sample is kept");
	tap_ok(kvmstats_monitor_time(monitor) <= kvmstats_sample_time(kvmstats_reader_now(vm)),
	       "the time of the monitor is that at which the sample began");
	tap_ok(kvmstats_schema_count(kvmstats_reader_schema(vm)), "the VM has statistics");
}

static void test_end(struct kvmstats_monitor *monitor, pid_t pid)
{
	struct pollfd fd = { .fd = kvmstats_monitor_fd(monitor), .events = POLLIN };

	tap_is(poll(&fd, 1, 0), 0, "the fd of the monitor is not readable while the VMM runs");
	child_end(pid);
	tap_is(poll(&fd, 1, 5000), 1, "the fd of the monitor is readable when the VMM has ended");
	tap_is(kvmstats_monitor_wait(monitor, soon()), -ESRCH,
	       "the wait ends with the only selected process");
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "the end of the VMM is reported");
	tap_is(kvmstats_monitor_watches(monitor), 0, "the VMM is released");
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ESRCH, "the process has ended");
}

static void test_vmm(void)
{
	struct kvmstats_monitor_options options = { 0 };
	struct kvmstats_monitor *monitor;
	pid_t pid;

	if (child_start_vmm(&pid, true))
		return;
	monitor = watch(&options, &pid);
	if (!tap_ok(monitor, "a monitor of a VMM starts"))
		return;
	tap_is(events[KVMSTATS_EVENT_APPEARED], 1, "the VMM is reported");
	tap_is(kvmstats_monitor_pid_error(monitor, pid), 0, "the VMM has no error");
	if (tap_is(kvmstats_monitor_watches(monitor), 1, "the monitor watches one VMM") &&
	    tap_is(kvmstats_watch_readers(kvmstats_monitor_watch(monitor, 0)), 2,
		   "it reads a VM and a vCPU"))
		test_samples(monitor);
	test_end(monitor, pid);
	kvmstats_monitor_close(monitor);
}

static void test_selection(void)
{
	struct kvmstats_monitor_options vcpus = { .selects_target = select_vcpus };
	struct kvmstats_monitor_options none = { .selects_vmm = select_none };
	struct kvmstats_monitor *monitor;
	pid_t pid;

	if (child_start_vmm(&pid, true))
		return;
	monitor = watch(&vcpus, &pid);
	tap_is(kvmstats_watch_readers(kvmstats_monitor_watch(monitor, 0)), 1,
	       "targets that are not selected have no reader");
	kvmstats_monitor_close(monitor);
	monitor = watch(&none, &pid);
	tap_is(kvmstats_monitor_watches(monitor), 0, "a VMM that is not selected is not watched");
	tap_is(events[KVMSTATS_EVENT_APPEARED], 0, "a VMM that is not selected is not reported");
	kvmstats_monitor_close(monitor);
	child_end(pid);
}

/* A kernel with the kvm-stats patches opens the statistics even then. */
static void test_unreadable(void)
{
	struct kvmstats_monitor_options options = { 0 };
	struct kvmstats_monitor *monitor;
	const struct kvmstats_reader *vm;
	pid_t pid;
	int err;

	if (child_start_vmm(&pid, false))
		return;
	monitor = watch(&options, &pid);
	vm = reader_at(monitor, 0);
	err = kvmstats_reader_error(vm);
	tap_ok(!err || err == -EIO, "a VMM that holds no statistics fds can be read, or has -EIO");
	tap_is(!kvmstats_reader_now(vm), err != 0, "what cannot be read has no sample");
	tap_is(!kvmstats_reader_schema(vm), err != 0, "what cannot be read has no schema");
	tap_is(kvmstats_monitor_sample(monitor), 0, "the sample of all others succeeds");
	kvmstats_monitor_close(monitor);
	child_end(pid);
}

/* ---- fds of the same VM ---- */

static void refuse_kcmp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(255);
}

/* Returns 0 if the VMM counts as one VM, and the library says whether it has compared fds. */
static int count_vms(pid_t vmm_pid, bool can_compare)
{
	struct kvmstats_vmm *vmm;
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		if (!can_compare)
			refuse_kcmp();
		_exit(kvmstats_vmm_open(&vmm, vmm_pid) || kvmstats_vmm_vms(vmm) != 1 ||
		      kvmstats_vmm_targets(vmm) != 2 ||
		      kvmstats_vmm_distinct(vmm) != can_compare);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void test_duplicates(void)
{
	pid_t pid;

	if (child_start_vmm(&pid, false))
		return;
	tap_is(count_vms(pid, true), 0, "two fds of one VM are compared with kcmp()");
	tap_is(count_vms(pid, false), 0, "without kcmp() the process counts as one VM");
	child_end(pid);
}

int main(void)
{
	char why[80];
	pid_t pid;
	int err;

	test_options();
	test_other_process();
	err = child_start_vmm(&pid, true);
	if (err) {
		snprintf(why, sizeof(why), "a VM with statistics fds cannot run: %s",
			 strerror(-err));
		tap_report(TAP_SKIP, "", "a monitor watches a VMM", why);
		return tap_end();
	}
	child_end(pid);
	test_vmm();
	test_selection();
	test_unreadable();
	test_duplicates();
	return tap_end();
}
