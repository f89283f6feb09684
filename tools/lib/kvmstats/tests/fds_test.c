// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test fds that are not of KVM, duplicates among fds, fds that are passed over sockets, and the
 * search for processes that have fds of KVM.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/kvm.h>
#include <linux/seccomp.h>

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

/* ---- fds of the same file ---- */

static void refuse_kcmp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(255);
}

static void test_duplicates(void)
{
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC), copy = dup(first);
	int other = open("/dev/null", O_RDONLY | O_CLOEXEC), status = -1;
	struct kvmstats_fd fd[] = {
		{ .fd = first, .vcpu = -1 },
		{ .fd = copy, .vcpu = -1 },
		{ .fd = other, .vcpu = -1 },
		{ .fd = copy, .kind = KVMSTATS_KIND_VCPU },
	};
	struct kvmstats_fds fds = { .fd = fd, .count = ARRAY_SIZE(fd) };
	pid_t pid = fork();

	if (!pid) {
		refuse_kcmp();
		_exit(kvmstats_fds_distinct(&fds, getpid()) || fds.count != 4);
	}
	waitpid(pid, &status, 0);
	tap_is(status, 0, "without kcmp(), duplicates cannot be recognized");
	tap_ok(kvmstats_fds_distinct(&fds, getpid()), "kcmp() finds duplicates");
	tap_ok(fds.count == 3 && fd[0].fd == first && fd[1].fd == other,
	       "of the fds of one file and kind the lowest remains");
	close(first);
	close(copy);
	close(other);
}

/* ---- processes ---- */

struct calls {
	int of_self;		/* calls for this process */
	int all;
	int err;		/* what they return */
};

static int count_call(pid_t pid, void *arg)
{
	struct calls *calls = arg;

	calls->all++;
	calls->of_self += pid == getpid();
	return calls->err;
}

static void test_processes(void)
{
	struct kvmstats_processes processes = { 0 };
	struct calls calls = { .err = -EMFILE };
	uint64_t now;

	tap_is(kvmstats_processes_scan(&processes, SECOND, count_call, &calls), -EMFILE,
	       "a scan ends if the caller cannot open more files");
	tap_is(calls.all, 1, "no more processes are examined then");
	calls.err = -EACCES;
	kvmstats_processes_scan(&processes, SECOND, count_call, &calls);
	tap_ok(calls.of_self == 1 && processes.denied == processes.count + processes.hidden,
	       "all are examined in the next scan, and counted if that is denied");
	calls.err = 0;
	for (now = SECOND; now <= 32 * SECOND; now += SECOND)
		kvmstats_processes_scan(&processes, now, count_call, &calls);
	tap_is(calls.of_self, 6, "a process is examined at once, and after 1, 2, 4, 8 and 16 s");
	tap_is(processes.denied, processes.hidden, "no process is denied any more");
	kvmstats_processes_forget(&processes, getpid());
	kvmstats_processes_scan(&processes, now, count_call, &calls);
	tap_is(calls.of_self, 7, "a process whose VMs have ended is examined at once");
	kvmstats_processes_free(&processes);
}

int main(void)
{
	test_other_fds();
	test_kvm_fd();
	test_passing(SOCK_STREAM, "stream");
	test_passing(SOCK_SEQPACKET, "seqpacket");
	test_limits();
	test_file_limit();
	test_duplicates();
	test_processes();
	return tap_end();
}
