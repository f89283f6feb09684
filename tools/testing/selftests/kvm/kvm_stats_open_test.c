// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test KVM_STATS_OPEN and KVM_STATS_NEXT.
 *
 * The test runs the checks of kvm_stats_check_open.h, and checks of a VM whose
 * guest has run or runs.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_tap.h"
#include "kvm_stats_check_open.h"
#include "kvm_stats_workload.h"

#define OPEN_SECONDS	10	/* limit for the ioctls, for slow machines */

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = stats_create_vm();

	stats_run_event(vm, 0);
	target->machine = vm;
	target->getfd_fd = vm_get_fd(vm);
	return stats_open(target->getfd_fd, &target->fd);
}

/* The values of the record must be those of the vCPU's own file. */
static const char *same_values(struct stats_target *target,
			       const struct stats_vm_file *file, uint32_t i)
{
	uint32_t vcpu_id = stats_vm_file_record(file, i).vcpu_id;
	struct stats_file vcpu;
	size_t data;
	int fd;

	stats_must(stats_getfd(stats_vcpu_fd(target->machine, vcpu_id), &fd));
	stats_must(stats_file_load(&vcpu, fd));
	data = vcpu.header.data_offset;
	if (memcmp(vcpu.bytes + data, stats_vm_file_values(file, i),
		   vcpu.size - data))
		return stats_fail("the record of vCPU %u differs from its own file",
				  vcpu_id);
	return NULL;
}

static const char *records_are_those_of_vcpus(struct stats_target *target)
{
	struct stats_vm_file file;
	uint32_t i;

	stats_must(stats_vm_file_load(&file, target->fd));
	if (file.num_records != 2)
		return stats_fail("the file has %u records, expected 2",
				  file.num_records);
	for (i = 0; i < 2; i++)
		stats_must(same_values(target, &file, i));
	return memcmp(stats_vm_file_values(&file, 0),
		      stats_vm_file_values(&file, 1),
		      file.vcpus.record_size - file.vcpus.data_offset) ? NULL :
	       stats_fail("a vCPU that ran and one that did not have the same values");
}

/* Neither ioctl may wait until KVM_RUN returns. */
static const char *opened_while_busy(struct stats_target *target)
{
	struct stats_vm_file file;
	int fd, kvm = stats_open_kvm();
	uint64_t vm = 0;

	stats_must(stats_keep_busy(target->machine, target->arg));
	stats_must_end_in(OPEN_SECONDS, "the ioctls returned");
	stats_must(stats_open(target->getfd_fd, &fd));
	stats_must(stats_vm_file_load(&file, fd));
	if (stats_open_next(kvm, &vm) < 0 && errno != EPERM)
		return stats_fail("KVM_STATS_NEXT failed: %s", strerror(errno));
	stats_must_end_in(0, "");
	return NULL;
}

static const struct stats_check guest_checks[] = {
	STATS_CHECK("records_are_those_of_vcpus", records_are_those_of_vcpus),
	STATS_CHECK("opened_while_vcpu_spins", opened_while_busy, .arg = GUEST_SPIN),
	STATS_CHECK("opened_while_vcpu_waits", opened_while_busy, .arg = GUEST_WAIT),
};

static const struct stats_suite suites[] = {
	STATS_SUITE("open", -1, stats_open_checks, stats_set_up_open),
	STATS_SUITE("guest", -1, guest_checks, set_up),
	STATS_SUITE("end_open", -1, stats_end_checks, stats_set_up_end_open),
	STATS_SUITE("end_next", -1, stats_end_checks, stats_set_up_end_next),
	STATS_SUITE("next", -1, stats_next_checks, stats_set_up_next),
};

int main(void)
{
	stats_tap_begin();
	if (!(kvm_check_cap(KVM_CAP_STATS_BINARY_FD) & KVM_STATS_CAP_OPEN))
		ksft_exit_skip("this kernel lacks KVM_STATS_OPEN\n");
	stats_tap_run(suites, ARRAY_SIZE(suites), NULL, 0);
}
