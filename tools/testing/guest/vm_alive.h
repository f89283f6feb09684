/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a VM still there? Its directory in debugfs is, from its creation until it is
 * destroyed; and it holds KVM's modules, where KVM is made of modules.
 */
#ifndef BOOT_TESTS_VM_ALIVE_H
#define BOOT_TESTS_VM_ALIVE_H

#include <dirent.h>

#include "kvm_stats_file.h"

#define VM_DEBUGFS		"/sys/kernel/debug/kvm"
#define VM_GOES_IN_MS		10000

struct vm_dir {
	char path[64];
};

static inline bool vm_dirs_are_shown(void)
{
	return !access(VM_DEBUGFS, X_OK);
}

/* As the kernel names it: after the thread that created it, and its fd. */
static inline struct vm_dir vm_dir(pid_t creator, int vm_fd)
{
	struct vm_dir dir;

	snprintf(dir.path, sizeof(dir.path), VM_DEBUGFS "/%d-%d", creator, vm_fd);
	return dir;
}

static inline const char *vm_is_there(const struct vm_dir *dir, const char *when)
{
	return !access(dir->path, F_OK) ? NULL :
	       stats_fail("%s, the VM is gone: %s: %s", when, dir->path,
			  strerror(errno));
}

/* The last to hold it may be a process that has yet to end, or a kernel thread. */
static inline const char *vm_goes(const struct vm_dir *dir, const char *when)
{
	int ms;

	for (ms = 0; ms < VM_GOES_IN_MS; ms++) {
		if (access(dir->path, F_OK))
			return NULL;
		usleep(1000);
	}
	return stats_fail("%s, the VM stays: %s is there after %d ms", when,
			  dir->path, VM_GOES_IN_MS);
}

/* How many VMs there are of one creator; of all: 0 */
static inline unsigned int vm_dirs_of(pid_t creator)
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

static inline const char *vms_of_go(pid_t creator, unsigned int left)
{
	unsigned int now = vm_dirs_of(creator);
	int ms;

	for (ms = 0; ms < VM_GOES_IN_MS && now != left; ms++) {
		usleep(1000);
		now = vm_dirs_of(creator);
	}
	return now == left ? NULL :
	       stats_fail("%u VMs are there, expected %u", now, left);
}

/* How often KVM's modules are used, all together; -1 if it has none. */
static inline long kvm_module_users(void)
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

static inline const char *kvm_modules_are_left(long users)
{
	long now = kvm_module_users();
	int ms;

	for (ms = 0; ms < VM_GOES_IN_MS && now != users; ms++) {
		usleep(1000);
		now = kvm_module_users();
	}
	return now == users ? NULL :
	       stats_fail("KVM's modules have %ld users, before there were %ld", now,
			  users);
}

#endif /* BOOT_TESTS_VM_ALIVE_H */
