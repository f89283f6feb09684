// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reproduce the crash without series/7.2-fixes: a file is the only reference to a VM, KVM's vendor
 * module is removed, and close() of the file destroys the VM.
 *
 * VENDOR_REMOVAL names the files: `vm`, `vcpu`, or files in the VM's debugfs directory. Without it,
 * the program does nothing, because not all kernels survive it.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "kvm_stats_checks.h"
#include "lib/vm_dir.h"
#include "tap.h"

enum { REFUSED, REMOVED, FAILED };

static const char *vendor(void)
{
	return access("/sys/module/kvm_amd", F_OK) ? "kvm_intel" : "kvm_amd";
}

static int open_file(const int fds[STATS_NUM_FDS], const char *name)
{
	struct vm_dir dir = vm_dir(getpid(), fds[STATS_FD_VM]);
	bool vm = !strcmp(name, "vm");
	char path[256];
	int fd = -1;

	if (vm || !strcmp(name, "vcpu"))
		return stats_getfd(fds[vm ? STATS_FD_VM : STATS_FD_VCPU], &fd) ? -1 : fd;
	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A crash of the kernel kills this process. */
static int close_without_vendor(const char *name)
{
	int fds[STATS_NUM_FDS], fd;
	bool removed;

	if (stats_bare_vm(fds))
		return FAILED;
	fd = open_file(fds, name);
	stats_close_fds(fds);
	if (fd < 0)
		return FAILED;
	removed = !syscall(SYS_delete_module, vendor(), O_NONBLOCK);
	close(fd);
	return removed ? REMOVED : REFUSED;
}

static const char *outcome(int status)
{
	if (WIFSIGNALED(status))
		return "the vendor module was removed, and close() crashed the kernel";
	if (WEXITSTATUS(status) == REMOVED)
		return "the vendor module was removed";
	return WEXITSTATUS(status) == REFUSED ? NULL : "the file could not be opened";
}

int main(void)
{
	char *names = getenv("VENDOR_REMOVAL"), *name;
	const char *message;
	int status;
	pid_t pid;

	if (!names)
		return tap_skip_all("can crash the kernel; set VENDOR_REMOVAL to allow that");
	for (name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		fflush(NULL);
		pid = fork();
		if (!pid)
			_exit(close_without_vendor(name));
		message = waitpid(pid, &status, 0) == pid ? outcome(status) : "waitpid() failed";
		tap_report(message ? TAP_NOT_OK : TAP_OK, "removal_refused", name, message);
	}
	return tap_end();
}
