// SPDX-License-Identifier: GPL-2.0-only
/* Test how a monitor follows VMs that start, change and end, with fake VMs. */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fake_vms.h"
#include "tap.h"

#define VM_TARGETS	(1 + VM_IMAGE_VCPUS)

/* Starts a process without a VM. */
static pid_t child_start(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int events[KVMSTATS_EVENT_SEARCH_WORKS + 1];

static void count_event(enum kvmstats_event event, const struct kvmstats_vmm *vmm, void *arg)
{
	(void)vmm;
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

static size_t targets_of(const struct kvmstats_monitor *monitor, size_t i)
{
	const struct kvmstats_vmm *vmm = kvmstats_monitor_vmm(monitor, i);

	return vmm ? kvmstats_vmm_targets(vmm) : 0;
}

static const struct kvmstats_target *target_at(const struct kvmstats_monitor *monitor, size_t i)
{
	const struct kvmstats_vmm *vmm = kvmstats_monitor_vmm(monitor, 0);

	return vmm ? kvmstats_vmm_target(vmm, i) : NULL;
}

/* Returns the value of statistic @name of target @i of the first VMM, or -1. */
static int64_t value_of(const struct kvmstats_monitor *monitor, size_t i, const char *name)
{
	const struct kvmstats_target *target = target_at(monitor, i);
	const struct kvmstats_stat *stat;
	uint64_t value;

	if (!target || kvmstats_target_error(target))
		return -1;
	stat = kvmstats_schema_find(kvmstats_target_schema(target), name);
	if (!stat || kvmstats_sample_value(kvmstats_target_now(target), stat, 0, &value))
		return -1;
	return (int64_t)value;
}

static void test_values(const struct kvmstats_monitor *monitor, int vm, const char *what)
{
	tap_ok(value_of(monitor, 0, "pages") == vm && value_of(monitor, 2, "exits") == 100 &&
	       value_of(monitor, 3, "exits") == 200, "%s", what);
}

/* ---- files that are opened by number ---- */

static int select_vcpus(const struct kvmstats_target *target, void *arg)
{
	(void)arg;
	return kvmstats_target_kind(target) == KVMSTATS_KIND_VCPU;
}

static int select_vm_2(const struct kvmstats_vmm *vmm, void *arg)
{
	(void)arg;
	return !strcmp(kvmstats_vmm_guest(vmm), "vm 2");
}

static void test_options(void)
{
	struct kvmstats_monitor_options options = {
		.size = sizeof(options) - 1, .selects_vmm = select_vm_2,
		.selects_target = select_vcpus,
	};
	struct kvmstats_monitor *monitor;

	start_vms(1, 2, 0);
	tap_is(kvmstats_monitor_open(&monitor, &options), -EINVAL,
	       "options of another size are refused");
	tap_ok(!monitor, "after an error there is no monitor");
	tap_is(kvmstats_monitor_open(&monitor, NULL), 0, "a monitor needs no options");
	tap_is(kvmstats_monitor_vmms(monitor), 0, "a new monitor knows no VMM");
	tap_is(kvmstats_monitor_time(monitor), 0, "a new monitor has no sample");
	tap_is(kvmstats_monitor_pid_error(monitor, getpid()), -EINVAL,
	       "a process that is not selected by PID has no error of its own");
	kvmstats_monitor_close(monitor);
	kvmstats_monitor_close(NULL);

	options.size = sizeof(options);
	kvmstats_monitor_open(&monitor, &options);
	kvmstats_monitor_sample(monitor);
	tap_is(kvmstats_monitor_vmms(monitor), 1, "a VMM that is not selected is not watched");
	tap_is(targets_of(monitor, 0), VM_TARGETS, "all targets are listed");
	tap_is(kvmstats_target_error(target_at(monitor, 0)), -ECANCELED,
	       "one that is not selected is not read");
	tap_is(kvmstats_target_error(target_at(monitor, 1)), 0, "one that is selected is");
	kvmstats_monitor_close(monitor);
}

/* The monitor continues to read the VMs that it knows. */
static void test_search_error(void)
{
	struct kvmstats_monitor *monitor;
	int i;

	start_vms(1, 1, 0);
	monitor = start(NULL);
	next_error = -EMFILE;
	for (i = 0; i < 2; i++) {
		vm_value[1]++;
		advance(SECOND);
		kvmstats_monitor_sample(monitor);
		tap_ok(value_of(monitor, 0, "flushes") == (int64_t)vm_value[1] &&
		       kvmstats_monitor_search_error(monitor) == -EMFILE,
		       "the VM is read when the search cannot open more files");
	}
	tap_is(events[KVMSTATS_EVENT_SEARCH_FAILED], 1, "the failure is reported once");
	next_error = 0;
	advance(SECOND);
	kvmstats_monitor_sample(monitor);
	tap_is(kvmstats_monitor_search_error(monitor), 0, "the search works again");
	tap_is(events[KVMSTATS_EVENT_SEARCH_WORKS], 1, "the end of the failure is reported");
	kvmstats_monitor_close(monitor);
}

static void test_end(void)
{
	struct kvmstats_monitor *monitor;

	start_vms(1, 2, 0);
	monitor = start(NULL);
	tap_is(kvmstats_monitor_vmms(monitor), 2, "two VMs of unknown processes are watched");
	test_values(monitor, 1, "a VM and its vCPUs are read");
	tap_ok(!has_event(monitor), "there is no event while the VMs exist");
	end_vm(1);
	tap_ok(has_event(monitor), "the end of a VM is an event");
	tap_is(wait_shortly(monitor), 0, "the wait continues");
	tap_ok(!is_open(1) && is_open(2), "its file is closed during the wait");
	tap_ok(!has_event(monitor), "the event is gone");
	tap_is(kvmstats_monitor_sample(monitor), 0, "the next sample is read");
	tap_is(events[KVMSTATS_EVENT_ENDED], 1, "the end is reported");
	tap_is(kvmstats_monitor_vmms(monitor), 1, "the other VM is still watched");
	test_values(monitor, 2, "the other VM is still read");
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
	tap_is(kvmstats_target_error(target_at(monitor, 0)), -ENODEV,
	       "the VM has the error that says so");
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
	test_values(monitor, 1, "they are read");
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
	advance(2 * SECOND);	/* the monitor searches once per second */
	kvmstats_monitor_sample(monitor);
	test_values(monitor, 1, "a VM is found after KVM's module was loaded again");
	kvmstats_monitor_close(monitor);
}

static void test_process(pid_t pid)
{
	const struct kvmstats_target *target;
	struct kvmstats_monitor *monitor;

	start_vms(1, 2, pid);
	monitor = start(&pid);
	if (!tap_is(targets_of(monitor, 0), 2 * VM_TARGETS, "both VMs of a process are read"))
		return;
	target = target_at(monitor, 1);
	events[KVMSTATS_EVENT_CHANGED] = 0;
	end_vm(1);
	kvmstats_monitor_sample(monitor);
	tap_is(events[KVMSTATS_EVENT_CHANGED], 1, "the end of one is reported as a change");
	tap_is(targets_of(monitor, 0), VM_TARGETS, "the targets of this VM are removed");
	tap_ok(target_at(monitor, 0) == target, "the other VM keeps its target");
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

/* The files of 10,000 VMs, one after the other */
static void test_many(void)
{
	struct kvmstats_monitor *monitor;
	size_t memory = 0;
	int i;

	start_vms(1, 0, 0);
	monitor = start(NULL);
	for (i = 0; i <= 10000; i++) {
		if (i == 1)
			memory = __sanitizer_get_current_allocated_bytes();
		start_vms(1, 1, 0);
		advance(SECOND);
		kvmstats_monitor_sample(monitor);
		if (value_of(monitor, 0, "pages") != 1)
			break;
		end_vm(1);
		kvmstats_monitor_refresh(monitor);
	}
	tap_is(i, 10001, "10,000 VMs that come and go are read");
	tap_is(__sanitizer_get_current_allocated_bytes(), memory, "they leave no memory behind");
	kvmstats_monitor_close(monitor);
}

/* ---- files that are opened with the fds of the VMM ---- */

static struct kvmstats_fd fd_of_vmm[] = {
	{ .fd = 1, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
	{ .fd = 2, .kind = KVMSTATS_KIND_VM, .vcpu = -1 },
};

static struct kvmstats_fds fds_of_vmm;
static bool can_compare = true;
static bool has_real_fds;		/* the VMM is a process of start_vmm() */

int __wrap_kvmstats_fds_scan(struct kvmstats_fds *fds, pid_t pid)
{
	if (has_real_fds)
		return __real_kvmstats_fds_scan(fds, pid);
	return kvmstats_fds_copy(fds, &fds_of_vmm);
}

bool __wrap_kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid)
{
	if (has_real_fds)
		return __real_kvmstats_fds_distinct(fds, pid);
	return can_compare;
}

/* The monitor scans a VMM every five seconds. */
static void scan(struct kvmstats_monitor *monitor)
{
	advance(5 * SECOND);
	kvmstats_monitor_sample(monitor);
}

static uint64_t time_before(const struct kvmstats_target *target)
{
	return kvmstats_sample_time(kvmstats_target_before(target));
}

/* The targets of a VMM are VM 1, VM 2, vCPU 0 of VM 1, vCPU 0 of VM 2, and so on. */
static void test_fds(pid_t pid)
{
	const struct kvmstats_target *kept;
	struct kvmstats_monitor *monitor;

	start_vms(1, VMS, 0);
	next_error = -EPERM;
	vm_of_fd[1] = 1;
	vm_of_fd[2] = 2;
	fds_of_vmm = (struct kvmstats_fds){ .fd = fd_of_vmm, .count = 2 };
	monitor = start(&pid);
	tap_ok(value_of(monitor, 0, "pages") == 1 && value_of(monitor, 1, "pages") == 2,
	       "both VMs of a VMM are read");
	kept = target_at(monitor, 3);
	tap_is(kvmstats_target_number(kept), 0, "they have no number");
	tap_is(kvmstats_target_origin(kept), KVMSTATS_ORIGIN_OPEN, "they have their origin");
	tap_ok(kvmstats_target_schema(kept) == kvmstats_target_schema(target_at(monitor, 2)),
	       "the vCPUs of both have the same schema");

	kvmstats_monitor_sample(monitor);
	end_vm(1);
	vm_of_fd[1] = VMS;
	kvmstats_monitor_sample(monitor);
	tap_ok(value_of(monitor, 0, "pages") == VMS && value_of(monitor, 1, "pages") == 2,
	       "another VM whose fd has the same number is read");
	tap_ok(!time_before(target_at(monitor, 2)), "its vCPU has no earlier sample");
	tap_ok(target_at(monitor, 3) == kept && time_before(kept),
	       "the vCPU of the VM that exists longer has one");

	end_vm(VMS);
	fds_of_vmm = (struct kvmstats_fds){ .fd = &fd_of_vmm[1], .count = 1 };
	kvmstats_monitor_sample(monitor);
	tap_is(targets_of(monitor, 0), VM_TARGETS, "a VM that has ended is dropped");
	tap_ok(target_at(monitor, 1) == kept, "the other VM keeps its targets");

	start_vms(1, 2, 0);
	vm_of_fd[1] = 1;
	fds_of_vmm = (struct kvmstats_fds){ .fd = fd_of_vmm, .count = 2 };
	open_error = -EMFILE;
	scan(monitor);
	tap_is(targets_of(monitor, 0), VM_TARGETS, "if files cannot be opened, the open ones stay");
	open_error = 0;
	can_compare = false;
	scan(monitor);
	tap_is(targets_of(monitor, 0), VM_TARGETS, "without kcmp(), no VM counts twice");
	tap_is(value_of(monitor, 0, "pages"), 1, "the VM of the lowest fd is read");
	can_compare = true;
	kvmstats_monitor_close(monitor);
}

/* ---- a file of each VM and vCPU ---- */

static const struct image *current;	/* the file that the VMM's fd opens */

int __wrap_kvmstats_dup_and_open(int pidfd, const struct kvmstats_fd *entry)
{
	int fd = has_real_fds ? __real_kvmstats_dup_and_open(pidfd, entry) : image_fd(current);

	if (fd < 0)
		return fd;
	close_other_end(fd);
	file[fd].vm = 0;	/* the file is not that of a fake VM */
	return fd;
}

static void make_image(struct image *image, const char *first, const char *second)
{
	image_init(image);
	image_add(image, first, 0, 0, 1, 0);
	image_add(image, second, 0, 0, 1, 0);
	image->data[0] = 10;
	image->data[1] = 20;
}

/* A VMM can close a VM and create another one whose fd has the same number. */
static void test_other_schema(pid_t pid)
{
	const struct kvmstats_schema *first;
	struct kvmstats_monitor *monitor;
	struct image image, other;

	make_image(&image, "exits", "hits");
	make_image(&other, "hits", "exits");
	current = &image;
	open_error = -EOPNOTSUPP;
	fds_of_vmm = (struct kvmstats_fds){ .fd = fd_of_vmm, .count = 1 };
	monitor = start(&pid);
	tap_is(value_of(monitor, 0, "exits"), 10, "the file of a VM is read");
	first = kvmstats_target_schema(target_at(monitor, 0));
	scan(monitor);
	tap_ok(kvmstats_target_schema(target_at(monitor, 0)) == first &&
	       time_before(target_at(monitor, 0)), "a file with the same schema keeps the samples");
	tap_is(events[KVMSTATS_EVENT_SCANNED], 1, "the scan is reported");
	current = &other;
	scan(monitor);
	tap_is(events[KVMSTATS_EVENT_CHANGED], 1, "another schema is reported");
	tap_ok(!time_before(target_at(monitor, 0)), "there is no earlier sample with it");
	tap_is(value_of(monitor, 0, "exits"), 20, "its values are found at their offsets");
	kvmstats_monitor_close(monitor);
}

/* ---- names that cannot be read at once ---- */

/* NULL: files are those of the process. "": the read is late. */
static const char *late_cmdline;

int __wrap_kvmstats_reader_read(struct kvmstats_reader *reader, pid_t pid, const char *name,
				char **text, size_t *size)
{
	const char *found = strcmp(name, "cgroup") ? late_cmdline : "0::/qemu.slice/100.scope\n";

	if (!late_cmdline)
		return __real_kvmstats_reader_read(reader, pid, name, text, size);
	if (!*found)
		return -ETIMEDOUT;
	*text = strdup(found);
	*size = strlen(found) + 1;
	return *text ? 0 : -ENOMEM;
}

static int select_web(const struct kvmstats_vmm *vmm, void *arg)
{
	(void)arg;
	return kvmstats_vmm_guest(vmm) && !strcmp(kvmstats_vmm_guest(vmm), "web");
}

static bool is_named(const struct kvmstats_monitor *monitor, const char *name, int err)
{
	const struct kvmstats_vmm *vmm = kvmstats_monitor_vmm(monitor, 0);

	return vmm && kvmstats_vmm_name_error(vmm) == err &&
	       !strcmp(kvmstats_vmm_guest(vmm), name);
}

static void test_names(pid_t pid)
{
	struct kvmstats_monitor_options options = {
		.size = sizeof(options), .pid = &pid, .pids = 1, .event = count_event,
		.selects_vmm = select_web,
	};
	struct kvmstats_monitor *monitor;

	start_vms(1, 1, 0);
	vm_of_fd[1] = 1;
	open_error = 0;
	fds_of_vmm = (struct kvmstats_fds){ .fd = fd_of_vmm, .count = 1 };
	late_cmdline = "";
	memset(events, 0, sizeof(events));
	kvmstats_monitor_open(&monitor, &options);
	kvmstats_monitor_sample(monitor);
	tap_ok(is_named(monitor, "100", -ETIMEDOUT),
	       "a guest whose command line is late has the name of its cgroup");
	test_values(monitor, 1, "it is read, because it may be the selected guest");
	kvmstats_monitor_sample(monitor);
	tap_is(events[KVMSTATS_EVENT_CHANGED], 0, "nothing changes while the command line is late");
	late_cmdline = "--name=web";
	kvmstats_monitor_sample(monitor);
	tap_ok(is_named(monitor, "web", 0), "then it has its name");
	tap_is(events[KVMSTATS_EVENT_CHANGED], 1, "which is reported as a change");
	kvmstats_monitor_close(monitor);

	late_cmdline = "";
	kvmstats_monitor_open(&monitor, &options);
	kvmstats_monitor_sample(monitor);
	late_cmdline = "--name=db";
	memset(events, 0, sizeof(events));
	kvmstats_monitor_sample(monitor);
	tap_is(events[KVMSTATS_EVENT_ENDED], 1,
	       "a guest is released if its name shows that it is not selected");
	kvmstats_monitor_close(monitor);
	late_cmdline = NULL;
}

/* ---- scans of the fds of a process ---- */

/* A file in memory has the name of a file of KVM in the links of /proc/PID/fd. */
ssize_t __wrap_readlinkat(int dir, const char *path, char *link, size_t size)
{
	char target[PATH_MAX + 1] = "", name[IMAGE_NAME_SIZE];
	ssize_t length = syscall(SYS_readlinkat, dir, path, target, sizeof(target) - 1);

	if (length < 0)
		return length;
	if (sscanf(target, "/memfd:%47s (deleted)", name) == 1)
		length = snprintf(target, sizeof(target), "anon_inode:%s", name);
	length = (size_t)length < size ? length : (ssize_t)size;
	memcpy(link, target, length);
	return length;
}

#define REAL_FDS	5

/* The fds of a VM and a vCPU, their statistics fds, and a second fd of the VM */
static void open_real_fds(const struct image *image, int fd[REAL_FDS])
{
	static const char * const name[] = {
		"kvm-vm", "kvm-vcpu:0", "kvm-vm-stats", "kvm-vcpu-stats:0",
	};
	unsigned char bytes[sizeof(*image)];
	size_t size = image_bytes(image, bytes), i;

	for (i = 0; i < ARRAY_SIZE(name); i++) {
		fd[i] = memfd_create(name[i], MFD_CLOEXEC);
		if (write(fd[i], bytes, size) != (ssize_t)size)
			_exit(1);
	}
	fd[i] = dup(fd[0]);
}

/* Starts a VMM, which starts or ends its VM for each byte that it receives, and answers it. */
static pid_t start_vmm(const struct image *image, int *socket)
{
	int pair[2], fd[REAL_FDS], i;
	bool runs = false;
	pid_t pid;
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		exit(1);
	pid = fork();
	if (pid) {
		close(pair[1]);
		*socket = pair[0];
		return pid;
	}
	close(pair[0]);
	while (read(pair[1], &byte, 1) == 1) {
		for (i = 0; runs && i < REAL_FDS; i++)
			close(fd[i]);
		runs = !runs;
		if (runs)
			open_real_fds(image, fd);
		if (write(pair[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void change_vm(struct kvmstats_monitor *monitor, int vmm)
{
	char byte = 0;

	if (write(vmm, &byte, 1) != 1 || read(vmm, &byte, 1) != 1)
		exit(1);
	scan(monitor);
}

static void test_many_scans(void)
{
	struct kvmstats_monitor *monitor;
	struct image image;
	size_t memory = 0;
	int vmm, i;
	pid_t pid;

	make_image(&image, "exits", "hits");
	pid = start_vmm(&image, &vmm);
	has_real_fds = true;
	monitor = start(&pid);
	for (i = 0; i <= 10000; i++) {
		if (i == 1)
			memory = __sanitizer_get_current_allocated_bytes();
		change_vm(monitor, vmm);
		if (targets_of(monitor, 0) != 2 || value_of(monitor, 1, "hits") != 20)
			break;
		change_vm(monitor, vmm);
		if (kvmstats_monitor_vmms(monitor))
			break;
	}
	tap_is(i, 10001, "10,000 VMs whose fds are found by scans come and go");
	tap_is(__sanitizer_get_current_allocated_bytes(), memory, "they leave no memory behind");
	kvmstats_monitor_close(monitor);
	has_real_fds = false;
	close(vmm);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	struct stat namespace;
	pid_t pid = child_start();

	test_options();
	test_search_error();
	test_end();
	test_end_at_read();
	test_new_vcpu();
	test_numbers_restart();
	test_many();
	/* Only there the IDs in the files have PIDs that the library uses. */
	if (!stat("/proc/self/ns/pid", &namespace) && namespace.st_ino == 0xEFFFFFFC)
		test_process(child_start());
	else
		tap_report(TAP_SKIP, "", "VMs of a process", "not the initial PID namespace");
	test_fds(pid);
	test_names(pid);
	test_other_schema(pid);
	test_many_scans();
	child_end(pid);
	return tap_end();
}
