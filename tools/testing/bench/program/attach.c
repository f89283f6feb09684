// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach to a VM with 64 vCPUs: get files with the statistics of the VM and of all its vCPUs from
 * another process, the VMM. The rows count the instructions of all system calls that this takes
 * in the monitor and the VMM, the system calls, and the fds that the monitor keeps. The search
 * for VMMs and their fds in /proc is not included.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define NUM_VCPUS	64
#define NUM_FDS		(NUM_VCPUS + 1)

#ifndef SYS_pidfd_open
#define SYS_pidfd_open	434
#define SYS_pidfd_getfd	438
#endif

union fds_control {
	struct cmsghdr header;
	char space[CMSG_SPACE(NUM_FDS * sizeof(int))];
};

static struct attach {
	int owners[NUM_FDS];	/* the VM, then its vCPUs */
	pid_t vmm;		/* has the same fds */
	int sockets[2];		/* the VMM sends to the first one */
	int files[NUM_FDS];	/* what the monitor keeps */
	long num_files;
	long calls;
} attach;

static long call(long nr, long a, long b, long c)
{
	attach.calls++;
	return kernel_call(nr, a, b, c, 0, 0, 0);
}

static long keep(long fd)
{
	if (fd >= 0)
		attach.files[attach.num_files++] = fd;
	return fd;
}

/* ---- KVM_STATS_NEXT ---- */

static long by_next(void *arg)
{
	struct kvm_stats_next next = { 0 };
	long error = call(SYS_ioctl, kvm_open(), KVM_STATS_NEXT, (long)&next);

	(void)arg;
	return error < 0 ? error : keep(next.fd);
}

/* ---- fds that the monitor takes from the VMM ---- */

static long take_and_open(long pidfd, int owner, long ioctl, const void *argument)
{
	long fd = call(SYS_pidfd_getfd, pidfd, owner, 0), stats;

	if (fd < 0)
		return fd;
	stats = keep(call(SYS_ioctl, fd, ioctl, (long)argument));
	call(SYS_close, fd, 0, 0);
	return stats;
}

static long by_open(void *arg)
{
	struct kvm_stats_open open = { 0 };
	long pidfd = call(SYS_pidfd_open, attach.vmm, 0, 0), result;

	(void)arg;
	if (pidfd < 0)
		return pidfd;
	result = take_and_open(pidfd, attach.owners[0], KVM_STATS_OPEN, &open);
	call(SYS_close, pidfd, 0, 0);
	return result;
}

static long by_taking_each(void *arg)
{
	long pidfd = call(SYS_pidfd_open, attach.vmm, 0, 0), result = pidfd;
	int i;

	(void)arg;
	for (i = 0; i < NUM_FDS && result >= 0; i++)
		result = take_and_open(pidfd, attach.owners[i], KVM_GET_STATS_FD, NULL);
	call(SYS_close, pidfd, 0, 0);
	return result;
}

/* ---- fds that the VMM opens and passes ---- */

static long pass_fds(const int fds[NUM_FDS])
{
	union fds_control control = {
		.header = {
			.cmsg_len = CMSG_LEN(sizeof(attach.files)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		},
	};
	char byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), fds, sizeof(attach.files));
	return call(SYS_sendmsg, attach.sockets[0], (long)&message, 0);
}

static long receive_fds(void)
{
	union fds_control control;
	char byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	long result = call(SYS_recvmsg, attach.sockets[1], (long)&message, MSG_CMSG_CLOEXEC);

	if (result < 0)
		return result;
	if (message.msg_controllen < CMSG_LEN(sizeof(attach.files)))
		return -EBADMSG;
	memcpy(attach.files, CMSG_DATA(&control.header), sizeof(attach.files));
	attach.num_files = NUM_FDS;
	return 0;
}

/* This process is the VMM as well as the monitor: mainline opens fds only for the VMM. */
static long by_passing_each(void *arg)
{
	int fds[NUM_FDS], i;
	long result;

	(void)arg;
	for (i = 0; i < NUM_FDS; i++) {
		fds[i] = call(SYS_ioctl, attach.owners[i], KVM_GET_STATS_FD, 0);
		if (fds[i] < 0)
			return fds[i];
	}
	result = pass_fds(fds);
	for (i = 0; i < NUM_FDS; i++)
		call(SYS_close, fds[i], 0, 0);
	return result < 0 ? result : receive_fds();
}

/* ---- rows ---- */

static void start(void *arg)
{
	(void)arg;
	attach.num_files = 0;
	attach.calls = 0;
}

static void close_files(void *arg, long result)
{
	long i;

	(void)arg;
	(void)result;
	for (i = 0; i < attach.num_files; i++)
		close(attach.files[i]);
}

static const struct method {
	const char *name;
	long (*run)(void *arg);
} methods[] = {
	{ "next", by_next }, { "open", by_open }, { "each", by_taking_each },
	{ "passed", by_passing_each },
};

static void rows_method(const struct method *method, bool supported)
{
	static const char *const suffixes[] = { "", "_calls", "_fds" };
	char names[3][32];
	int i;

	for (i = 0; i < 3; i++)
		snprintf(names[i], sizeof(names[i]), "attach_%s%s", method->name, suffixes[i]);
	for (i = 0; i < 3 && !supported; i++)
		rows_missing(names[i], "this kernel cannot open the files of another process");
	if (!supported)
		return;
	row_count(names[0], &(struct bench_op) {
		.run = method->run, .before = start, .after = close_files, .result = ANY_RESULT,
	});
	row_value(names[1], attach.calls);
	row_value(names[2], attach.num_files);
}

static bool start_vmm(void)
{
	int i;

	attach.owners[0] = vm_create();
	for (i = 1; i < NUM_FDS && attach.owners[i - 1] >= 0; i++)
		attach.owners[i] = vcpu_create(attach.owners[0], i - 1);
	if (attach.owners[i - 1] < 0)
		return false;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, attach.sockets)) {
		set_why("socketpair: %s", strerror(errno));
		return false;
	}
	attach.vmm = fork();
	while (!attach.vmm)
		pause();
	return attach.vmm > 0;
}

static void stop_vmm(void)
{
	int i;

	kill(attach.vmm, SIGKILL);
	waitpid(attach.vmm, NULL, 0);
	for (i = NUM_FDS - 1; i >= 0; i--)
		close(attach.owners[i]);
	close(attach.sockets[0]);
	close(attach.sockets[1]);
}

static void run(void)
{
	size_t i;
	int whole;

	if (!start_vmm()) {
		row_failed("attach");
		return;
	}
	whole = stats_open_whole(attach.owners[0]);
	close(whole);
	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		rows_method(&methods[i], whole >= 0 || methods[i].run == by_passing_each);
	stop_vmm();
}

const struct bench_group group_attach = {
	.run = run,
	.rows = "attach_next attach_next_calls attach_next_fds "
		"attach_open attach_open_calls attach_open_fds "
		"attach_each attach_each_calls attach_each_fds "
		"attach_passed attach_passed_calls attach_passed_fds",
	.needs_stats = true,
};
