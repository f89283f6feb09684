// SPDX-License-Identifier: GPL-2.0-only
/* Test monitors of real processes. vms_test has what fake VMs can test. */
#include <errno.h>
#include <poll.h>

#include "child_vmm.h"
#include "internal.h"
#include "tap.h"

/* How often the monitor has reported each event. */
static int events[KVMSTATS_EVENT_SEARCH_WORKS + 1];

static void count_event(enum kvmstats_event event, const struct kvmstats_vmm *vmm, void *arg)
{
	(void)vmm;
	(void)arg;
	events[event]++;
}

/* Opens a monitor of one process, and samples. Returns NULL if that fails. */
static struct kvmstats_monitor *watch(pid_t *pid)
{
	const struct kvmstats_monitor_options options = {
		.size = sizeof(options), .pid = pid, .pids = 1, .event = count_event,
	};
	struct kvmstats_monitor *monitor;

	memset(events, 0, sizeof(events));
	if (kvmstats_monitor_open(&monitor, &options))
		return NULL;
	if (!kvmstats_monitor_sample(monitor))
		return monitor;
	kvmstats_monitor_close(monitor);
	return NULL;
}

static uint64_t soon(void)
{
	return clock_now() + 5 * SECOND;
}

/* ---- without a VM ---- */

/* Returns whether the monitor reports that an unprivileged user may not examine PID 1. */
static bool is_denied(void)
{
	struct kvmstats_monitor *monitor;
	bool found = false;
	size_t i;

	if ((!getuid() && setuid(65534)) || kvmstats_monitor_open(&monitor, NULL) ||
	    kvmstats_monitor_sample(monitor))
		return false;
	for (i = 0; i < kvmstats_monitor_denied(monitor); i++)
		found |= kvmstats_monitor_denied_pid(monitor, i) == 1;
	return found && !kvmstats_monitor_denied_pid(monitor, i);
}

static void test_denied(void)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(!is_denied());
	waitpid(pid, &status, 0);
	tap_is(status, 0, "processes that may not be examined are named");
}

static void test_other_process(void)
{
	pid_t pid = child_start();
	struct kvmstats_monitor *monitor = watch(&pid);

	if (!tap_ok(monitor, "a monitor of a process without a VM starts"))
		return;
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ENODEV,
	       "a process without a VM is reported as such");
	kvmstats_monitor_close(monitor);
	child_end(pid);
	monitor = watch(&pid);
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ESRCH,
	       "a process that has ended is reported as such");
	tap_is(kvmstats_monitor_wait(monitor, soon()), -ESRCH,
	       "the wait ends when all selected processes have ended");
	kvmstats_monitor_close(monitor);
}

/* ---- with a VM ---- */

static const struct kvmstats_target *target_at(const struct kvmstats_monitor *monitor, size_t i)
{
	return kvmstats_vmm_target(kvmstats_monitor_vmm(monitor, 0), i);
}

static void test_samples(struct kvmstats_monitor *monitor)
{
	const struct kvmstats_target *vm = target_at(monitor, 0), *vcpu = target_at(monitor, 1);

	tap_ok(kvmstats_target_kind(vm) == KVMSTATS_KIND_VM && kvmstats_target_vcpu(vcpu) == 0,
	       "these are the VM and the vCPU");
	tap_ok(!kvmstats_target_error(vm) && !kvmstats_target_error(vcpu), "both can be read");
	tap_is(kvmstats_sample_time(kvmstats_target_before(vcpu)), 0,
	       "after the first sample there is no previous one");
	tap_is(kvmstats_monitor_sample(monitor), 0, "a second sample is read");
	tap_ok(kvmstats_sample_time(kvmstats_target_before(vcpu)) <
	       kvmstats_sample_time(kvmstats_target_now(vcpu)), "the previous sample is kept");
	tap_ok(kvmstats_monitor_time(monitor) <= kvmstats_sample_time(kvmstats_target_now(vm)),
	       "the time of the monitor is that at which the sample began");
	tap_ok(kvmstats_schema_count(kvmstats_target_schema(vm)), "the VM has statistics");
}

/* The VMM has two fds of its VM, and holds statistics fds. */
static void test_vmm(pid_t pid)
{
	struct kvmstats_monitor *monitor = watch(&pid);
	struct pollfd fd = { .events = POLLIN };
	const struct kvmstats_vmm *vmm;

	if (!tap_ok(monitor && kvmstats_monitor_vmms(monitor) == 1, "a monitor of a VMM starts"))
		return;
	vmm = kvmstats_monitor_vmm(monitor, 0);
	tap_is(events[KVMSTATS_EVENT_APPEARED], 1, "the VMM is reported");
	tap_is(kvmstats_monitor_pid_error(monitor, pid), 0, "the VMM has no error");
	tap_ok(kvmstats_vmm_vms(vmm) == 1 && kvmstats_vmm_distinct(vmm), "it has one VM");
	if (tap_is(kvmstats_vmm_targets(kvmstats_monitor_vmm(monitor, 0)), 2,
		   "a VM and a vCPU are read"))
		test_samples(monitor);

	fd.fd = kvmstats_monitor_fd(monitor);
	tap_is(poll(&fd, 1, 0), 0, "the fd of the monitor is not readable while the VMM runs");
	child_end(pid);
	tap_is(poll(&fd, 1, 5000), 1, "the fd of the monitor is readable when the VMM has ended");
	tap_is(kvmstats_monitor_wait(monitor, soon()), -ESRCH,
	       "the wait ends with the only selected process");
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "the end of the VMM is reported");
	tap_is(kvmstats_monitor_vmms(monitor), 0, "the VMM is released");
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ESRCH, "the process has ended");
	kvmstats_monitor_close(monitor);
}

/* A kernel with the kvm-stats patches opens the statistics even then. */
static void test_unreadable(void)
{
	struct kvmstats_monitor *monitor;
	const struct kvmstats_target *vm;
	pid_t pid;
	int err;

	if (child_start_vmm(&pid, false))
		return;
	monitor = watch(&pid);
	vm = target_at(monitor, 0);
	err = kvmstats_target_error(vm);
	tap_ok(!err || err == -EIO, "a VMM that holds no statistics fds can be read, or has -EIO");
	tap_is(!kvmstats_target_now(vm), err != 0, "what cannot be read has no sample");
	tap_is(!kvmstats_target_schema(vm), err != 0, "what cannot be read has no schema");
	tap_is(kvmstats_monitor_sample(monitor), 0, "the sample of all others succeeds");
	kvmstats_monitor_close(monitor);
	child_end(pid);
}

int main(void)
{
	char why[80];
	pid_t pid;
	int err;

	test_other_process();
	test_denied();
	err = child_start_vmm(&pid, true);
	if (err) {
		snprintf(why, sizeof(why), "a VM with statistics fds cannot run: %s",
			 strerror(-err));
		tap_report(TAP_SKIP, "", "a monitor watches a VMM", why);
		return tap_end();
	}
	test_vmm(pid);
	test_unreadable();
	return tap_end();
}
