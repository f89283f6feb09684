// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test fds that are not of KVM, and the fd of a VM. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/kvm.h>

#include "internal.h"
#include "tap.h"

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

int main(void)
{
	test_other_fds();
	test_kvm_fd();
	return tap_end();
}
