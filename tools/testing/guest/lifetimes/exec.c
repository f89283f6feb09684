// SPDX-License-Identifier: GPL-2.0-only
/* Read a statistics file that stays open over exec(), which closes the VM. */
#define _GNU_SOURCE
#include "lib/vmm_end.h"
#include "lifetimes/lifetimes.h"

static void exec_reader(struct stats_target *target)
{
	char fd[16], size[24], vcpu_id[16];
	int fds[STATS_NUM_FDS];

	if (target_vm(target, fds) ||
	    fcntl(fds[stats_fd_index(target)], F_SETFD, 0))
		_exit(1);
	snprintf(fd, sizeof(fd), "%d", fds[stats_fd_index(target)]);
	snprintf(size, sizeof(size), "%zu", target->file.size);
	snprintf(vcpu_id, sizeof(vcpu_id), "%d", target->vcpu_id);
	execl("/proc/self/exe", "reader", "--read", fd, size, vcpu_id, NULL);
	_exit(1);
}

/* The executed program. Returns its exit status. */
int read_after_exec(char *argv[])
{
	struct stats_target target = {
		.file.size = strtoul(argv[3], NULL, 0),
		.vcpu_id = atoi(argv[4]),
	};
	const char *message = NULL;

	if (target_holds_vm(&target) && !vm_count(getpid()))
		message = stats_fail("the VM no longer exists");
	if (!message)
		message = target_reads_after_end(&target, atoi(argv[2]), getpid());
	if (message)
		fprintf(stderr, "# after exec(): %s\n", message);
	return message ? 1 : 0;
}

const char *kept_over_exec(struct stats_target *target)
{
	long users = kvm_module_users();
	const char *message;
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return stats_fail("fork: %s", strerror(errno));
	if (!pid)
		exec_reader(target);
	waitpid(pid, &status, 0);
	totals->ends++;
	totals->reads++;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return stats_fail("the executed program cannot read: wait status %#x", status);
	message = vm_count_becomes(pid, 0);
	return message ? message : kvm_module_users_become(users);
}
