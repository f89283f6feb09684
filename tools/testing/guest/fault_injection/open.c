// SPDX-License-Identifier: GPL-2.0-only
/* Faults in KVM_STATS_OPEN and KVM_STATS_NEXT. */
#define _GNU_SOURCE
#include "fault_injection/fault_injection.h"
#include "kvm_stats_open.h"
#include "lib/extensions.h"

/* The file must have the vCPU of the target's VM. */
static const char *check_file(int fd)
{
	struct stats_vm_file file;
	const char *message = stats_vm_file_load(&file, fd);

	if (!message && file.num_records != 1)
		message = stats_fail("the file has %u records, expected 1", file.num_records);
	stats_vm_file_free(&file);
	close(fd);
	return message;
}

static long run_open(struct stats_target *target)
{
	struct kvm_stats_open open = { 0 };

	return ioctl(target->getfd_fd, KVM_STATS_OPEN, &open);
}

static const char *check_open(struct stats_target *target, const struct trial *trial)
{
	(void)target;
	return trial->result < 0 ? check_errno(trial, "KVM_STATS_OPEN", ENOMEM, ENOMEM, EFAULT) :
				   check_file(trial->result);
}

static const char *fail_all(struct stats_target *target, const struct operation *operation)
{
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	if (!message)
		message = fail_in_turn(target, operation, failures);
	if (message)
		return message;
	report_failures(target, operation->name, failures);
	if (failures[FAIL_SLAB] < 2 || (fail_nth_has(FAIL_COPY) && !failures[FAIL_COPY]))
		return stats_fail("%u allocations and %u copies failed, expected 2 and 1 or more",
				  failures[FAIL_SLAB], failures[FAIL_COPY]);
	return target_disappears(target);
}

const char *open_with_vcpus(struct stats_target *target)
{
	const struct operation operation = {
		.name = "open",
		.run = run_open,
		.check = check_open,
		.total = &shared->opens,
	};

	return fail_all(target, &operation);
}

/* The argument of KVM_STATS_NEXT, and the number before that of the target's VM. */
static struct kvm_stats_next next;
static uint64_t number_before;
static int kvm = -1;

static void prepare_next(void)
{
	if (kvm < 0)
		kvm = stats_open_kvm();
	number_before = newest_vm(kvm) - 1;
	next = (struct kvm_stats_next){ .vm = number_before };
}

static long run_next(struct stats_target *target)
{
	(void)target;
	next.vm = number_before;
	return ioctl(kvm, KVM_STATS_NEXT, &next);
}

static const char *check_next(struct stats_target *target, const struct trial *trial)
{
	(void)target;
	if (trial->result >= 0)
		return next.vm == number_before + 1 ? check_file(next.fd) :
		       stats_fail("KVM_STATS_NEXT opens VM %llu, expected VM %llu",
				  (unsigned long long)next.vm,
				  (unsigned long long)number_before + 1);
	if (next.vm != number_before)
		return stats_fail("the number of the VM has changed although the call failed");
	return check_errno(trial, "KVM_STATS_NEXT", ENOMEM, ENOMEM, EFAULT);
}

const char *open_next(struct stats_target *target)
{
	const struct operation operation = {
		.name = "next",
		.run = run_next,
		.check = check_next,
		.total = &shared->opens,
	};

	prepare_next();
	return fail_all(target, &operation);
}
