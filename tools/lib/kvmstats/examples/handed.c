/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * A VMM hands statistics fds to a process that has no other rights: it needs neither ptrace nor
 * /proc/PID/fd, and can do nothing else to the VM.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kvm.h>

#include <kvmstats.h>

static int complain(const char *what, int err)
{
	char buf[128];

	fprintf(stderr, "%s: %s\n", what, kvmstats_strerror(err, buf, sizeof(buf)));
	return 1;
}

/* The VMM's side: statistics fds, because other kernels open them for the VMM only. */
static int hand_over(int socket)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0UL);
	int vcpu = vm < 0 ? -1 : ioctl(vm, KVM_CREATE_VCPU, 0UL);
	int fd[2], err;

	if (vcpu < 0)
		return complain("cannot create a VM with a vCPU", errno);
	fd[0] = kvmstats_fd_open(vm);
	fd[1] = kvmstats_fd_open(vcpu);
	if (fd[0] < 0 || fd[1] < 0)
		return complain("cannot open statistics", fd[0] < 0 ? fd[0] : fd[1]);
	err = kvmstats_fd_send(socket, fd, 2);
	return err ? complain("cannot send them", err) : 0;
}

static int describe(int fd)
{
	struct kvmstats_schema *schema;
	enum kvmstats_kind kind;
	int vcpu, stats, err;
	char id[64];

	err = kvmstats_fd_describe(fd, &kind, &vcpu, &stats);
	if (!err)
		err = kvmstats_schema_read(&schema, fd);
	if (err)
		return complain("not what was expected", err);
	err = kvmstats_schema_id(schema, fd, id, sizeof(id));
	if (!err)
		printf("%s %d: \"%s\", %zu statistics\n",
		       kind == KVMSTATS_VM ? "VM" : "vCPU", vcpu, id, kvmstats_schema_count(schema));
	kvmstats_schema_free(schema);
	return err ? complain("no ID", err) : 0;
}

/* The agent's side. */
static int receive(int socket)
{
	int fd[8], failed = 0;
	int count = kvmstats_fd_receive(socket, fd, 8);

	if (count < 0)
		return complain("cannot receive", count);
	if (!count)
		return complain("nothing came", ENODATA);
	while (count) {
		failed |= describe(fd[--count]);
		close(fd[count]);
	}
	return failed;
}

int main(void)
{
	int pair[2], status, failed;
	pid_t agent;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return complain("socketpair", errno);
	agent = fork();
	if (!agent) {
		close(pair[0]);
		return receive(pair[1]);
	}
	close(pair[1]);
	failed = hand_over(pair[0]);
	close(pair[0]);
	if (agent < 0 || waitpid(agent, &status, 0) != agent || status)
		return 1;
	return failed;
}
