// SPDX-License-Identifier: GPL-2.0-only
/* Test the files of VMs in a monitor: VMs that end, and several fds of one VM. */
#include <poll.h>

#include "child_vmm.h"
#include "clock.h"
#include "fake_vms.h"
#include "tap.h"
#include "vmm_files.h"
#include "vmm_state.h"
#include "watch.h"

#define VM_READERS	(1 + VM_IMAGE_VCPUS)

static int events[KVMSTATS_EVENT_SEARCH_WORKS + 1];

/* ---- monitors that open files by number ---- */

static void count_event(enum kvmstats_event event, const struct kvmstats_watch *watch, void *arg)
{
	(void)watch;
	(void)arg;
	events[event]++;
}

/* Watches all VMs, or those of *@pid. */
static struct kvmstats_monitor *start(const pid_t *pid)
{
	const struct kvmstats_monitor_options options = {
		.size = sizeof(options), .pid = pid, .pids = !!pid, .event = count_event,
	};
	struct kvmstats_monitor *monitor;

	memset(events, 0, sizeof(events));
	if (kvmstats_monitor_open(&monitor, &options) || kvmstats_monitor_sample(monitor))
		exit(1);
	return monitor;
}

static bool has_event(const struct kvmstats_monitor *monitor)
{
	struct pollfd poll_fd = { .fd = kvmstats_monitor_fd(monitor), .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

static int wait_shortly(struct kvmstats_monitor *monitor)
{
	return kvmstats_monitor_wait(monitor, clock_now() + SECOND / 50);
}

static size_t readers_of(const struct kvmstats_monitor *monitor, size_t i)
{
	const struct kvmstats_watch *watch = kvmstats_monitor_watch(monitor, i);

	return watch ? kvmstats_watch_readers(watch) : 0;
}

/* Returns the first value of reader @i, or -1. */
static int64_t value_of(const struct kvmstats_watch *watch, size_t i)
{
	const struct kvmstats_reader *reader = watch ? kvmstats_watch_reader(watch, i) : NULL;
	uint64_t value;

	if (!reader || !reader->schema ||
	    kvmstats_sample_value(reader->now, kvmstats_schema_stat(reader->schema, 0), 0, &value))
		return -1;
	return (int64_t)value;
}

static void test_values(const struct kvmstats_watch *watch, int vm, const char *what)
{
	tap_ok(value_of(watch, 0) == vm && value_of(watch, 2) == 100 && value_of(watch, 3) == 200,
	       "%s", what);
}

static void test_end(void)
{
	struct kvmstats_monitor *monitor;

	start_vms(1, 2, 0);
	monitor = start(NULL);
	tap_is(kvmstats_monitor_watches(monitor), 2, "two VMs of unknown processes are watched");
	test_values(kvmstats_monitor_watch(monitor, 0), 2, "a VM and its vCPUs are read");
	tap_ok(!has_event(monitor), "there is no event while the VMs exist");
	end_vm(1);
	tap_ok(has_event(monitor), "the end of a VM is an event");
	tap_is(wait_shortly(monitor), 0, "the wait continues");
	tap_ok(!is_open(1) && is_open(2), "its file is closed during the wait");
	tap_ok(!has_event(monitor), "the event is gone");
	tap_is(kvmstats_monitor_sample(monitor), 0, "the next sample is read");
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "the end is reported");
	tap_is(kvmstats_monitor_watches(monitor), 1, "the other VM is still watched");
	test_values(kvmstats_monitor_watch(monitor, 0), 2, "the other VM is still read");
	kvmstats_monitor_close(monitor);
}

/* A VM ends between the check for events and the read, or epoll_ctl() has failed. */
static void test_end_at_read(void)
{
	struct kvmstats_monitor *monitor;

	start_vms(1, 1, 0);
	monitor = start(NULL);
	alive[1] = false;
	tap_is(kvmstats_monitor_sample(monitor), 0, "a sample of a VM that ends is not an error");
	tap_is(kvmstats_reader_error(kvmstats_watch_reader(kvmstats_monitor_watch(monitor, 0), 0)),
	       -ENODEV, "the VM has the error that says so");
	tap_is(events[KVMSTATS_EVENT_ENDED], 0, "the VM is not released during the sample");
	tap_is(kvmstats_monitor_refresh(monitor), 0, "the next refresh succeeds");
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "it releases the VM");
	kvmstats_monitor_close(monitor);
}

static void test_new_vcpu(void)
{
	struct kvmstats_monitor *monitor;

	start_vms(1, 1, 0);
	vcpus[1] = 1;
	monitor = start(NULL);
	vcpus[1] = VM_IMAGE_VCPUS;
	kvmstats_monitor_sample(monitor);
	kvmstats_monitor_sample(monitor);
	tap_is(events[KVMSTATS_EVENT_CHANGED], 1, "new vCPUs are reported once");
	test_values(kvmstats_monitor_watch(monitor, 0), 1, "they are read");
	kvmstats_monitor_close(monitor);
}

static void test_numbers_restart(void)
{
	struct kvmstats_monitor *monitor;

	start_vms(2, 2, 0);
	monitor = start(NULL);
	end_vm(2);
	kvmstats_monitor_refresh(monitor);
	start_vms(1, 1, 0);
	usleep(1100000);	/* the monitor searches once per second */
	kvmstats_monitor_sample(monitor);
	test_values(kvmstats_monitor_watch(monitor, 0), 1,
		    "a VM is found after KVM's module was loaded again");
	kvmstats_monitor_close(monitor);
}

static void test_process(pid_t pid)
{
	const struct kvmstats_reader *reader;
	struct kvmstats_monitor *monitor;

	start_vms(1, 2, pid);
	monitor = start(&pid);
	if (!tap_is(readers_of(monitor, 0), 2 * VM_READERS, "both VMs of a process are read"))
		return;
	reader = kvmstats_watch_reader(kvmstats_monitor_watch(monitor, 0), 1);
	events[KVMSTATS_EVENT_CHANGED] = 0;
	end_vm(1);
	kvmstats_monitor_sample(monitor);
	tap_is(events[KVMSTATS_EVENT_CHANGED], 1, "the end of one is reported as a change");
	tap_is(readers_of(monitor, 0), VM_READERS, "the readers of this VM are removed");
	tap_ok(kvmstats_watch_reader(kvmstats_monitor_watch(monitor, 0), 0) == reader,
	       "the other VM keeps its reader");
	end_vm(2);
	tap_is(wait_shortly(monitor), 0, "the wait continues while the process exists");
	tap_is(events[KVMSTATS_EVENT_ENDED], 0, "the VMM may be about to end");
	kvmstats_monitor_refresh(monitor);
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "a process without a VM is released");
	tap_is(kvmstats_monitor_pid_error(monitor, pid), -ENODEV, "the process is not a VMM");
	kvmstats_monitor_close(monitor);

	start_vms(1, 1, pid);
	monitor = start(&pid);
	end_vm(1);	/* the kernel ends the VM before the process */
	child_end(pid);
	tap_is(kvmstats_monitor_wait(monitor, clock_now() + 5 * SECOND), -ESRCH,
	       "the wait ends with the only selected process");
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "its end is reported");
	kvmstats_monitor_close(monitor);
}

/* ---- files opened with fds of the VMM ---- */

static struct kvmstats_fd fd_of_vmm[] = {
	{ .fd = 1, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
	{ .fd = 2, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
};

static const struct kvmstats_fds fds_of_vmm = { .fd = fd_of_vmm, .count = 2 };
static const struct kvmstats_monitor_options no_options;

static struct kvmstats_watch *open_with_fds(struct kvmstats_schemas *schemas)
{
	struct kvmstats_watch *watch;
	struct kvmstats_vmm *vmm;

	start_vms(1, VMS, 0);
	vm_of_fd[1] = 1;
	vm_of_fd[2] = 2;
	if (kvmstats_vmm_open_by_number(&vmm, getpid(), schemas))
		exit(1);
	vmm->by_number = false;
	watch = kvmstats_watch_new(vmm);
	tap_is(kvmstats_vmm_open_files(vmm, &fds_of_vmm), 0, "the files of two VM fds are opened");
	kvmstats_watch_attach(watch, &no_options, schemas);
	kvmstats_watch_sample(watch);
	return watch;
}

/* The targets of a VMM are VM 1, VM 2, vCPU 0 of VM 1, vCPU 0 of VM 2, and so on. */
static void test_fds(void)
{
	struct kvmstats_schemas schemas = { 0 };
	struct kvmstats_watch *watch = open_with_fds(&schemas);
	const struct kvmstats_reader *kept = kvmstats_watch_reader(watch, 3);

	tap_ok(value_of(watch, 0) == 1 && value_of(watch, 1) == 2, "both VMs are read");
	tap_is(kvmstats_target_number(kvmstats_reader_target(kept)), 0, "they have no number");
	tap_is(schemas.count, 2, "each schema is stored once");
	kvmstats_fds_copy(&watch->vmm->fds, &fds_of_vmm);
	end_vm(1);
	kvmstats_vmm_close_ended(watch->vmm);
	kvmstats_vmm_drop_ended(watch->vmm);
	tap_is(watch->vmm->fds.count, 0, "after the end of a VM a scan opens all files again");
	kvmstats_watch_attach(watch, &no_options, &schemas);
	tap_is(kvmstats_watch_readers(watch), VM_READERS, "a VM that has ended is dropped");
	tap_ok(kvmstats_watch_reader(watch, 1) == kept, "a vCPU of the other VM keeps its reader");

	vm_of_fd[1] = VMS;
	tap_is(kvmstats_vmm_open_files(watch->vmm, &fds_of_vmm), 0, "a scan opens all files");
	kvmstats_watch_attach(watch, &no_options, &schemas);
	kvmstats_watch_sample(watch);
	tap_ok(value_of(watch, 0) == VMS && value_of(watch, 1) == 2,
	       "another VM whose fd has the same number is read");
	tap_ok(!kvmstats_sample_time(kvmstats_reader_before(kvmstats_watch_reader(watch, 2))),
	       "its vCPU has no earlier sample");
	tap_ok(kvmstats_watch_reader(watch, 3) == kept &&
	       kvmstats_sample_time(kvmstats_reader_before(kept)),
	       "the vCPU of the VM that exists longer has one");

	open_error = -EMFILE;
	tap_is(kvmstats_vmm_open_files(watch->vmm, &fds_of_vmm), -EMFILE,
	       "files that cannot be opened again are reported");
	open_error = 0;
	tap_is(kvmstats_vmm_targets(watch->vmm), 2 * VM_READERS, "the open ones stay");

	watch->vmm->distinct = false;
	kvmstats_vmm_open_files(watch->vmm, &fds_of_vmm);
	tap_is(kvmstats_vmm_targets(watch->vmm), VM_READERS,
	       "if fds cannot be compared, no VM counts twice");
	kvmstats_watch_free(watch);
	kvmstats_schemas_free(&schemas);
}

int main(void)
{
	struct stat namespace;

	test_end();
	test_end_at_read();
	test_new_vcpu();
	test_numbers_restart();
	/* Only there the IDs in the files have PIDs that the library uses. */
	if (!stat("/proc/self/ns/pid", &namespace) && namespace.st_ino == 0xEFFFFFFC)
		test_process(child_start());
	else
		tap_report(TAP_SKIP, "", "VMs of a process", "not the initial PID namespace");
	test_fds();
	return tap_end();
}
