/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a VMM ends: by exit(), SIGKILL and exec(), as it is told. A program that has
 * such VMMs calls vmm_end_main() first: it is what they execute.
 */
#ifndef BOOT_TESTS_VMM_END_H
#define BOOT_TESTS_VMM_END_H

#include <signal.h>

#include "kvm_stats_checks.h"
#include "vm_alive.h"

static inline void vmm_end_main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "--pause"))
		for (;;)
			pause();
}

static inline void exit_now(int signal)
{
	(void)signal;
	_exit(0);
}

static inline void exec_now(int signal)
{
	(void)signal;
	execl("/proc/self/exe", "vmm", "--pause", NULL);
	_exit(1);
}

static inline const char *end_by_exit(const struct stats_vmm *vmm)
{
	kill(vmm->pid, SIGUSR1);
	waitpid(vmm->pid, NULL, 0);
	return NULL;
}

static inline const char *end_by_kill(const struct stats_vmm *vmm)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
	return NULL;
}

/* It is a VMM until it has lost its fds; the process lives on. */
static inline const char *end_by_exec(const struct stats_vmm *vmm)
{
	char path[64], name[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", vmm->pid,
		 vmm->remote[STATS_FD_VM]);
	kill(vmm->pid, SIGUSR2);
	while (readlink(path, name, sizeof(name)) >= 0)
		usleep(1000);
	return !waitpid(vmm->pid, NULL, WNOHANG) ? NULL :
	       stats_fail("exec(): the process is gone");
}

static const struct vmm_end {
	const char *name;
	const char *(*end)(const struct stats_vmm *vmm);
} vmm_ends[] = {
	{ "exit()", end_by_exit },
	{ "SIGKILL", end_by_kill },
	{ "exec()", end_by_exec },
};

/* Of the ends, exec() leaves a process. */
static inline void vmm_finish(struct stats_vmm *vmm)
{
	if (!waitpid(vmm->pid, NULL, WNOHANG))
		stats_vmm_kill(vmm);
}

static inline const char *for_each_end(struct stats_target *target, size_t arg,
				       const char *(*run)(struct stats_target *target,
							  size_t arg,
							  const struct vmm_end *end))
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vmm_ends); i++) {
		const char *message = run(target, arg, &vmm_ends[i]);

		if (message)
			return stats_fail("VMM ends by %s: %s", vmm_ends[i].name, message);
	}
	return NULL;
}

/* The children of this process that become VMMs can be told to end. */
static inline void vmm_can_end(void)
{
	signal(SIGUSR1, exit_now);
	signal(SIGUSR2, exec_now);
}

static inline const char *vmm_start(struct stats_vmm *vmm, struct vm_dir *dir)
{
	const char *message;

	vmm_can_end();
	message = stats_vmm_start(vmm);
	if (!message)
		*dir = vm_dir(vmm->pid, vmm->remote[STATS_FD_VM]);
	return message;
}

static inline int which_stats(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
}

/* Takes one fd out of those that the VMM passed on, and closes the others. */
static inline int keep_one(const struct stats_target *target, struct stats_vmm *vmm)
{
	int fd = vmm->fds[which_stats(target)];

	vmm->fds[which_stats(target)] = -1;
	stats_close_fds(vmm->fds);
	return fd;
}

/* A VM that would take over the memory of one that is gone too early. */
static inline const char *vmm_reuse_memory(void)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	stats_close_fds(fds);
	return message;
}

#endif /* BOOT_TESTS_VMM_END_H */
