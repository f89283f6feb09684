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
	if (!has_bits(on_kvm, expected))
		return stats_fail("KVM_CHECK_EXTENSION on /dev/kvm returns %d, expected %d", on_kvm,
				  expected);
	if (!has_bits(on_vm, expected))
		return stats_fail("KVM_CHECK_EXTENSION on the VM returns %d, expected %d", on_vm,
				  expected);
	return NULL;
}

/* Only series/5.10-extensions adds KVM_STATS_OPEN and KVM_STATS_NEXT. */
static const char *capability_is_present(struct stats_target *target)
{
	const char *series = getenv("BOOT_SERIES") ?: "";

	(void)target;
	if (strcmp(series, "5.10-extensions"))
		return check_capability(KVM_STATS_CAP_GETFD);
	return check_capability(KVM_STATS_CAP_GETFD | KVM_STATS_CAP_OPEN | KVM_STATS_CAP_NEXT);
}

static const char *capability_is_absent(struct stats_target *target)
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

static const char *ioctl_is_absent(struct stats_target *target)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, STATS_VCPU_ID);

	if (vcpu < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	return refused_as_unknown(target->vcpu_id < 0 ? vm : vcpu);
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
	const char *message;
	int fds[STATS_NUM_FDS];
	pthread_t thread;
	int fd;

	message = stats_bare_vm(fds);
	if (message)
		return message;
	close(fds[STATS_FD_VCPU]);
	if (pthread_create(&thread, NULL, create_vcpu, fds))
		return stats_fail("pthread_create failed");
	pthread_join(thread, NULL);
	message = stats_getfd(fds[STATS_FD_VCPU], &fd);
	return message ? message : stats_still_reads(&other, fd, getpid());
}

/* ---- */

static const char *set_up(struct stats_target *target)
{
	static int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	target->getfd_fd = fds[stats_target_kind(target, STATS_FD_VM,
						 STATS_FD_VCPU)];
	target->fd = fds[stats_target_kind(target, STATS_FD_VM_STATS,
					   STATS_FD_VCPU_STATS)];
	return stats_file_load(&target->file, target->fd);
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

#define SUITE(kind, id, table, num_checks, set_up_suite)		\
	{ .name = kind, .vcpu_id = id, .checks = table,			\
	  .num = num_checks, .setup = set_up_suite }

static const struct stats_suite without_interface[] = {
	SUITE("vm", -1, absence_checks, ARRAY_SIZE(absence_checks), NULL),
	SUITE("vcpu", STATS_VCPU_ID, absence_checks, ARRAY_SIZE(absence_checks), NULL),
};

static const struct stats_suite with_interface[] = {
	SUITE("kvm", -1, presence_checks, ARRAY_SIZE(presence_checks), NULL),
	SUITE("vm", -1, stats_checks, ARRAY_SIZE(stats_checks), set_up),
	SUITE("vcpu", STATS_VCPU_ID, stats_checks, ARRAY_SIZE(stats_checks), set_up),
	SUITE("vcpu", STATS_VCPU_ID, vcpu_checks, ARRAY_SIZE(vcpu_checks), set_up),
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
