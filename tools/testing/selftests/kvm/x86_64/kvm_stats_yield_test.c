// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directed yields: a vCPU gives its time to another one, as its statistics count
 * it.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <asm/kvm_para.h>
#include <linux/kvm_para.h>

#include "kvm_stats_thread.h"
#include "kvm_stats_apic.h"
#include "kvm_stats_hypercall.h"

#define VCPU_ID		0
#define OTHER_VCPU_ID	1
#define NO_VCPU_ID	7
#define TIMES		50

/* The guest */

static uint64_t guest_target;	/* APIC id */
static uint64_t guest_spins;
static uint64_t guest_stop;

static void guest_yield(void)
{
	int i;

	guest_apic_enable();
	GUEST_SYNC(0);
	for (i = 0; i < TIMES; i++)
		GUEST_ASSERT(!guest_hypercall(KVM_HC_SCHED_YIELD, guest_target));
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
	struct stats_moment before, after;

	before = stats_now(&guest);
	stats_run_guest(&guest);
	after = stats_now(&guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "hypercalls", TIMES },
				   { "directed_yield_attempted", TIMES },
				   { "directed_yield_successful", successful });
}

/* To itself, to nobody, or to a vCPU that does not run. */
static const char *in_vain(struct stats_target *target)
{
	return check_yields(0);
}

/* Both vCPUs have one CPU, so while one runs, the other one would like to. */
static const char *to_preempted(struct stats_target *target)
{
	uint64_t *spins = stats_in_guest(guest.vm, guest_spins);
	struct stats_vcpu_thread vcpu;
	const char *message;

	stats_pin(stats_nth_cpu(0));
	stats_vcpu_start(&vcpu, &other, stats_nth_cpu(0));
	while (!READ_ONCE(*spins))
		usleep(50);
	message = check_yields(TIMES);
	WRITE_ONCE(*stats_in_guest(guest.vm, guest_stop), 1);
	stats_vcpu_join(&vcpu);
	return message;
}

static const struct stats_check checks[] = {
	STATS_CHECK("to_itself", in_vain, .arg = VCPU_ID),
	STATS_CHECK("to_nobody", in_vain, .arg = NO_VCPU_ID),
	STATS_CHECK("to_idle", in_vain, .arg = OTHER_VCPU_ID),
	STATS_CHECK("to_preempted", to_preempted, .arg = OTHER_VCPU_ID),
};

static const struct stats_suite suite = {
	.name = "yield",
	.vcpu_id = VCPU_ID,
	.checks = checks,
	.num = ARRAY_SIZE(checks),
	.setup = set_up,
};

int main(void)
{
	stats_tap_begin();
	stats_tap_run(&suite, 1);
	stats_tap_end();
}
