// SPDX-License-Identifier: GPL-2.0-only
/* Statistics files of other users and threads, and a large number of files. */
#define _GNU_SOURCE
#include <pthread.h>

#include "kvm_stats_check_file.h"
#include "lib/unprivileged.h"
#include "stats_abi/stats_abi.h"

/* ---- other users ---- */

static const char *read_unprivileged(struct stats_target *target)
{
	const char *message = become_unprivileged();

	return message ? message : stats_read_whole(target);
}

static const char *open_unprivileged(struct stats_target *target)
{
	const char *message = become_unprivileged();
	int fd;

	if (!message)
		message = stats_getfd(target->getfd_fd, &fd);
	return message ? message : stats_still_reads(target, fd, getppid());
}

const char *read_by_another_user(struct stats_target *target)
{
	if (geteuid())
		return stats_skip("only root can become another user");
	return stats_in_child(target, read_unprivileged);
}

const char *opened_by_another_user(struct stats_target *target)
{
	if (geteuid())
		return stats_skip("only root can become another user");
	return stats_in_child(target, open_unprivileged);
}

/* ---- another thread ---- */

static void *create_vcpu(void *arg)
{
	int *fds = arg;

	fds[STATS_FD_VCPU] = ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU,
				   STATS_VCPU_ID + 1);
	return NULL;
}

/* The id names the process of the VM, not the thread that creates the vCPU. */
const char *id_from_another_thread(struct stats_target *target)
{
	struct stats_target other = {
		.vcpu_id = STATS_VCPU_ID + 1,
		.file = target->file,
	};
	const char *message;
	int fds[STATS_NUM_FDS];
	pthread_t thread;
	int fd;

	message = stats_bare_vm(fds);
	if (message)
		return message;
	close(fds[STATS_FD_VCPU]);
	if (pthread_create(&thread, NULL, create_vcpu, fds))
		return stats_fail("pthread_create failed");
	pthread_join(thread, NULL);
	message = stats_getfd(fds[STATS_FD_VCPU], &fd);
	return message ? message : stats_still_reads(&other, fd, getpid());
}

/* Opens more fds than an fd table has at first, and checks all of them. */
const char *many_fds(struct stats_target *target)
{
	int fds[200];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		const char *message = stats_getfd(target->getfd_fd, &fds[i]);

		if (message)
			return message;
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		uint8_t buf[64];
		const char *message;

		message = stats_same(target, buf, pread(fds[i], buf, 64, 8), 8, 64);
		if (message)
			return message;
		close(fds[i]);
	}
	return NULL;
}
