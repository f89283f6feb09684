// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation in the creation of VMs and vCPUs, of which statistics are part,
 * fails in turn: neither fd nor VM nor user of a module is left, and the next try
 * works.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "faults_in_turn.h"
#include "lifetimes.h"

/* Shared with the processes that the checks run in. */
static unsigned long *tried;

static int kvm_fd = -1;
static int new_vm = -1;

static const char *judge_new(const struct trial *trial, const char *what)
{
	return trial->result < 0 ? judge_errno(trial, what, ENOMEM, ENOMEM, 0) : NULL;
}

static long run_create_vm(struct stats_target *target)
{
	(void)target;
	return ioctl(kvm_fd, KVM_CREATE_VM, 0);
}

/* The next try is the one that fails one allocation later, and in the end none. */
static const char *judge_create_vm(struct stats_target *target, const struct trial *trial)
{
	const char *message = judge_new(trial, "KVM_CREATE_VM");
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

static const char *judge_create_vcpu(struct stats_target *target,
				     const struct trial *trial)
{
	const char *message = judge_new(trial, "KVM_CREATE_VCPU");
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

static const struct path create_paths[] = {
	{ "vm", NULL, run_create_vm, judge_create_vm, .retried = true },
	{ "vcpu", prepare_vm, run_create_vcpu, judge_create_vcpu, .retried = true },
};

/*
 * vmalloc() of struct kvm begins with two allocations that leave a stack in the log
 * when they fail, whatever the caller says. With kmemleak each has a second one, and
 * there is a fifth of which kmemleak itself says that it failed.
 */
static unsigned int first_quiet(unsigned int which)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	if (!which)
		return access("/sys/kernel/debug/kmemleak", F_OK) ? 3 : 6;
#endif
	(void)which;
	return 1;
}

static const char *create_in_turn(struct stats_target *target)
{
	unsigned int vms = vm_dirs_of(getpid()), failures[FAIL_NUM_KINDS] = { 0 };
	struct path path = create_paths[target->arg];
	long users = kvm_module_users();
	const char *message = faults_open();

	kvm_fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	path.tried = tried;
	path.first = first_quiet(target->arg);
	if (!message && fail_nth_choose(true, false))
		message = stats_fail(FAIL_NTH_KNOBS ": %s", strerror(errno));
	if (!message)
		message = fail_in_turn(target, &path, failures);
	if (!message && failures[FAIL_SLAB] < 3)
		message = stats_fail("%u allocations failed, expected more",
				     failures[FAIL_SLAB]);
	path.first = 1;
	if (!message && fail_nth_has(FAIL_PAGE) && !fail_nth_choose(false, true))
		message = fail_in_turn(target, &path, failures);
	if (message)
		return message;
	tell(target, path.name, failures);
	if (new_vm >= 0)
		close(new_vm);
	close(kvm_fd);
	message = vms_of_go(getpid(), vms);
	return message ? message : kvm_modules_are_left(users);
}

/*
 * What 5.10 does on powerpc when a vCPU cannot be created: HV still counts it in its
 * core, so that the next one is refused, PR leaves a stack in the log, e500 says
 * EPERM.
 */
static const char *create_vcpu_in_turn(struct stats_target *target)
{
#ifdef __powerpc__
	(void)target;
	return stats_skip("5.10 does not undo it on powerpc if it fails");
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
	if (lifetimes_cannot_be_seen())
		return tap_skip_all(lifetimes_cannot_be_seen());

	tried = lifetimes_shared(sizeof(*tried));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(*tried, "faults in the creation of VMs and vCPUs");
	return tap_end();
}
