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
#include "kvm_stats_checks.h"
#include "kvm_stats_open.h"
#include "lib/run_suites.h"
#include "stats_abi/stats_abi.h"

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

static const struct stats_check more_checks[] = {
	STATS_CHECK("enomem", enomem),
	STATS_CHECK("read_allocates_nothing", read_allocates_nothing),
	STATS_CHECK("read_by_another_user", read_by_another_user),
	STATS_CHECK("opened_by_another_user", opened_by_another_user),
	STATS_CHECK("many_fds", many_fds),
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
	SUITE("vm", -1, more_checks, ARRAY_SIZE(more_checks), set_up),
	SUITE("vcpu", STATS_VCPU_ID, more_checks, ARRAY_SIZE(more_checks), set_up),
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
