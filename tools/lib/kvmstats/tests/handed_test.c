// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Fds over sockets, and fds that are not KVM's. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kvmstats.h"
#include "tap.h"

static int open_fds(void)
{
	int count = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void test_strangers(void)
{
	enum kvmstats_kind kind;
	int vcpu, stats;

	tap_is(kvmstats_fd_describe(0, &kind, &vcpu, &stats), -EPROTO,
	       "standard input is not KVM's");
	tap_is(kvmstats_fd_describe(-1, &kind, &vcpu, &stats), -EBADF, "no fd is told");
	tap_is(kvmstats_fd_describe(1000, &kind, &vcpu, &stats), -EBADF, "a closed one is");
	tap_is(kvmstats_fd_open(0), -EPROTO, "and no statistics are opened of it");
}

static void test_passing(int type, const char *how)
{
	int pair[2], sent[3] = { 0, 1, 2 }, got[8], count;

	if (socketpair(AF_UNIX, type, 0, pair)) {
		tap_ok(false, "a pair of sockets (%s)", how);
		return;
	}
	tap_ok(!kvmstats_fd_send(pair[0], sent, 3) && !kvmstats_fd_send(pair[0], sent, 1),
	       "fds are sent (%s)", how);
	count = kvmstats_fd_receive(pair[1], got, 8);
	tap_is(count, 3, "those of one message arrive");
	tap_ok(count == 3 && fcntl(got[0], F_GETFD) == FD_CLOEXEC, "closed by exec");
	while (count > 0)
		close(got[--count]);
	tap_is(kvmstats_fd_receive(pair[1], got, 8), 1, "then those of the next");
	close(got[0]);
	close(pair[0]);
	tap_is(kvmstats_fd_receive(pair[1], got, 8), 0, "then the end");
	close(pair[1]);
}

static void test_limits(void)
{
	int sent[KVMSTATS_MAX_FDS + 1] = { 0 }, got[KVMSTATS_MAX_FDS], pair[2], before, i;

	before = open_fds();
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	tap_is(kvmstats_fd_send(pair[0], sent, 0), -EINVAL, "no fd is not sent");
	tap_is(kvmstats_fd_send(pair[0], sent, KVMSTATS_MAX_FDS + 1), -EINVAL,
	       "nor are more than fit");
	tap_is(kvmstats_fd_send(pair[0], sent, KVMSTATS_MAX_FDS), 0, "as many as fit are");
	tap_is(kvmstats_fd_receive(pair[1], got, KVMSTATS_MAX_FDS), KVMSTATS_MAX_FDS,
	       "and arrive");
	for (i = 0; i < KVMSTATS_MAX_FDS; i++)
		close(got[i]);
	kvmstats_fd_send(pair[0], sent, 5);
	tap_is(kvmstats_fd_receive(pair[1], got, 4), -EOVERFLOW, "more than there is room for");
	tap_is(open_fds(), before + 2, "leave none behind");
	close(pair[0]);
	tap_is(kvmstats_fd_send(pair[1], sent, 1), -EPIPE, "a peer that is gone is told");
	close(pair[1]);
	tap_is(kvmstats_fd_receive(pair[1], got, 1), -EBADF, "a socket that is none is told");
}

static void test_no_room(void)
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
	       "more than the process may have are told");
	setrlimit(RLIMIT_NOFILE, &limit);
	tap_is(open_fds(), before, "and none is kept");
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	test_strangers();
	test_passing(SOCK_STREAM, "stream");
	test_passing(SOCK_SEQPACKET, "packets");
	test_limits();
	test_no_room();
	return tap_end();
}
