// SPDX-License-Identifier: GPL-2.0-only
/* Have only a statistics file of a VM when the VMM ends. Files of GETFD hold the VM. */
#define _GNU_SOURCE
#include "lib/unprivileged.h"
#include "lib/vmm_end.h"
#include "lifetimes/lifetimes.h"

struct hold {
	pid_t vmm;
	int fd;
	int sockets[2];
	pid_t child;
};

static const char *hold_received(struct stats_target *target, struct stats_vmm *vmm,
				 struct hold *hold)
{
	hold->fd = keep_stats_fd(target, vmm);
	return NULL;
}

static const char *hold_taken(struct stats_target *target, struct stats_vmm *vmm,
			      struct hold *hold)
{
	stats_close_fds(vmm->fds);
	return take_stats_fd(target, vmm, &hold->fd);
}

static const char *hold_dup(struct stats_target *target, struct stats_vmm *vmm,
			    struct hold *hold)
{
	int fd = keep_stats_fd(target, vmm);

	hold->fd = dup(fd);
	close(fd);
	return hold->fd >= 0 ? NULL : stats_fail("dup: %s", strerror(errno));
}

static const char *check_here(struct stats_target *target, struct hold *hold)
{
	return check_reads_after_end(target, hold->fd, hold->vmm);
}

static const char *release_here(struct hold *hold)
{
	close(hold->fd);
	return NULL;
}

/* The file is in two messages that this process has not received. No process has it open. */
static const char *hold_in_flight(struct stats_target *target, struct stats_vmm *vmm,
				  struct hold *hold)
{
	int fds[STATS_NUM_FDS], fd = keep_stats_fd(target, vmm), i;
	bool sent;

	for (i = 0; i < STATS_NUM_FDS; i++)
		fds[i] = fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, hold->sockets))
		return stats_fail("socketpair: %s", strerror(errno));
	sent = stats_send_fds(hold->sockets[0], fds) &&
	       stats_send_fds(hold->sockets[0], fds);
	close(fd);
	return sent ? NULL : stats_fail("sendmsg: %s", strerror(errno));
}

/* Receives one message. The other one is dropped when the sockets are closed. */
static const char *check_in_flight(struct stats_target *target, struct hold *hold)
{
	struct stats_vmm received;
	const char *message;

	if (!stats_receive_fds(hold->sockets[1], &received))
		return stats_fail("recvmsg: %s", strerror(errno));
	message = check_reads_after_end(target, received.fds[0], hold->vmm);
	stats_close_fds(received.fds);
	return message;
}

static const char *release_in_flight(struct hold *hold)
{
	close(hold->sockets[0]);
	close(hold->sockets[1]);
	return NULL;
}

/* Answers each byte with 'y' if this process can read the file, and exits at end of file. */
static void other_user_main(struct stats_target *target, int socket, int fd, pid_t vmm)
{
	const char *message = become_unprivileged();
	char byte;

	while (read(socket, &byte, 1) == 1) {
		if (!message)
			message = check_reads_after_end(target, fd, vmm);
		byte = message ? 'n' : 'y';
		if (message)
			fprintf(stderr, "# as another user: %s\n", message);
		if (write(socket, &byte, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static const char *hold_by_other_user(struct stats_target *target,
				      struct stats_vmm *vmm, struct hold *hold)
{
	int fd = keep_stats_fd(target, vmm);

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, hold->sockets))
		return stats_fail("socketpair: %s", strerror(errno));
	hold->child = fork();
	if (hold->child < 0)
		return stats_fail("fork: %s", strerror(errno));
	if (!hold->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(hold->sockets[0]);
		other_user_main(target, hold->sockets[1], fd, hold->vmm);
	}
	close(hold->sockets[1]);
	close(fd);
	return NULL;
}

static const char *check_other_user(struct stats_target *target, struct hold *hold)
{
	char byte = '?';

	(void)target;
	if (write(hold->sockets[0], &byte, 1) != 1 ||
	    read(hold->sockets[0], &byte, 1) != 1 || byte != 'y')
		return stats_fail("another user's process cannot read");
	return NULL;
}

static const char *release_by_other_user(struct hold *hold)
{
	close(hold->sockets[0]);
	waitpid(hold->child, NULL, 0);
	return NULL;
}

static const struct holder {
	const char *(*hold)(struct stats_target *target, struct stats_vmm *vmm,
			    struct hold *hold);
	const char *(*check)(struct stats_target *target, struct hold *hold);
	const char *(*release)(struct hold *hold);
} holders[] = {
	{ hold_received, check_here, release_here },
	{ hold_taken, check_here, release_here },
	{ hold_dup, check_here, release_here },
	{ hold_in_flight, check_in_flight, release_in_flight },
	{ hold_by_other_user, check_other_user, release_by_other_user },
};

static const char *outlive(struct stats_target *target, size_t which,
			   const struct vmm_end *end)
{
	const struct holder *holder = &holders[which];
	struct hold hold;
	struct stats_vmm vmm;
	struct vm_dir dir;
	const char *message = vmm_start(&vmm, &dir);

	if (message)
		return message;
	totals->ends++;
	hold = (struct hold){ .vmm = vmm.pid };
	message = holder->hold(target, &vmm, &hold);
	if (message)
		return message;

	message = end->end(&vmm);
	if (!message)
		message = target_holds_vm(target) ? vm_exists(&dir, "after the end of the VMM") :
						    vm_disappears(&dir, "while its file is open");
	if (!message)
		message = reuse_vm_memory();
	if (!message)
		message = holder->check(target, &hold);
	if (!message && target_holds_vm(target))
		message = vm_exists(&dir, "after a read");
	if (!message)
		message = holder->release(&hold);
	if (!message)
		message = vm_disappears(&dir, "after the last fd was closed");
	vmm_finish(&vmm);
	return message;
}

const char *outlives_vmm(struct stats_target *target)
{
	long users = kvm_module_users();
	const char *message = run_with_each_end(target, target->arg, outlive);

	return message ? message : kvm_module_users_become(users);
}
