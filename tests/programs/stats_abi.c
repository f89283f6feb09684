// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the binary interface of KVM's statistics fd without running a guest. The program runs
 * on every architecture and, if the architecture has them, also as a 32-bit process on a
 * 64-bit kernel.
 *
 * On a kernel without the interface (BOOT_VARIANT=unpatched), the program tests that the
 * kernel reports its absence.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"
#include "lib/run.h"
#include "lib/vm_dir.h"

/* ---- does the kernel report the interface, or its absence? ---- */

/* Are the bits @expected set, or is the mask 0 if @expected is 0? */
static bool has_bits(int mask, int expected)
{
	return mask >= 0 && (expected ? (mask & expected) == expected : !mask);
}

static const char *check_capability(int expected)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int on_kvm = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);
	int on_vm = ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD);

	close(vm);
	close(kvm);
	return has_bits(on_kvm, expected) && has_bits(on_vm, expected) ? NULL :
	       stats_fail("KVM_CHECK_EXTENSION: %d on /dev/kvm and %d on the VM, expected %d",
			  on_kvm, on_vm, expected);
}

/* Only the series 5.10-extensions adds KVM_STATS_OPEN and KVM_STATS_NEXT. */
static const char *capability_is_present(struct stats_target *target)
{
	const char *series = getenv("BOOT_SERIES") ?: "";

	if (strcmp(series, "5.10-extensions"))
		return check_capability(KVM_STATS_CAP_GETFD);
	return check_capability(KVM_STATS_CAP_GETFD | KVM_STATS_CAP_OPEN | KVM_STATS_CAP_NEXT);
}

static const char *capability_is_absent(struct stats_target *target)
{
	return check_capability(0);
}

static const char *ioctl_is_absent(struct stats_target *target)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, STATS_VCPU_ID);

	if (vcpu < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	if (ioctl(target->vcpu_id < 0 ? vm : vcpu, KVM_STATS_GETFD, NULL) >= 0)
		return stats_fail("KVM_STATS_GETFD succeeds, expected ENOTTY or EINVAL");
	return errno == ENOTTY || errno == EINVAL ? NULL :
	       stats_fail("KVM_STATS_GETFD: %s, expected ENOTTY or EINVAL", strerror(errno));
}

/* ---- a vCPU that another thread creates ---- */

static void *create_vcpu(void *arg)
{
	int *fds = arg;

	fds[STATS_FD_VCPU] = ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU,
				   STATS_VCPU_ID + 1);
	return NULL;
}

/* The id names the process of the VM, not the thread that creates the vCPU. */
static const char *id_from_another_thread(struct stats_target *target)
{
	struct stats_target other = {
		.vcpu_id = STATS_VCPU_ID + 1,
		.file = target->file,
	};
	int fds[STATS_NUM_FDS], fd;
	pthread_t thread;

	must(stats_bare_vm(fds));
	close(fds[STATS_FD_VCPU]);
	if (pthread_create(&thread, NULL, create_vcpu, fds))
		fail("pthread_create failed");
	pthread_join(thread, NULL);
	must(stats_getfd(fds[STATS_FD_VCPU], &fd));
	return stats_still_reads(&other, fd, getpid());
}

static const struct stats_check absence_checks[] = {
	STATS_CHECK("capability_is_absent", capability_is_absent),
	STATS_CHECK("ioctl_is_unknown", ioctl_is_absent),
};

static const struct stats_check presence_checks[] = {
	STATS_CHECK("capability", capability_is_present),
};

static const struct stats_check vcpu_checks[] = {
	STATS_CHECK("id_if_created_by_another_thread", id_from_another_thread),
};

static const struct stats_suite without_interface[] = {
	STATS_SUITE("vm", -1, absence_checks, NULL),
	STATS_SUITE("vcpu", STATS_VCPU_ID, absence_checks, NULL),
};

static const struct stats_suite with_interface[] = {
	STATS_SUITE("kvm", -1, presence_checks, NULL),
	STATS_SUITE("vm", -1, stats_checks, set_up_vm),
	STATS_SUITE("vcpu", STATS_VCPU_ID, stats_checks, set_up_vm),
	STATS_SUITE("vcpu", STATS_VCPU_ID, vcpu_checks, set_up_vm),
};

/* A report of all boots collects the numbers of descriptors, and check-host the capability. */
static void report_descriptors(void)
{
	struct stats_file file;
	int fds[STATS_NUM_FDS];

	if (stats_bare_vm(fds))
		return;
	if (!stats_file_load(&file, fds[STATS_FD_VM_STATS]))
		printf("# vm: %u descriptors\n", file.header.num_desc);
	if (!stats_file_load(&file, fds[STATS_FD_VCPU_STATS]))
		printf("# vcpu: %u descriptors\n", file.header.num_desc);
	printf("# KVM_CAP_STATS_BINARY_FD: %d\n",
	       ioctl(stats_open_kvm(), KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD));
}

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");

	if (!variant && access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!variant && check_capability(KVM_STATS_CAP_GETFD))
		return tap_skip_all("this kernel does not have KVM_CAP_STATS_BINARY_FD");

	if (variant && !strcmp(variant, "unpatched"))
		run_suites(without_interface, ARRAY_SIZE(without_interface));
	else
		run_suites(with_interface, ARRAY_SIZE(with_interface));
	report_descriptors();
	return tap_end();
}
