// SPDX-License-Identifier: GPL-2.0-only
/* Does the kernel report the interface correctly, whether present or absent? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "stats_abi/stats_abi.h"

/* Are the bits @expected set, or is the mask 0 if @expected is 0? */
static bool has_bits(int mask, int expected)
{
	return mask >= 0 && (expected ? (mask & expected) == expected : !mask);
}

const char *check_capability(int expected)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int on_kvm = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);
	int on_vm = ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD);

	close(vm);
	close(kvm);
	if (!has_bits(on_kvm, expected))
		return stats_fail("KVM_CHECK_EXTENSION on /dev/kvm returns %d, expected %d", on_kvm,
				  expected);
	if (!has_bits(on_vm, expected))
		return stats_fail("KVM_CHECK_EXTENSION on the VM returns %d, expected %d", on_vm,
				  expected);
	return NULL;
}

/* Only series/5.10-extensions adds KVM_STATS_OPEN and KVM_STATS_NEXT. */
const char *capability_is_present(struct stats_target *target)
{
	const char *series = getenv("BOOT_SERIES") ?: "";

	(void)target;
	if (strcmp(series, "5.10-extensions"))
		return check_capability(KVM_STATS_CAP_GETFD);
	return check_capability(KVM_STATS_CAP_GETFD | KVM_STATS_CAP_OPEN | KVM_STATS_CAP_NEXT);
}

const char *capability_is_absent(struct stats_target *target)
{
	(void)target;
	return check_capability(0);
}

static const char *refused_as_unknown(int fd)
{
	if (ioctl(fd, KVM_STATS_GETFD, NULL) >= 0)
		return stats_fail("KVM_STATS_GETFD succeeds, expected ENOTTY or EINVAL");
	if (errno != ENOTTY && errno != EINVAL)
		return stats_fail("KVM_STATS_GETFD: %s, expected ENOTTY or EINVAL",
				  strerror(errno));
	return NULL;
}

const char *ioctl_is_absent(struct stats_target *target)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, STATS_VCPU_ID);

	if (vcpu < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	return refused_as_unknown(target->vcpu_id < 0 ? vm : vcpu);
}
