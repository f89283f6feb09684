/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * A VMM sends statistics fds to an agent over a socket. The agent needs no privileges: no ptrace
 * access to the VMM, and no access to its /proc/PID/fd. With the fds it can read statistics, but
 * it cannot control the VM.
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

static int report_error(const char *what, int err)
{
	char buf[128];

	fprintf(stderr, "%s: %s\n", what, kvmstats_strerror(err, buf, sizeof(buf)));
	return 1;
}

/* Runs in the VMM, because mainline does not open statistics for any other process. */
static int send_statistics(int socket)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0UL);
	int vcpu = vm < 0 ? -1 : ioctl(vm, KVM_CREATE_VCPU, 0UL);
	int fd[2], err;

	if (vcpu < 0)
		return report_error("cannot create a VM with a vCPU", errno);
	fd[0] = kvmstats_fd_open(vm);
	fd[1] = kvmstats_fd_open(vcpu);
	if (fd[0] < 0 || fd[1] < 0)
		return report_error("cannot open statistics", fd[0] < 0 ? fd[0] : fd[1]);
	err = kvmstats_fd_send(socket, fd, 2);
	return err ? report_error("cannot send statistics fds", err) : 0;
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
		return report_error("cannot read the schema of a received fd", err);
	err = kvmstats_schema_id(schema, fd, id, sizeof(id));
	if (!err && kind == KVMSTATS_KIND_VM)
		printf("VM: \"%s\", %zu statistics\n", id, kvmstats_schema_count(schema));
	else if (!err)
		printf("vCPU %d: \"%s\", %zu statistics\n", vcpu, id,
		       kvmstats_schema_count(schema));
	kvmstats_schema_free(schema);
	return err ? report_error("cannot read the ID of a received fd", err) : 0;
}

/* Runs in the agent. */
static int receive_statistics(int socket)
{
	int fd[8], failed = 0;
	int count = kvmstats_fd_receive(socket, fd, 8);

	if (count < 0)
		return report_error("cannot receive statistics fds", count);
	if (!count) {
		fprintf(stderr, "the VMM has not sent any statistics fds\n");
		return 1;
	}
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
		return report_error("cannot create a pair of sockets", errno);
	agent = fork();
	if (!agent) {
		close(pair[0]);
		return receive_statistics(pair[1]);
	}
	close(pair[1]);
	failed = send_statistics(pair[0]);
	close(pair[0]);
	if (agent < 0 || waitpid(agent, &status, 0) != agent || status)
		return 1;
	return failed;
}
