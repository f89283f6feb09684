// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>

#include "kvm_stats_processor.h"
#include "kvm_stats_run.h"
#include "processor.h"

#define EXIT_RUNS	500
#define NO_INTERRUPTS	INT64_MIN

static bool guest_is_intel;

void stats_hypercall_prepare(struct kvm_vm *vm)
{
	guest_is_intel = is_intel_cpu();
	sync_global_to_guest(vm, guest_is_intel);
}

uint64_t guest_hypercall(uint64_t nr, uint64_t argument)
{
	uint64_t result;

	if (guest_is_intel)
		asm volatile("vmcall" : "=a"(result) : "a"(nr), "b"(argument)
			     : "memory");
	else
		asm volatile("vmmcall" : "=a"(result) : "a"(nr), "b"(argument)
			     : "memory");
	return result;
}

void stats_apic_prepare(struct kvm_vm *vm, uint32_t vcpu_id)
{
	vcpu_set_cpuid(vm, vcpu_id, kvm_get_supported_cpuid());
}

void guest_apic_write(unsigned int reg, uint64_t value)
{
	wrmsr(APIC_BASE_MSR + (reg >> 4), value);
}

void guest_apic_enable(void)
{
	wrmsr(MSR_IA32_APICBASE,
	      rdmsr(MSR_IA32_APICBASE) | MSR_IA32_APICBASE_ENABLE | X2APIC_ENABLE);
	guest_apic_write(APIC_SPIV, APIC_SPIV_ENABLED);
}

/* CPUs without a tick can run a guest for long without an interrupt. */
static const char *check_tick(void)
{
	char cpus[STATS_PARAM_SIZE];

	stats_param_read("/sys/devices/system/cpu/nohz_full", cpus);
	return isdigit(cpus[0]) ?
	       stats_skip("no interrupt in %d runs; CPUs %s may have no tick", EXIT_RUNS, cpus) :
	       stats_fail("'irq_exits' changed by 0 in %d runs", EXIT_RUNS);
}

const char *stats_check_exits(const struct stats_guest *guest,
			      void (*run)(const struct stats_guest *guest),
			      int64_t least, int64_t most, bool interrupted)
{
	int64_t irqs, exits, others = NO_INTERRUPTS;
	struct stats_snapshot before, after;
	int i;

	for (i = 0; i < EXIT_RUNS; i++) {
		before = stats_now(guest);
		run(guest);
		after = stats_now(guest);
		irqs = stats_changed(&before, &after, "irq_exits");
		exits = stats_changed(&before, &after, "exits");
		stats_snapshot_free(&before);
		stats_snapshot_free(&after);
		if (interrupted && !irqs)
			continue;
		others = exits - irqs;
		if (others <= most)
			break;
	}
	if (others == NO_INTERRUPTS)
		return check_tick();
	return others >= least && others <= most ? NULL :
	       stats_fail("'exits' without 'irq_exits' changed by %ld, expected %ld",
			  others, least);
}
