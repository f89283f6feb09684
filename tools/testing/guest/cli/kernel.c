// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "cli/kernel.h"

bool vm_of_pid_exists(pid_t pid)
{
	DIR *dir = opendir("/sys/kernel/debug/kvm");
	struct dirent *dirent;
	bool found = false;
	char prefix[32];

	if (!dir) {
		puts("# no /sys/kernel/debug/kvm");
		return false;
	}
	snprintf(prefix, sizeof(prefix), "%d-", (int)pid);
	while (!found && (dirent = readdir(dir)))
		found = !strncmp(dirent->d_name, prefix, strlen(prefix));
	closedir(dir);
	return found;
}

bool vm_of_pid_disappears(pid_t pid)
{
	int tries = 500;

	while (vm_of_pid_exists(pid) && tries--)
		usleep(10000);
	return !vm_of_pid_exists(pid);
}

bool debugfs_value(pid_t pid, const char *stat, unsigned long long *value)
{
	char path[256], prefix[32];
	struct dirent *dirent;
	bool found = false;
	DIR *dir = opendir("/sys/kernel/debug/kvm");
	FILE *file;

	snprintf(prefix, sizeof(prefix), "%d-", (int)pid);
	while (dir && !found && (dirent = readdir(dir))) {
		if (strncmp(dirent->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/%.64s/%s", dirent->d_name,
			 stat);
		file = fopen(path, "r");
		found = file && fscanf(file, "%llu", value) == 1;
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool has_tracepoints(void)
{
	return !access("/sys/kernel/tracing/events/kvm/kvm_exit/id", F_OK);
}

bool locked_down(void)
{
	char text[128] = "";
	FILE *file;

	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	file = fopen("/sys/kernel/security/lockdown", "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, "[integrity]");
}
