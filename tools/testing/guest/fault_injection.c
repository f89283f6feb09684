// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let every allocation and every copy in KVM_STATS_GETFD and in reads fail in turn, until a
 * run in which none fails. Each time the errno is the right one, or a read returns the bytes
 * before the fault. No fd and no VM is left over, and the next run succeeds.
 *
 * The kernel stores values to user memory one by one, which fault injection does not cover.
 * bad_memory.c tests faults of these stores.
 */
#define _GNU_SOURCE
#include "fault_injection/fault_injection.h"
#include "kvm_stats_open.h"
#include "lib/extensions.h"
#include "lib/run_suites.h"
#include "lib/vmm_end.h"
#include "lifetimes/setup.h"

struct fault_injection *shared;

const char *target_disappears(struct stats_target *target)
{
	int *fds = target->machine;
	struct vm_dir dir = vm_dir(getpid(), fds[STATS_FD_VM]);
	const char *message = vm_exists(&dir, "before its fds are closed");

	stats_close_fds(fds);
	return message ? message : vm_disappears(&dir, "after its fds are closed");
}

static const char *set_up(struct stats_target *target)
{
	static int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);

	if (message)
		return message;
	shared->vmm = getpid();
	target->machine = fds;
	target->fd = fds[stats_fd_index(target)];
	target->getfd_fd = fds[stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU)];
	return stats_file_load(&target->file, target->fd);
}

static const struct stats_check checks[] = {
	STATS_CHECK("getfd", getfd),
	STATS_CHECK("getfd_table_full", getfd_table_full),
	STATS_CHECK("emfile", emfile),
	STATS_CHECK("enfile", enfile),
	STATS_CHECK("pread", reads_in_turn, .arg = 0),
	STATS_CHECK("read", reads_in_turn, .arg = 1),
	STATS_CHECK("readv", reads_in_turn, .arg = 2),
	STATS_CHECK("preadv2", reads_in_turn, .arg = 3),
	STATS_CHECK("io_uring", reads_in_turn, .arg = 4),
	STATS_CHECK("splice", reads_in_turn, .arg = 5),
};

static const struct stats_check open_checks[] = {
	STATS_CHECK("open", open_with_vcpus),
	STATS_CHECK("next", open_next),
};

static const char *set_up_open(struct stats_target *target)
{
	return kernel_has_stats_open() ? set_up(target) : stats_skip(NO_STATS_OPEN);
}

static const char *set_up_with_vcpus(struct stats_target *target)
{
	const char *message = set_up_open(target);
	int *fds = target->machine;

	if (!message)
		message = stats_open(target->getfd_fd, 0, &target->fd);
	if (message)
		return message;
	/* target_disappears() closes the fds of the VM. */
	close(fds[STATS_FD_VM_STATS]);
	fds[STATS_FD_VM_STATS] = target->fd;
	stats_file_free(&target->file);
	return stats_file_load(&target->file, target->fd);
}

static const struct stats_check read_checks[] = {
	STATS_CHECK("pread", reads_in_turn, .arg = 0),
	STATS_CHECK("read", reads_in_turn, .arg = 1),
	STATS_CHECK("readv", reads_in_turn, .arg = 2),
	STATS_CHECK("preadv2", reads_in_turn, .arg = 3),
	STATS_CHECK("io_uring", reads_in_turn, .arg = 4),
	STATS_CHECK("splice", reads_in_turn, .arg = 5),
};

static const struct stats_suite suites[] = {
	{ "vm_vcpus", -1, open_checks, ARRAY_SIZE(open_checks), set_up_open },
	{ "vm_vcpus", -1, read_checks, ARRAY_SIZE(read_checks), set_up_with_vcpus },
	{ "vm", -1, checks, ARRAY_SIZE(checks), set_up },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), set_up },
};

int main(void)
{
	if (lifetimes_skip_reason())
		return tap_skip_all(lifetimes_skip_reason());

	shared = shared_memory(sizeof(*shared));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(shared->opens, "faults in KVM_STATS_GETFD");
	tap_tried(shared->reads, "faults in reads");
	return tap_end();
}
