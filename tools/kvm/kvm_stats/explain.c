// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain.h"
#include "kvmstats.h"
#include "output.h"

#define CAP_DAC_OVERRIDE	1
#define CAP_DAC_READ_SEARCH	2
#define CAP_SYS_PTRACE		19

/* The number behind "@key:" in /proc/@who/status, -1 if it cannot be had. */
static long long status_number(const char *who, const char *key, int base)
{
	size_t len = strlen(key);
	long long number = -1;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", who);
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
	char who[16];

	snprintf(who, sizeof(who), "%d", (int)pid);
	return status_number(who, key, 10);
}

static bool has_capability(int capability)
{
	long long caps = status_number("self", "CapEff", 16);

	return caps >= 0 && (caps >> capability & 1);
}

/* What of the rights over all processes is missing: to ptrace them, and to list their fds. */
static const char *missing_rights(void)
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

/* Of those that are not the caller's, only their user, or root, may list the fds. */
static const char *rights_for(pid_t pid)
{
	const char *missing = missing_rights();

	if (missing && may_list_fds(pid))
		return has_capability(CAP_SYS_PTRACE) ? NULL : "CAP_SYS_PTRACE";
	return missing;
}

/* Yama has a say when fds are taken (EPERM), not when they are looked at (EACCES). */
static void explain_permission(pid_t pid, int err)
{
	long long uid = pid_status_number(pid, "Uid");
	long long own = geteuid();
	int scope = err == -EPERM ? yama_scope() : 0;
	const char *rights = rights_for(pid);

	complain("looking into another process takes the right to ptrace it");
	if (scope >= 3) {
		complain("kernel.yama.ptrace_scope is %d: nobody has it before the next boot",
			 scope);
	} else if (!rights) {
		complain("kvm-stats has CAP_SYS_PTRACE, but not over process %d:", (int)pid);
		complain("it is in another user namespace, or a security module forbids it");
	} else if (has_capability(CAP_SYS_PTRACE)) {
		complain("and to list its fds: kvm-stats has CAP_SYS_PTRACE, but lacks %s", rights);
	} else if (uid >= 0 && uid != own) {
		complain("process %d is of user %lld, kvm-stats of user %lld:", (int)pid, uid, own);
		complain("run it as that user, or with %s (as root)", rights);
	} else if (scope) {
		complain("kernel.yama.ptrace_scope is %d: it must be 0,", scope);
		complain("or kvm-stats run with %s (as root)", rights);
	} else {
		complain("process %d has capabilities that kvm-stats lacks, or is not dumpable:",
			 (int)pid);
		complain("run kvm-stats with %s (as root)", rights);
	}
}

static void explain_invalid(pid_t pid)
{
	long long tgid = pid_status_number(pid, "Tgid");

	if (tgid > 0 && tgid != pid)
		complain("%d is a thread of process %lld: say -p %lld", (int)pid, tgid, tgid);
	else
		complain("%d is not the ID of a process", (int)pid);
}

static void explain_foreign(void)
{
	int supported = kvmstats_supported();

	complain("what would help: a VMM that keeps them open (QEMU from 8.1 on does for vCPUs),");
	complain("or a kernel with the series that kvm-stats belongs to");
	if (supported < 0)
		complain("whether this kernel has them at all is not known: /dev/kvm: %s",
			 strerror(-supported));
}

static void hint(pid_t pid, int err)
{
	switch (-err) {
	case ENODEV:
		complain("'kvm-stats list' shows the processes that are one");
		break;
	case EACCES:
	case EPERM:
		explain_permission(pid, err);
		break;
	case EOPNOTSUPP:
		complain("they are in Linux from 5.14 on,");
		complain("and in 5.10 with the series that kvm-stats belongs to");
		break;
	case EIO:
		explain_foreign();
		break;
	case EMFILE:
		complain("one open file is needed for each vCPU:");
		complain("raise the limit (ulimit -n), or choose fewer with --vcpu");
		break;
	case ESTALE:
		complain("the VMM may be adding or removing vCPUs: try again");
		break;
	}
}

void explain(pid_t pid, const char *what, int err)
{
	char buf[128];

	if (err == -EINVAL) {
		explain_invalid(pid);
		return;
	}
	complain("process %d%s%s: %s", (int)pid, what ? ": " : "", what ? what : "",
		 kvmstats_strerror(err, buf, sizeof(buf)));
	hint(pid, err);
}
