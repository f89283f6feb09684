// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who holds a VM, and for how long: statistics, vCPU, VM and /dev/kvm fds closed in
 * every order; VMMs that exit, are killed and call exec() while others hold one
 * of their statistics files by dup(), SCM_RIGHTS, pidfd_getfd() or fork(). Whoever
 * holds the file can read it, and nothing of a VM stays when the last holder has
 * closed it.
 *
 * LIFETIMES_COUNT is how often all of it is tried (1).
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "lifetimes.h"
#include "nobody.h"
#include "vmm_end.h"

#define NUM_ORDERS	24

/* Shared with the processes that the checks run in. */
static struct tried {
	unsigned long orders;
	unsigned long ends;
	unsigned long reads;
} *tried;

static const char *reads(struct stats_target *target, int fd, pid_t vmm)
{
	tried->reads++;
	return stats_still_reads(target, fd, vmm);
}

/* Every order of closing */

enum { FD_STATS, FD_VCPU, FD_VM, FD_KVM, NUM_FDS };

static const char *open_fds(const struct stats_target *target, int fds[NUM_FDS])
{
	memset(fds, -1, NUM_FDS * sizeof(*fds));
	fds[FD_KVM] = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (fds[FD_KVM] < 0)
		return stats_fail("open of /dev/kvm: %s", strerror(errno));
	fds[FD_VM] = ioctl(fds[FD_KVM], KVM_CREATE_VM, 0);
	if (fds[FD_VM] < 0)
		return stats_fail("KVM_CREATE_VM: %s", strerror(errno));
	fds[FD_VCPU] = ioctl(fds[FD_VM], KVM_CREATE_VCPU, STATS_VCPU_ID);
	if (fds[FD_VCPU] < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	return stats_getfd(fds[stats_target_kind(target, FD_VM, FD_VCPU)],
			   &fds[FD_STATS]);
}

/* What is left works, also to open new files. */
static const char *rest_works(struct stats_target *target, const int fds[NUM_FDS])
{
	int getfd_fd = fds[stats_target_kind(target, FD_VM, FD_VCPU)];
	const char *message = NULL;
	int fd;

	if (fds[FD_STATS] >= 0)
		message = reads(target, fds[FD_STATS], getpid());
	if (message || getfd_fd < 0)
		return message;
	message = stats_getfd(getfd_fd, &fd);
	if (message)
		return message;
	message = reads(target, fd, getpid());
	close(fd);
	return message;
}

static const char *close_and_look(struct stats_target *target, int fds[NUM_FDS],
				  int which, const struct vm_dir *dir)
{
	const char *message;

	close(fds[which]);
	fds[which] = -1;
	if (fds[FD_STATS] < 0 && fds[FD_VCPU] < 0 && fds[FD_VM] < 0)
		return vm_goes(dir, "with nobody who holds it");
	message = vm_is_there(dir, "with some fds still open");
	if (!message && fds[FD_VCPU] < 0 && fds[FD_VM] < 0)
		message = vmm_reuse_memory();
	return message ? message : rest_works(target, fds);
}

/* Take the digits of @number, of falling base, as which one of the rest is next. */
static void make_order(unsigned int number, int order[NUM_FDS])
{
	int rest[NUM_FDS] = { FD_STATS, FD_VCPU, FD_VM, FD_KVM };
	int i, left;

	for (i = 0, left = NUM_FDS; i < NUM_FDS; i++, left--) {
		int next = number % left;

		number /= left;
		order[i] = rest[next];
		memmove(rest + next, rest + next + 1,
			(left - next - 1) * sizeof(*rest));
	}
}

static const char *close_in_order(struct stats_target *target, unsigned int number)
{
	static const char *const names[] = { "statistics", "vCPU", "VM", "/dev/kvm" };
	int fds[NUM_FDS], order[NUM_FDS], i;
	const char *message = open_fds(target, fds);
	struct vm_dir dir = vm_dir(getpid(), fds[FD_VM]);

	make_order(number, order);
	if (!message)
		message = vm_is_there(&dir, "with all fds open");
	for (i = 0; i < NUM_FDS && !message; i++)
		message = close_and_look(target, fds, order[i], &dir);
	tried->orders++;
	return message ? stats_fail("closing %s, %s, %s, %s, after step %d: %s",
				    names[order[0]], names[order[1]], names[order[2]],
				    names[order[3]], i, message) : NULL;
}

static const char *closed_in_every_order(struct stats_target *target)
{
	long users = kvm_module_users();
	const char *message = NULL;
	unsigned int number;

	for (number = 0; number < NUM_ORDERS && !message; number++)
		message = close_in_order(target, number);
	return message ? message : kvm_modules_are_left(users);
}

/* Holders, of which each is the only one when the VMM has ended */

struct hold {
	pid_t vmm;
	int fd;
	int sockets[2];
	pid_t child;
};

static const char *hold_received(struct stats_target *target, struct stats_vmm *vmm,
				 struct hold *hold)
{
	hold->fd = keep_one(target, vmm);
	return NULL;
}

static const char *hold_taken(struct stats_target *target, struct stats_vmm *vmm,
			      struct hold *hold)
{
	stats_close_fds(vmm->fds);
	return stats_vmm_take(vmm, which_stats(target), &hold->fd);
}

static const char *hold_dup(struct stats_target *target, struct stats_vmm *vmm,
			    struct hold *hold)
{
	int fd = keep_one(target, vmm);

	hold->fd = dup(fd);
	close(fd);
	return hold->fd >= 0 ? NULL : stats_fail("dup: %s", strerror(errno));
}

static const char *check_here(struct stats_target *target, struct hold *hold)
{
	return reads(target, hold->fd, hold->vmm);
}

static const char *release_here(struct hold *hold)
{
	close(hold->fd);
	return NULL;
}

/* Sent to this process, and neither received nor open anywhere. */
static const char *hold_in_flight(struct stats_target *target, struct stats_vmm *vmm,
				  struct hold *hold)
{
	int fds[STATS_NUM_FDS], fd = keep_one(target, vmm), i;
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

/* One of the two messages; the other one dies with the sockets. */
static const char *check_in_flight(struct stats_target *target, struct hold *hold)
{
	struct stats_vmm received;
	const char *message;

	if (!stats_receive_fds(hold->sockets[1], &received))
		return stats_fail("recvmsg: %s", strerror(errno));
	message = reads(target, received.fds[0], hold->vmm);
	stats_close_fds(received.fds);
	return message;
}

static const char *release_in_flight(struct hold *hold)
{
	close(hold->sockets[0]);
	close(hold->sockets[1]);
	return NULL;
}

/* Says at each byte that it gets whether it can read, and when it gets none ends. */
static void other_user_main(struct stats_target *target, int socket, int fd, pid_t vmm)
{
	const char *message = become_nobody();
	char byte;

	while (read(socket, &byte, 1) == 1) {
		if (!message)
			message = reads(target, fd, vmm);
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
	int fd = keep_one(target, vmm);

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
	tried->ends++;
	hold = (struct hold){ .vmm = vmm.pid };
	message = holder->hold(target, &vmm, &hold);
	if (message)
		return message;

	message = end->end(&vmm);
	if (!message)
		message = vm_is_there(&dir, "after the VMM");
	if (!message)
		message = vmm_reuse_memory();
	if (!message)
		message = holder->check(target, &hold);
	if (!message)
		message = vm_is_there(&dir, "after a read");
	if (!message)
		message = holder->release(&hold);
	if (!message)
		message = vm_goes(&dir, "with nobody who holds it");
	vmm_finish(&vmm);
	return message;
}

static const char *outlives_vmm(struct stats_target *target)
{
	long users = kvm_module_users();
	const char *message = for_each_end(target, target->arg, outlive);

	return message ? message : kvm_modules_are_left(users);
}

/* A file that is not closed by exec(). */

static void exec_reader(struct stats_target *target)
{
	char fd[16], size[24], vcpu_id[16];
	int fds[STATS_NUM_FDS];

	if (stats_bare_vm(fds) ||
	    fcntl(fds[which_stats(target)], F_SETFD, 0))
		_exit(1);
	snprintf(fd, sizeof(fd), "%d", fds[which_stats(target)]);
	snprintf(size, sizeof(size), "%zu", target->file.size);
	snprintf(vcpu_id, sizeof(vcpu_id), "%d", target->vcpu_id);
	execl("/proc/self/exe", "reader", "--read", fd, size, vcpu_id, NULL);
	_exit(1);
}

static int read_after_exec(char *argv[])
{
	struct stats_target target = {
		.file.size = strtoul(argv[3], NULL, 0),
		.vcpu_id = atoi(argv[4]),
	};
	const char *message = NULL;

	if (!vm_dirs_of(getpid()))
		message = stats_fail("the VM is gone");
	if (!message)
		message = stats_still_reads(&target, atoi(argv[2]), getpid());
	if (message)
		fprintf(stderr, "# after exec(): %s\n", message);
	return message ? 1 : 0;
}

static const char *kept_over_exec(struct stats_target *target)
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
	tried->ends++;
	tried->reads++;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return stats_fail("the program that exec() starts cannot read: status %#x",
				  status);
	message = vms_of_go(pid, 0);
	return message ? message : kvm_modules_are_left(users);
}

static const struct stats_check checks[] = {
	STATS_CHECK("closed_in_every_order", closed_in_every_order),
	STATS_CHECK("outlives_vmm_received", outlives_vmm, .arg = 0),
	STATS_CHECK("outlives_vmm_taken", outlives_vmm, .arg = 1),
	STATS_CHECK("outlives_vmm_by_dup", outlives_vmm, .arg = 2),
	STATS_CHECK("outlives_vmm_in_flight", outlives_vmm, .arg = 3),
	STATS_CHECK("outlives_vmm_with_another_user", outlives_vmm, .arg = 4),
	STATS_CHECK("kept_over_exec", kept_over_exec),
};

int main(int argc, char *argv[])
{
	vmm_end_main(argc, argv);
	if (argc == 5 && !strcmp(argv[1], "--read"))
		return read_after_exec(argv);
	if (lifetimes_cannot_be_seen())
		return tap_skip_all(lifetimes_cannot_be_seen());

	tried = lifetimes_shared(sizeof(*tried));
	lifetimes_run(checks, ARRAY_SIZE(checks));
	tap_tried(tried->orders, "orders of closing fds");
	tap_tried(tried->ends, "ends of VMMs");
	tap_tried(tried->reads, "reads by those who hold a file");
	return tap_end();
}
