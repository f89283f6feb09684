// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM with many vCPUs that do not run.
 *
 * usage: many_vcpus VCPUS [-s]
 *
 * With -s it keeps statistics fds of the VM and of all vCPUs open. It prints "ready" when it has
 * created them, and ends at the end of standard input.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/kvm.h>

#ifndef KVM_GET_STATS_FD
#define KVM_GET_STATS_FD	_IO(KVMIO, 0xce)
#endif

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static void allow_many_files(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	long vcpus = argc > 1 ? atol(argv[1]) : 1;
	int keep = argc > 2 && !strcmp(argv[2], "-s");
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	char c;
	int vm;
	long i;

	allow_many_files();
	check(kvm, "/dev/kvm");
	vm = ioctl(kvm, KVM_CREATE_VM, 0UL);
	check(vm, "KVM_CREATE_VM");
	if (keep)
		check(ioctl(vm, KVM_GET_STATS_FD, NULL), "KVM_GET_STATS_FD");
	for (i = 0; i < vcpus; i++) {
		int vcpu = ioctl(vm, KVM_CREATE_VCPU, i);

		check(vcpu, "KVM_CREATE_VCPU");
		if (keep)
			check(ioctl(vcpu, KVM_GET_STATS_FD, NULL), "KVM_GET_STATS_FD");
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}
