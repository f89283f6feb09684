// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of nested guests on VMX: how often a vCPU enters one, and whether it runs
 * one now. The kselftest kvm_stats_nested_test does the same on SVM.
 */
#include <cpuid.h>
#include <unistd.h>

#include "nested_vmx/l1.h"
#include "nested_vmx/machine.h"
#include "nested_vmx/vmcs.h"
#include "tap.h"
#include "vcpu/stats.h"

static bool run_until(struct machine *machine, enum l1_exit expected)
{
	uint8_t got;
	const char *message = machine_run(machine, L1_PORT, &got);

	if (message)
		return fail("%s", message);
	if (got == L1_FAILED)
		return fail("VMX does not behave as L1 expects");
	return got == expected || fail("the guest exits with %u, expected %u", got, expected);
}

static bool is_in_l2(struct machine *machine, bool expected)
{
	static struct stats_file now;
	uint64_t guest_mode;

	if (!read_stats(machine->vcpu, &now) || !value_of(&now, "guest_mode", &guest_mode))
		return false;
	return guest_mode == expected ||
	       fail("guest_mode is %llu, expected %d", (unsigned long long)guest_mode, expected);
}

/* L1 does its task. Check by how much nested_run increases. */
static bool counts(struct machine *machine, uint64_t expected)
{
	static struct outcome outcome;
	uint64_t by;

	if (!run_until(machine, L1_READY) || !read_stats(machine->vcpu, &outcome.before) ||
	    !run_until(machine, L1_DONE) || !read_stats(machine->vcpu, &outcome.after) ||
	    !change_of(&outcome, "nested_run", &by))
		return false;
	if (by != expected)
		return fail("nested_run increased by %llu, expected %llu", (unsigned long long)by,
			    (unsigned long long)expected);
	return is_in_l2(machine, false);
}

static bool counts_each_entry(struct machine *machine)
{
	return counts(machine, L1_TIMES);
}

static bool counts_one_entry(struct machine *machine)
{
	return counts(machine, 1);
}

static bool counts_nothing(struct machine *machine)
{
	return counts(machine, 0);
}

static bool shows_guest_mode(struct machine *machine)
{
	return run_until(machine, L1_READY) && is_in_l2(machine, false) &&
	       run_until(machine, L2_RUNS) && is_in_l2(machine, true) &&
	       run_until(machine, L1_DONE) && is_in_l2(machine, false);
}

static const struct {
	const char *name;
	enum l1_task task;
	bool (*check)(struct machine *machine);
} cases[] = {
	{ "vmlaunch", L1_LAUNCHES, counts_each_entry },
	{ "vmresume", L1_RESUMES, counts_each_entry },
	{ "refused_by_kvm", L1_SETS_NO_CONTROLS, counts_nothing },
	{ "refused_by_cpu", L1_SETS_NO_RFLAGS, counts_nothing },
	{ "guest_mode", L1_LETS_L2_EXIT, shows_guest_mode },
	{ "triple_fault", L1_LETS_L2_CRASH, counts_one_entry },
};

#define CASES	(sizeof(cases) / sizeof(cases[0]))

static bool has_vmx(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & CPUID_1_ECX_VMX;
}

int main(void)
{
	struct machine machine;
	const char *message;
	unsigned int i;
	bool good;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!has_vmx())
		return tap_skip_all("the CPU has no VMX");
	tap_plan(CASES);
	for (i = 0; i < CASES; i++) {
		message = machine_create(&machine, l1_main, cases[i].task);
		good = message ? fail("%s", message) : cases[i].check(&machine);
		tap_report(good ? TAP_OK : TAP_NOT_OK, "nested_vmx", cases[i].name, failure);
		machine_destroy(&machine);
	}
	return tap_end();
}
