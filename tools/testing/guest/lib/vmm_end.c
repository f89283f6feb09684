// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <signal.h>

#include "lib/vmm_end.h"

void vmm_end_main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "--pause"))
		for (;;)
			pause();
}

static void exit_now(int signal)
{
	(void)signal;
	_exit(0);
}

static void exec_now(int signal)
{
	(void)signal;
	execl("/proc/self/exe", "vmm", "--pause", NULL);
	_exit(1);
}

static const char *end_by_exit(const struct stats_vmm *vmm)
{
	kill(vmm->pid, SIGUSR1);
	waitpid(vmm->pid, NULL, 0);
	return NULL;
}

static const char *end_by_kill(const struct stats_vmm *vmm)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
	return NULL;
}

/* exec() closes the VMM's fds, but the process continues to run. */
static const char *end_by_exec(const struct stats_vmm *vmm)
{
	char path[64], name[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", vmm->pid,
		 vmm->remote[STATS_FD_VM]);
	kill(vmm->pid, SIGUSR2);
	while (readlink(path, name, sizeof(name)) >= 0)
		usleep(1000);
	return !waitpid(vmm->pid, NULL, WNOHANG) ? NULL :
	       stats_fail("exec() ended the process");
}

static const struct vmm_end vmm_ends[] = {
	{ "exit()", end_by_exit },
	{ "SIGKILL", end_by_kill },
	{ "exec()", end_by_exec },
};

void vmm_install_ends(void)
{
	signal(SIGUSR1, exit_now);
	signal(SIGUSR2, exec_now);
}

const char *vmm_start(struct stats_vmm *vmm, struct vm_dir *dir)
{
	const char *message;

	vmm_install_ends();
	message = stats_vmm_start(vmm);
	if (!message)
		*dir = vm_dir(vmm->pid, vmm->remote[STATS_FD_VM]);
	return message;
}

void vmm_finish(struct stats_vmm *vmm)
{
	if (!waitpid(vmm->pid, NULL, WNOHANG))
		stats_vmm_kill(vmm);
}

const char *run_with_each_end(struct stats_target *target,
			      const char *(*run)(struct stats_target *target,
						 const struct vmm_end *end))
{
	long users = kvm_module_users();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vmm_ends); i++) {
		const char *message = run(target, &vmm_ends[i]);

		if (message)
			return stats_fail("a VMM that ends by %s: %s", vmm_ends[i].name, message);
	}
	return kvm_module_users_become(users);
}

int keep_stats_fd(const struct stats_target *target, struct stats_vmm *vmm)
{
	int *stats = &vmm->fds[stats_fd_index(target)], fd = *stats;

	*stats = -1;
	stats_close_fds(vmm->fds);
	return fd;
}

const char *reuse_vm_memory(void)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	stats_close_fds(fds);
	return message;
}
