/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts and ends a temporary VMM: a program that runs until its standard input ends. */
#ifndef TEMPORARY_VMM_H
#define TEMPORARY_VMM_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct temporary_vmm {
	char **argv;		/* NULL if there is no temporary VMM */
	pid_t pid;		/* 0 while the VMM does not run */
	int input;		/* the write end of its standard input */
};

static inline void temporary_exec(char **argv, int input)
{
	int null = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(input, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execv(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static inline void temporary_start(struct temporary_vmm *vmm)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		perror("pipe2");
		exit(1);
	}
	vmm->pid = fork();
	if (!vmm->pid)
		temporary_exec(vmm->argv, ends[0]);
	close(ends[0]);
	vmm->input = ends[1];
}

static inline void temporary_end(struct temporary_vmm *vmm)
{
	if (!vmm->pid)
		return;
	close(vmm->input);
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
	vmm->pid = 0;
}

#endif /* TEMPORARY_VMM_H */
