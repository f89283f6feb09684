// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test fds that are not of KVM, and fds that are passed over sockets. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/kvm.h>

#include "internal.h"
#include "tap.h"

static int open_fds(void)
{
	int count = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void test_other_fds(void)
{
	enum kvmstats_kind kind;
	int vcpu, stats;

	tap_is(kvmstats_fd_describe(0, &kind, &vcpu, &stats), -EPROTO,
	       "describing standard input returns EPROTO");
	tap_is(kvmstats_fd_describe(-1, &kind, &vcpu, &stats), -EBADF,
	       "describing fd -1 returns EBADF");
	tap_is(kvmstats_fd_describe(1000, &kind, &vcpu, &stats), -EBADF,
	       "describing a closed fd returns EBADF");
	tap_is(kvmstats_fd_open(0), -EPROTO,
	       "opening statistics with standard input returns EPROTO");
}

static void test_kvm_fd(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0UL);
	enum kvmstats_kind kind = KVMSTATS_KIND_VCPU;
	int vcpu = 0, stats = 1;

	if (vm < 0) {
		tap_report(TAP_SKIP, "", "the fd of a VM is described", "/dev/kvm cannot be used");
	} else {
		tap_ok(!kvmstats_fd_describe(vm, &kind, &vcpu, &stats) &&
		       kind == KVMSTATS_KIND_VM && vcpu == -1 && !stats,
		       "the fd of a VM is described");
		tap_is(kvmstats_fd_describe(vm, NULL, NULL, NULL), 0,
		       "nothing is stored in pointers that are NULL");
		close(vm);
	}
	if (kvm >= 0)
		close(kvm);
}

static void test_passing(int type, const char *how)
{
	int pair[2], sent[3] = { 0, 1, 2 }, got[8], count;

	if (socketpair(AF_UNIX, type, 0, pair)) {
		tap_ok(false, "a pair of sockets is created (%s)", how);
		return;
	}
	tap_ok(!kvmstats_fd_send(pair[0], sent, 3) && !kvmstats_fd_send(pair[0], sent, 1),
	       "two messages are sent (%s)", how);
	count = kvmstats_fd_receive(pair[1], got, 8);
	tap_ok(count == 3, "the three fds of the first message are received (%s)", how);
	tap_ok(count == 3 && fcntl(got[0], F_GETFD) == FD_CLOEXEC,
	       "received fds are close-on-exec (%s)", how);
	while (count > 0)
		close(got[--count]);
	tap_ok(kvmstats_fd_receive(pair[1], got, 8) == 1,
	       "the fd of the second message is received (%s)", how);
	close(got[0]);
	close(pair[0]);
	tap_ok(kvmstats_fd_receive(pair[1], got, 8) == 0,
	       "0 is returned at the end of the stream (%s)", how);
	close(pair[1]);
}

static void test_limits(void)
{
	int sent[KVMSTATS_MAX_FDS + 1] = { 0 }, got[KVMSTATS_MAX_FDS], pair[2], before, i;

	before = open_fds();
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	tap_is(kvmstats_fd_send(pair[0], sent, 0), -EINVAL, "sending no fds returns EINVAL");
	tap_is(kvmstats_fd_send(pair[0], sent, KVMSTATS_MAX_FDS + 1), -EINVAL,
	       "sending too many fds returns EINVAL");
	tap_is(kvmstats_fd_send(pair[0], sent, KVMSTATS_MAX_FDS), 0,
	       "KVMSTATS_MAX_FDS fds are sent");
	tap_is(kvmstats_fd_receive(pair[1], got, KVMSTATS_MAX_FDS), KVMSTATS_MAX_FDS,
	       "KVMSTATS_MAX_FDS fds are received");
	for (i = 0; i < KVMSTATS_MAX_FDS; i++)
		close(got[i]);
	kvmstats_fd_send(pair[0], sent, 5);
	tap_is(kvmstats_fd_receive(pair[1], got, 4), -EOVERFLOW,
	       "receiving more fds than the array can hold returns EOVERFLOW");
	tap_is(open_fds(), before + 2, "a message that exceeds the array leaves no fd open");
	close(pair[0]);
	tap_is(kvmstats_fd_send(pair[1], sent, 1), -EPIPE,
	       "sending to a closed socket returns EPIPE");
	close(pair[1]);
	tap_is(kvmstats_fd_receive(pair[1], got, 1), -EBADF,
	       "receiving from a closed fd returns EBADF");
}

static void test_file_limit(void)
{
	struct rlimit limit, few = { 10, 10 };
	int sent[8] = { 0 }, got[8], pair[2], before;

	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	getrlimit(RLIMIT_NOFILE, &limit);
	few.rlim_max = limit.rlim_max;
	kvmstats_fd_send(pair[0], sent, 8);
	before = open_fds();
	setrlimit(RLIMIT_NOFILE, &few);
	tap_is(kvmstats_fd_receive(pair[1], got, 8), -EOVERFLOW,
	       "receiving more fds than the process may open returns EOVERFLOW");
	setrlimit(RLIMIT_NOFILE, &limit);
	tap_is(open_fds(), before,
	       "a message that exceeds the limit of open files leaves no fd open");
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	test_other_fds();
	test_kvm_fd();
	test_passing(SOCK_STREAM, "stream");
	test_passing(SOCK_SEQPACKET, "seqpacket");
	test_limits();
	test_file_limit();
	return tap_end();
}
