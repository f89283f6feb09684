// SPDX-License-Identifier: GPL-2.0-only
/* Close the statistics, vCPU, VM and /dev/kvm fds in every order. */
#define _GNU_SOURCE
#include "lib/vmm_end.h"
#include "lifetimes/lifetimes.h"

#define NUM_ORDERS	24

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
	return target_open(target, fds[stats_target_kind(target, FD_VM, FD_VCPU)],
			   &fds[FD_STATS]);
}

/* The open statistics fd can be read, and an open VM or vCPU fd can open another one. */
static const char *remaining_fds_work(struct stats_target *target, const int fds[NUM_FDS])
{
	int getfd_fd = fds[stats_target_kind(target, FD_VM, FD_VCPU)];
	const char *message = NULL;
	int fd;

	if (fds[FD_STATS] >= 0)
		message = check_reads(target, fds[FD_STATS], getpid());
	if (message || getfd_fd < 0)
		return message;
	message = target_open(target, getfd_fd, &fd);
	if (message)
		return message;
	message = check_reads(target, fd, getpid());
	close(fd);
	return message;
}

static bool hold_vm(const struct stats_target *target, const int fds[NUM_FDS])
{
	return fds[FD_VCPU] >= 0 || fds[FD_VM] >= 0 ||
	       (fds[FD_STATS] >= 0 && target_holds_vm(target));
}

static const char *close_and_check(struct stats_target *target, int fds[NUM_FDS],
				   int which, const struct vm_dir *dir)
{
	const char *message;

	close(fds[which]);
	fds[which] = -1;
	if (!hold_vm(target, fds)) {
		message = vm_disappears(dir, "after the last fd that holds it was closed");
		return message || fds[FD_STATS] < 0 ? message :
		       check_reads_after_end(target, fds[FD_STATS], getpid());
	}
	message = vm_exists(dir, "with some fds still open");
	if (!message && fds[FD_VCPU] < 0 && fds[FD_VM] < 0)
		message = reuse_vm_memory();
	return message ? message : remaining_fds_work(target, fds);
}

/* The digits of @number, in falling base, select which of the remaining fds is next. */
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
		message = vm_exists(&dir, "with all fds open");
	for (i = 0; i < NUM_FDS && !message; i++)
		message = close_and_check(target, fds, order[i], &dir);
	totals->orders++;
	return message ? stats_fail("closing %s, %s, %s, %s, after %d of them: %s",
				    names[order[0]], names[order[1]], names[order[2]],
				    names[order[3]], i, message) : NULL;
}

const char *closed_in_every_order(struct stats_target *target)
{
	long users = kvm_module_users();
	const char *message = NULL;
	unsigned int number;

	for (number = 0; number < NUM_ORDERS && !message; number++)
		message = close_in_order(target, number);
	return message ? message : kvm_module_users_become(users);
}
