/* SPDX-License-Identifier: GPL-2.0-only */
/* Child processes for tests of monitors: VMMs, and others. They end with the test. */
#ifndef CHILD_VMM_H
#define CHILD_VMM_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tiny_vmm.h"

static inline void __attribute__((noreturn)) child_pause(void)
{
	for (;;)
		pause();
}

static inline int child_create_vm(bool stats)
{
	struct tiny_vm vm;
	int err = tiny_create(&vm, 1);

	if (!err && dup(vm.fd) < 0)
		err = -errno;
	if (!err && stats && (ioctl(vm.fd, KVM_GET_STATS_FD, NULL) < 0 ||
			      ioctl(vm.vcpu[0].fd, KVM_GET_STATS_FD, NULL) < 0))
		err = -errno;
	return err;
}

/*
 * Starts a VMM with one vCPU and two fds of its VM, which holds statistics fds if @stats is set.
 * Returns 0, or the -errno of the call that failed in the VMM.
 */
static inline int child_start_vmm(pid_t *pid, bool stats)
{
	int ready[2], err = -EIO;

	if (pipe(ready))
		return -errno;
	*pid = fork();
	if (!*pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		err = child_create_vm(stats);
		if (write(ready[1], &err, sizeof(err)) != sizeof(err) || err)
			_exit(1);
		child_pause();
	}
	close(ready[1]);
	if (read(ready[0], &err, sizeof(err)) != sizeof(err))
		err = -EIO;
	close(ready[0]);
	return err;
}

/* Starts a process without a VM. */
static inline pid_t child_start(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child_pause();
}

static inline void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif /* CHILD_VMM_H */
