// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <dirent.h>

#include "lib/test.h"
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

void vm_exists(const struct vm_dir *dir, const char *when)
{
	if (access(dir->path, F_OK))
		fail("%s, the VM no longer exists: %s: %s", when, dir->path, strerror(errno));
}

/* The last reference may belong to a process that is exiting or to a kernel thread. */
void vm_disappears(const struct vm_dir *dir, const char *when)
{
	int ms;

	for (ms = 0; !access(dir->path, F_OK); ms++) {
		if (ms == TIME_LIMIT_MS)
			fail("%s, the VM still exists: %s is present after %d ms", when, dir->path,
			     ms);
		usleep(1000);
	}
}

unsigned int vm_count(void)
{
	DIR *dir = opendir(VM_DEBUGFS);
	const struct dirent *entry;
	unsigned int count = 0;

	while (dir && (entry = readdir(dir)))
		count += strchr(entry->d_name, '-') && atoi(entry->d_name) == getpid();
	if (dir)
		closedir(dir);
	return count;
}

void vm_count_becomes(unsigned int expected)
{
	unsigned int now;
	int ms;

	for (ms = 0; (now = vm_count()) != expected; ms++) {
		if (ms == TIME_LIMIT_MS)
			fail("%u VMs exist, expected %u", now, expected);
		usleep(1000);
	}
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

void kvm_module_users_become(long users)
{
	long now;
	int ms;

	for (ms = 0; (now = kvm_module_users()) != users; ms++) {
		if (ms == TIME_LIMIT_MS)
			fail("KVM's modules have %ld users, expected %ld", now, users);
		usleep(1000);
	}
}

int vm_fds[STATS_NUM_FDS];

const char *set_up_vm(struct stats_target *target)
{
	must(stats_bare_vm(vm_fds));
	target->fd = vm_fds[stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS)];
	target->getfd_fd = vm_fds[stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU)];
	return stats_file_load(&target->file, target->fd);
}
