// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/kvm.h>

#include "lib/exits_vm.h"

#define STATS_ENABLE_EXITS	(1 << 0)

int create_vm_with_exits(void)
{
	struct kvm_enable_cap cap = {
		.cap = KVM_CAP_BINARY_STATS_FD, .args = { STATS_ENABLE_EXITS },
	};
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);

	close(kvm);
	if (vm >= 0 && ioctl(vm, KVM_ENABLE_CAP, &cap)) {
		close(vm);
		vm = -1;
	}
	return vm;
}
