// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let every allocation in the creation of a VM and of a vCPU fail in turn. The creation of
 * their statistics is a part of that. After each failure no fd, no VM and no use count of a
 * module is left over, and the next creation succeeds.
 */
#define _GNU_SOURCE
#include "faults/in_turn.h"
#include "lib/run_suites.h"
#include "lib/vm_dir.h"
#include "lifetimes/setup.h"

/* The number of faults, in memory that the processes of all checks share. */
static unsigned long *total;

static int kvm_fd = -1;
static int new_vm = -1;

static const char *check_creation(const struct trial *trial, const char *what)
{
	return trial->result < 0 ? check_errno(trial, what, ENOMEM, ENOMEM, 0) : NULL;
}

static long run_create_vm(struct stats_target *target)
{
	(void)target;
	return ioctl(kvm_fd, KVM_CREATE_VM, 0);
}

/* No other run follows a failure: the run with the next fault shows that creation still works. */
static const char *check_create_vm(struct stats_target *target, const struct trial *trial)
{
	const char *message = check_creation(trial, "KVM_CREATE_VM");
	int fd;

	(void)target;
	if (message || trial->result < 0)
		return message;
	message = stats_getfd(trial->result, &fd);
	if (!message)
		close(fd);
	close(trial->result);
	return message;
}

static const char *prepare_vm(struct stats_target *target)
{
	(void)target;
	if (new_vm >= 0)
		close(new_vm);
	new_vm = ioctl(kvm_fd, KVM_CREATE_VM, 0);
	return new_vm >= 0 ? NULL : stats_fail("KVM_CREATE_VM: %s", strerror(errno));
}

static long run_create_vcpu(struct stats_target *target)
{
	(void)target;
	return ioctl(new_vm, KVM_CREATE_VCPU, STATS_VCPU_ID);
}

static const char *check_create_vcpu(struct stats_target *target,
				     const struct trial *trial)
{
	const char *message = check_creation(trial, "KVM_CREATE_VCPU");
	long vcpu = trial->result;
	int fd;

	if (!message && vcpu < 0)
		vcpu = run_create_vcpu(target);
	if (message || vcpu < 0)
		return message ? message :
		       stats_fail("the next KVM_CREATE_VCPU: %s", strerror(errno));
	message = stats_getfd(vcpu, &fd);
	if (!message)
		close(fd);
	close(vcpu);
	return message;
}

static const struct operation operations[] = {
	{ "vm", NULL, run_create_vm, check_create_vm, .retries = true },
	{ "vcpu", prepare_vm, run_create_vcpu, check_create_vcpu, .retries = true },
};

/*
 * Returns the first fault to inject. On x86 and arm64, vmalloc() of struct kvm begins with
 * two allocations that log a stack trace when they fail, whatever flags the caller passes.
 * With kmemleak each of them has a second allocation, and kmemleak itself logs the failure of
 * a fifth one.
 */
static unsigned int first_without_log(unsigned int operation)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	if (!operation)
		return access("/sys/kernel/debug/kmemleak", F_OK) ? 3 : 6;
#endif
	(void)operation;
	return 1;
}

/* Fails slab allocations first. Then fails pages, if the kernel can inject that fault. */
static const char *fail_allocations(struct stats_target *target, struct operation *operation,
				    unsigned int failures[FAIL_NUM_KINDS])
{
	const char *message = NULL;

	if (fail_nth_choose(true, false))
		return stats_fail(FAIL_NTH_SLAB_DIR ": %s", strerror(errno));
	message = fail_in_turn(target, operation, failures);
	if (!message && failures[FAIL_SLAB] < 3)
		message = stats_fail("%u allocations failed, expected more",
				     failures[FAIL_SLAB]);
	operation->first = 1;
	if (!message && fail_nth_has(FAIL_PAGE) && !fail_nth_choose(false, true))
		message = fail_in_turn(target, operation, failures);
	return message;
}

static const char *create_in_turn(struct stats_target *target)
{
	unsigned int vms = vm_count(getpid()), failures[FAIL_NUM_KINDS] = { 0 };
	struct operation operation = operations[target->arg];
	long users = kvm_module_users();
	const char *message = faults_open();

	kvm_fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	operation.total = total;
	operation.first = first_without_log(target->arg);
	if (!message)
		message = fail_allocations(target, &operation, failures);
	if (message)
		return message;
	report_failures(target, operation.name, failures);
	if (new_vm >= 0)
		close(new_vm);
	close(kvm_fd);
	message = vm_count_becomes(getpid(), vms);
	return message ? message : kvm_module_users_become(users);
}

/*
 * Linux 5.10 does not undo a failed creation of a vCPU on powerpc. With HV the vCPU still
 * counts in its core, so that the next one is refused. PR logs a stack trace. The e500
 * returns EPERM.
 */
static const char *create_vcpu_in_turn(struct stats_target *target)
{
#ifdef __powerpc__
	(void)target;
	return stats_skip("Linux 5.10 does not undo a failed creation on powerpc");
#else
	return create_in_turn(target);
#endif
}

static const struct stats_check checks[] = {
	STATS_CHECK("vm", create_in_turn, .arg = 0),
	STATS_CHECK("vcpu", create_vcpu_in_turn, .arg = 1),
};

static const struct stats_suite suites[] = {
	{ "created", -1, checks, ARRAY_SIZE(checks), NULL },
};

int main(void)
{
	if (lifetimes_skip_reason())
		return tap_skip_all(lifetimes_skip_reason());

	total = shared_memory(sizeof(*total));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(*total, "faults in the creation of VMs and vCPUs");
	return tap_end();
}
