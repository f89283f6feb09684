// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "kvmstats.h"
#include "messages/explain.h"

#define CAP_DAC_OVERRIDE	1
#define CAP_DAC_READ_SEARCH	2
#define CAP_SYS_PTRACE		19

/* Returns the number of the line "@key:" in /proc/@process/status, or -1. */
static long long status_number(const char *process, const char *key, int base)
{
	size_t len = strlen(key);
	long long number = -1;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", process);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, len) && line[len] == ':') {
			number = strtoll(line + len + 1, NULL, base);
			break;
		}
	}
	fclose(file);
	return number;
}

static long long pid_status_number(pid_t pid, const char *key)
{
	char process[16];

	snprintf(process, sizeof(process), "%d", (int)pid);
	return status_number(process, key, 10);
}

static bool has_capability(int capability)
{
	long long caps = status_number("self", "CapEff", 16);

	return caps >= 0 && (caps >> capability & 1);
}

/*
 * Reading the fds of any process needs two capabilities: to trace it, and to list its fds.
 * Returns the ones that kvm-stats lacks, or NULL.
 */
static const char *missing_capabilities(void)
{
	bool lists = has_capability(CAP_DAC_READ_SEARCH) || has_capability(CAP_DAC_OVERRIDE);

	if (has_capability(CAP_SYS_PTRACE))
		return lists ? NULL : "CAP_DAC_READ_SEARCH";
	return lists ? "CAP_SYS_PTRACE" : "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";
}

static bool may_list_fds(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int yama_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &scope) != 1)
		scope = 0;
	fclose(file);
	return scope;
}

/* The same for one process: if its fds can already be listed, CAP_SYS_PTRACE is enough. */
static const char *missing_for(pid_t pid)
{
	const char *missing = missing_capabilities();

	if (missing && may_list_fds(pid))
		return has_capability(CAP_SYS_PTRACE) ? NULL : "CAP_SYS_PTRACE";
	return missing;
}

static void suggest_root(const char *missing)
{
	complain("Run kvm-stats as root, or grant it %s.", missing);
}

/* Yama can refuse to duplicate fds (EPERM), but not to list them (EACCES). */
static void explain_permission(pid_t pid, int err)
{
	long long uid = pid_status_number(pid, "Uid");
	long long own = geteuid();
	int scope = err == -EPERM ? yama_scope() : 0;
	const char *missing = missing_for(pid);

	if (scope >= 3) {
		complain("kernel.yama.ptrace_scope is %d: no process may read fds of another one",
			 scope);
		complain("Set it to 0 for the next boot, and reboot.");
	} else if (!missing) {
		complain("CAP_SYS_PTRACE does not apply to PID %d", (int)pid);
		complain("It is in another user namespace, or a security module denies access.");
	} else if (has_capability(CAP_SYS_PTRACE)) {
		complain("kvm-stats has CAP_SYS_PTRACE, but lacks %s", missing);
		suggest_root(missing);
	} else if (uid >= 0 && uid != own) {
		complain("PID %d belongs to UID %lld, and kvm-stats runs as UID %lld", (int)pid,
			 uid, own);
		complain("Run kvm-stats as root or as UID %lld, or grant it %s.", uid, missing);
	} else if (scope) {
		complain("kernel.yama.ptrace_scope is %d, not 0", scope);
		suggest_root(missing);
	} else {
		complain("PID %d has capabilities that kvm-stats lacks, or is not dumpable",
			 (int)pid);
		suggest_root(missing);
	}
}

void explain_denied(size_t count)
{
	const char *missing = missing_capabilities();

	if (!count)
		return;
	complain("%zu process%s could not be examined: permission denied", count,
		 count == 1 ? "" : "es");
	if (missing)
		suggest_root(missing);
	else
		complain("A user namespace or a security module denies access.");
}

static void explain_invalid(pid_t pid)
{
	long long tgid = pid_status_number(pid, "Tgid");

	if (tgid > 0 && tgid != pid)
		complain("%d is a thread of process %lld. Use -p %lld.", (int)pid, tgid, tgid);
	else
		complain("%d is not a process ID. Run 'kvm-stats list' for the IDs of VMMs.",
			 (int)pid);
}

static void explain_not_own(void)
{
	int supported = kvmstats_supported();

	complain("Use a VMM that keeps statistics fds open (QEMU 8.1 and later, for vCPUs).");
	complain("A kernel with the kvm-stats patches does not need that.");
	if (supported < 0)
		complain("cannot check whether this kernel has KVM statistics: /dev/kvm: %s",
			 strerror(-supported));
}

static void hint(pid_t pid, int err)
{
	switch (-err) {
	case ENODEV:
	case ESRCH:
		complain("Run 'kvm-stats list' for the processes that have VMs.");
		break;
	case EACCES:
	case EPERM:
		explain_permission(pid, err);
		break;
	case EOPNOTSUPP:
		complain("Use Linux 5.14 or later, or Linux 5.10 with the kvm-stats patches.");
		break;
	case EIO:
		explain_not_own();
		break;
	case EMFILE:
		complain("Each vCPU needs an open file.");
		complain("Raise the limit (ulimit -n), or select fewer vCPUs with --vcpu.");
		break;
	case ESTALE:
		complain("the VMM may be adding or removing vCPUs. Try again.");
		break;
	}
}

void explain(pid_t pid, const char *label, int err)
{
	char buf[128];

	if (err == -EINVAL) {
		explain_invalid(pid);
		return;
	}
	complain("PID %d: cannot open statistics%s%s: %s", (int)pid, label ? " of " : "",
		 label ? label : "", kvmstats_strerror(err, buf, sizeof(buf)));
	hint(pid, err);
}
