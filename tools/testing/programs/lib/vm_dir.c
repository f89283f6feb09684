// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <dirent.h>

#include "kvm_stats_file.h"
#include "lib/vm_dir.h"

#define TIME_LIMIT_MS		10000

const char *vm_dirs_skip_reason(void)
{
	const char *variant = getenv("BOOT_VARIANT");

	if (variant && !strcmp(variant, "unpatched"))
		return "this kernel does not have the statistics fd";
	if (geteuid())
		return "only root can see which VMs exist";
	if (access("/dev/kvm", R_OK | W_OK))
		return "no access to /dev/kvm";
	if (access(VM_DEBUGFS, X_OK))
		return "no " VM_DEBUGFS ", which shows which VMs exist";
	return NULL;
}

struct vm_dir vm_dir(pid_t creator, int vm_fd)
{
	struct vm_dir dir;

	snprintf(dir.path, sizeof(dir.path), VM_DEBUGFS "/%d-%d", creator, vm_fd);
	return dir;
}

const char *vm_exists(const struct vm_dir *dir, const char *when)
{
	return !access(dir->path, F_OK) ? NULL :
	       stats_fail("%s, the VM no longer exists: %s: %s", when, dir->path,
			  strerror(errno));
}

/* The last reference may belong to a process that is exiting or to a kernel thread. */
const char *vm_disappears(const struct vm_dir *dir, const char *when)
{
	int ms;

	for (ms = 0; ms < TIME_LIMIT_MS; ms++) {
		if (access(dir->path, F_OK))
			return NULL;
		usleep(1000);
	}
	return stats_fail("%s, the VM still exists: %s is present after %d ms", when,
			  dir->path, TIME_LIMIT_MS);
}

unsigned int vm_count(pid_t creator)
{
	DIR *dir = opendir(VM_DEBUGFS);
	const struct dirent *entry;
	unsigned int count = 0;

	while (dir && (entry = readdir(dir)))
		count += strchr(entry->d_name, '-') &&
			 (!creator || atoi(entry->d_name) == creator);
	if (dir)
		closedir(dir);
	return count;
}

const char *vm_count_becomes(pid_t creator, unsigned int expected)
{
	unsigned int now = vm_count(creator);
	int ms;

	for (ms = 0; ms < TIME_LIMIT_MS && now != expected; ms++) {
		usleep(1000);
		now = vm_count(creator);
	}
	return now == expected ? NULL :
	       stats_fail("%u VMs exist, expected %u", now, expected);
}

long kvm_module_users(void)
{
	FILE *modules = fopen("/proc/modules", "re");
	char line[512], name[64];
	long users, sum = -1;

	while (modules && fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "%63s %*u %ld", name, &users) == 2 &&
		    !strncmp(name, "kvm", 3) && strncmp(name, "kvm_stats", 9))
			sum += sum < 0 ? users + 1 : users;
	}
	if (modules)
		fclose(modules);
	return sum;
}

const char *kvm_module_users_become(long users)
{
	long now = kvm_module_users();
	int ms;

	for (ms = 0; ms < TIME_LIMIT_MS && now != users; ms++) {
		usleep(1000);
		now = kvm_module_users();
	}
	return now == users ? NULL :
	       stats_fail("KVM's modules have %ld users, expected %ld", now, users);
}
