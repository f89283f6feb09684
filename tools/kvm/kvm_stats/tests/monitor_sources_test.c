// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test what a monitor reads of a VMM that keeps statistics fds of its vCPUs open, but none of its
 * VM, as QEMU 8.1 and later do. It needs KVM with statistics that only the VMM itself can open.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"
#include "model.h"
#include "source/sources.h"
#include "tap.h"
#include "tiny_vmm.h"

static char root[] = "/tmp/monitor_sources_test.XXXXXX";
static char vm_dir[64], value_path[96];

/* ---- the VMM ---- */

struct ready {
	int vm_fd;
	int err;	/* -errno: the statistics cannot be opened */
};

static void __attribute__((noreturn)) run_vmm(int to)
{
	struct ready ready = { 0 };
	struct tiny_vm vm;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ready.err = tiny_create(&vm, 1);
	if (!ready.err && ioctl(vm.vcpu[0].fd, KVM_GET_STATS_FD, NULL) < 0)
		ready.err = -errno;
	ready.vm_fd = vm.fd;
	if (write(to, &ready, sizeof(ready)) != sizeof(ready))
		_exit(1);
	for (;;)
		pause();
}

static pid_t start_vmm(struct ready *ready)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		abort();
	pid = fork();
	if (!pid)
		run_vmm(fds[1]);
	close(fds[1]);
	if (read(fds[0], ready, sizeof(*ready)) != sizeof(*ready))
		ready->err = -EIO;
	close(fds[0]);
	return pid;
}

/* ---- files like those in debugfs ---- */

static void write_values(pid_t pid, int vm_fd)
{
	int fd;

	snprintf(vm_dir, sizeof(vm_dir), "%s/%d-%d", root, (int)pid, vm_fd);
	snprintf(value_path, sizeof(value_path), "%s/statistic_of_the_vm", vm_dir);
	if (mkdir(vm_dir, 0700))
		abort();
	fd = open(value_path, O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || write(fd, "5\n", 2) != 2)
		abort();
	close(fd);
	debugfs_set_path(root);
}

static void remove_values(void)
{
	unlink(value_path);
	rmdir(vm_dir);
}

/* ---- tests ---- */

static struct monitor *open_monitor(const struct filter *filter)
{
	const struct monitor_options options = { .filter = filter };
	struct monitor *monitor;

	if (monitor_open(&monitor, &options) || monitor_sample(monitor) || monitor->vmms != 1)
		abort();
	return monitor;
}

static bool has_target(const struct vmm *vmm, enum scope scope, enum origin origin)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->scope == scope && vmm->target[i]->origin == origin)
			return true;
	}
	return false;
}

static void test_both(const struct filter *filter)
{
	struct monitor *monitor = open_monitor(filter);
	const struct vmm *vmm = monitor->vmm[0];
	char buf[64];

	tap_ok(has_target(vmm, SCOPE_VCPU, ORIGIN_TAKEN), "the vCPU comes from its fd");
	tap_ok(has_target(vmm, SCOPE_VM, ORIGIN_DEBUGFS), "the VM comes from debugfs");
	tap_ok(!vmm->unread.count && !vmm->unread.fd_error, "nothing is missing");
	tap_ok(!strcmp(vmm_sources(vmm, buf, sizeof(buf)), "taken+debugfs"), "both are named");
	monitor_close(monitor);
}

static void test_no_debugfs(const struct filter *filter)
{
	struct monitor *monitor;
	const struct vmm *vmm;

	debugfs_set_path("/nonexistent");
	monitor = open_monitor(filter);
	vmm = monitor->vmm[0];
	tap_ok(vmm->targets == 1 && vmm->unread.count == 1, "without debugfs, the VM is missing");
	tap_ok(!vmm->unread.debugfs_error, "this is not an error of debugfs");
	monitor_close(monitor);
}

static void test(pid_t pid, int vm_fd)
{
	struct filter filter = { 0 };

	if (!filter_add_pid(&filter, pid))
		abort();
	write_values(pid, vm_fd);
	test_both(&filter);
	test_no_debugfs(&filter);
	remove_values();
	filter_free(&filter);
}

/* Returns whether this process can open the statistics of another one's VM. */
static bool opens_statistics_of_others(pid_t pid)
{
	struct kvmstats_fds fds = { 0 };
	int pidfd = kvmstats_pidfd_open(pid);
	int fd = -1;

	if (pidfd >= 0 && !kvmstats_fds_scan(&fds, pid) && fds.count)
		fd = kvmstats_dup_and_open(pidfd, &fds.fd[0]);
	kvmstats_fds_free(&fds);
	if (pidfd >= 0)
		close(pidfd);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Returns the exit status. */
static int run(pid_t pid, const struct ready *ready)
{
	char why[128];

	if (ready->err) {
		snprintf(why, sizeof(why), "KVM has no statistics here: %s", strerror(-ready->err));
		return tap_skip_all(why);
	}
	if (opens_statistics_of_others(pid))
		return tap_skip_all("this kernel lets other processes open statistics");
	test(pid, ready->vm_fd);
	return tap_end();
}

int main(void)
{
	struct ready ready = { 0 };
	pid_t pid;
	int status;

	if (!mkdtemp(root))
		abort();
	pid = start_vmm(&ready);
	status = run(pid, &ready);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rmdir(root);
	return status;
}
