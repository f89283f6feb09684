// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"
#include "kvmstats.h"
#include "messages/access.h"

long long process_status_number(pid_t pid, const char *key)
{
	size_t len = strlen(key);
	long long number = -1;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, len) && line[len] == ':') {
			number = strtoll(line + len + 1, NULL, 10);
			break;
		}
	}
	fclose(file);
	return number;
}

/* The system call needs no fd, unlike /proc/self/status: the limit of open files may be reached. */
bool has_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

/* With KVM_STATS_NEXT, a single capability suffices if /dev/kvm can be opened. */
static bool needs_perfmon(void)
{
	int capabilities = kvmstats_capabilities();

	return capabilities > 0 && capabilities & KVMSTATS_CAPABILITY_NEXT &&
	       !has_capability(CAP_PERFMON);
}

const char *missing_capabilities(void)
{
	bool lists = has_capability(CAP_DAC_READ_SEARCH) || has_capability(CAP_DAC_OVERRIDE);

	if (needs_perfmon())
		return "CAP_PERFMON";
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

bool explain_proc(void)
{
	struct stat st;

	/* With hidepid=2, CAP_SYS_PTRACE shows all processes. access() would not use it. */
	if (access("/proc/self", F_OK))
		complain("/proc is not mounted. Run 'mount -t proc none /proc'.");
	else if (stat("/proc/1", &st))
		complain("/proc is mounted with hidepid, and hides the processes of other users.");
	else
		return false;
	return true;
}

int yama_scope(void)
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

const char *missing_capabilities_for(pid_t pid)
{
	const char *missing = missing_capabilities();

	if (missing && !needs_perfmon() && may_list_fds(pid))
		return has_capability(CAP_SYS_PTRACE) ? NULL : "CAP_SYS_PTRACE";
	return missing;
}

int kvm_error(void)
{
	int err = kvmstats_capabilities();

	return err == -ENOENT || err == -ENODEV || err == -ENXIO ? err : 0;
}

void suggest_root(const char *missing)
{
	complain("Run kvm-stats as root, or grant it %s.", missing);
	if (has_capability(CAP_PERFMON) && kvmstats_capabilities() == -EACCES)
		complain("CAP_PERFMON needs access to /dev/kvm: add the user to its group.");
}
