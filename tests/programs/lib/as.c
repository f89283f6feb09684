// SPDX-License-Identifier: GPL-2.0-only
/*
 * What test programs in shell need, and busybox cannot do.
 *
 * usage: as UID CAPS COMMAND...		a user with the capabilities (a mask) runs it
 *	  as pidns COMMAND...		run it in a PID namespace, which ends with this process
 *	  as fifo COMMAND...		run it with the real-time policy SCHED_FIFO
 *	  as bpf			print how many BPF programs, maps and links the kernel has
 */
#include <grp.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int keep(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int i, ret;

	for (i = 0; i < 2; i++) {
		data[i].permitted = caps >> 32 * i;
		data[i].effective = data[i].permitted;
		data[i].inheritable = data[i].permitted;
	}
	ret = syscall(SYS_capset, &header, data);
	/* Executed programs inherit ambient capabilities. */
	for (i = 0; i < 64 && !ret; i++) {
		if (caps >> i & 1)
			ret = prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0);
	}
	return ret;
}

static int run(uid_t uid, uint64_t caps, char **command)
{
	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid) || keep(caps))
		return -1;
	return execv(command[0], command);
}

static int run_apart(char **command)
{
	int status;
	pid_t pid = unshare(CLONE_NEWPID) ? -1 : fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(command[0], command);
		_exit(126);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 126);
}

static unsigned int count_bpf(int next_id)
{
	union bpf_attr attr = { 0 };
	unsigned int count = 0;

	while (!syscall(SYS_bpf, next_id, &attr, sizeof(attr))) {
		attr.start_id = attr.next_id;
		count++;
	}
	return count;
}

static int print_bpf(void)
{
	return printf("%u %u %u\n", count_bpf(BPF_PROG_GET_NEXT_ID), count_bpf(BPF_MAP_GET_NEXT_ID),
		      count_bpf(BPF_LINK_GET_NEXT_ID)) < 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 2 && !strcmp(argv[1], "bpf"))
		return print_bpf();
	if (argc > 2 && !strcmp(argv[1], "fifo")) {
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 });
		execv(argv[2], argv + 2);
	}
	if (argc < 4) {
		fprintf(stderr, "usage: as UID CAPS|pidns|fifo COMMAND ARGUMENT... or as bpf\n");
		return 125;
	}
	if (!strcmp(argv[1], "pidns"))
		ret = run_apart(argv + 2);
	else
		ret = run(atoi(argv[1]), strtoull(argv[2], NULL, 0), argv + 3);
	if (ret)
		perror("as");
	return ret ? 126 : 0;
}
