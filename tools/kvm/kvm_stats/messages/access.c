// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "messages/access.h"

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

long long process_status_number(pid_t pid, const char *key)
{
	char process[16];

	snprintf(process, sizeof(process), "%d", (int)pid);
	return status_number(process, key, 10);
}

bool has_capability(int capability)
{
	long long caps = status_number("self", "CapEff", 16);

	return caps >= 0 && (caps >> capability & 1);
}

const char *missing_capabilities(void)
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

	if (missing && may_list_fds(pid))
		return has_capability(CAP_SYS_PTRACE) ? NULL : "CAP_SYS_PTRACE";
	return missing;
}

void suggest_root(const char *missing)
{
	complain("Run kvm-stats as root, or grant it %s.", missing);
}
