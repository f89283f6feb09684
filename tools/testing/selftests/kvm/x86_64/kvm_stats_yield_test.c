// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of directed yields: a vCPU asks KVM to run another vCPU
 * instead.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <asm/kvm_para.h>
#include <linux/compiler.h>
#include <linux/kvm_para.h>

#include "kvm_stats_processor.h"
#include "kvm_stats_guest.h"
#include "kvm_stats_tap.h"
#include "processor.h"

#define VCPU_ID		0
#define OTHER_VCPU_ID	1
#define NO_VCPU_ID	7
#define TIMES		50

/* The guest */

static uint64_t guest_target;	/* APIC id */
static uint64_t guest_result;	/* of each hypercall */
static uint64_t guest_spins;
static uint64_t guest_stop;

static void guest_yield(void)
{
	int i;

	guest_apic_enable();
	GUEST_SYNC(0);
	for (i = 0; i < TIMES; i++)
		GUEST_ASSERT(guest_hypercall(KVM_HC_SCHED_YIELD, guest_target) == guest_result);
	GUEST_DONE();
}

static void guest_spin(void)
{
	guest_apic_enable();
	GUEST_SYNC(0);
	while (!READ_ONCE(guest_stop))
		WRITE_ONCE(guest_spins, guest_spins + 1);
	GUEST_DONE();
}

/* The VMM */

static struct stats_guest guest;
static struct stats_guest other;

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, 0, guest_yield);

	vm_vcpu_add_default(vm, OTHER_VCPU_ID, guest_spin);
	stats_apic_prepare(vm, VCPU_ID);
	stats_apic_prepare(vm, OTHER_VCPU_ID);
	stats_hypercall_prepare(vm);
	*stats_in_guest(vm, guest_target) = target->arg;

	guest = stats_guest_of(vm, VCPU_ID);
	other = stats_guest_of(vm, OTHER_VCPU_ID);
	stats_run_guest(&guest);
	stats_run_guest(&other);
	return NULL;
}

static const char *check_yields(int64_t successful)
{
	struct stats_snapshot before, after;

	before = stats_now(&guest);
	stats_run_guest(&guest);
	after = stats_now(&guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "hypercalls", TIMES },
				   { "directed_yield_attempted", TIMES },
				   { "directed_yield_successful", successful });
}

/* The target is the vCPU itself, does not exist, or is not runnable. */
static const char *unsuccessful(struct stats_target *target)
{
	return check_yields(0);
}

/* Both vCPUs share a CPU, so while one runs, the other one is preempted. */
static void start_other(struct stats_vcpu_thread *vcpu)
{
	uint64_t *spins = stats_in_guest(guest.vm, guest_spins);

	stats_pin(stats_nth_cpu(0));
	stats_vcpu_start(vcpu, &other, stats_nth_cpu(0));
	while (!READ_ONCE(*spins))
		usleep(50);
}

static void stop_other(struct stats_vcpu_thread *vcpu)
{
	WRITE_ONCE(*stats_in_guest(guest.vm, guest_stop), 1);
	stats_vcpu_join(vcpu);
}

static const char *to_preempted(struct stats_target *target)
{
	struct stats_vcpu_thread vcpu;

	start_other(&vcpu);
	stats_must(check_yields(TIMES));
	stop_other(&vcpu);
	return NULL;
}

static const char *use_policy(int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, policy, &param) ?
	       stats_skip("cannot change the scheduling policy: %s",
			  strerror(errno)) : NULL;
}

/*
 * The other vCPU is preempted, but the scheduler refuses to run it: a real-time
 * thread cannot yield to a thread with another policy.
 */
static const char *to_other_policy(struct stats_target *target)
{
	struct stats_vcpu_thread vcpu;
	const char *message;

	start_other(&vcpu);
	message = use_policy(SCHED_FIFO, 1);
	if (!message) {
		message = check_yields(0);
		use_policy(SCHED_OTHER, 0);
	}
	stop_other(&vcpu);
	return message;
}

/* The guest must not use what its CPUID does not have. */
static const char *without_feature(struct stats_target *target)
{
	struct kvm_cpuid2 *cpuid = kvm_get_supported_cpuid();
	struct kvm_enable_cap cap = { .cap = KVM_CAP_ENFORCE_PV_FEATURE_CPUID, .args = { 1 } };
	struct stats_snapshot before, after;
	uint32_t i;

	for (i = 0; i < cpuid->nent; i++)
		if (cpuid->entries[i].function == KVM_CPUID_FEATURES)
			cpuid->entries[i].eax &= ~(1u << KVM_FEATURE_PV_SCHED_YIELD);
	vcpu_set_cpuid(guest.vm, VCPU_ID, cpuid);
	vcpu_enable_cap(guest.vm, VCPU_ID, &cap);
	*stats_in_guest(guest.vm, guest_result) = -KVM_ENOSYS;
	before = stats_now(&guest);
	stats_run_guest(&guest);
	after = stats_now(&guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "hypercalls", TIMES },
				   { "directed_yield_attempted", 0 },
				   { "directed_yield_successful", 0 });
}

static const struct stats_check checks[] = {
	STATS_CHECK("to_itself", unsuccessful, .arg = VCPU_ID),
	STATS_CHECK("to_missing", unsuccessful, .arg = NO_VCPU_ID),
	STATS_CHECK("to_idle", unsuccessful, .arg = OTHER_VCPU_ID),
	STATS_CHECK("to_preempted", to_preempted, .arg = OTHER_VCPU_ID),
	STATS_CHECK("without_feature", without_feature, .arg = VCPU_ID),
	STATS_CHECK("to_other_policy", to_other_policy, .arg = OTHER_VCPU_ID),
};

static const struct stats_suite suite =
	STATS_SUITE("yield", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, NULL, 0);
}
