// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sys/mman.h>

#include "lib/vmm_end.h"
#include "lifetimes/setup.h"

const char *lifetimes_skip_reason(void)
{
	const char *variant = getenv("BOOT_VARIANT");

	if (variant && !strcmp(variant, "unpatched"))
		return "this kernel does not have the statistics fd";
	if (geteuid())
		return "only root can see which VMs exist";
	if (access("/dev/kvm", R_OK | W_OK))
		return "no access to /dev/kvm";
	if (!vm_dirs_are_visible())
		return "no " VM_DEBUGFS ", which shows which VMs exist";
	return NULL;
}

void *shared_memory(size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED)
		return shared;
	printf("Bail out! mmap: %s\n", strerror(errno));
	exit(1);
}

const char *lifetimes_set_up(struct stats_target *target)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	target->fd = fds[stats_fd_index(target)];
	return stats_file_load(&target->file, target->fd);
}
