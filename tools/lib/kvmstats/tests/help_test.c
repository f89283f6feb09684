// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test the texts that describe statistics. */
#include <string.h>

#include "kvmstats.h"
#include "tap.h"

static bool starts_with(const char *name, enum kvmstats_kind kind, const char *start)
{
	const char *text = kvmstats_stat_help(name, kind);

	return text && !strncmp(text, start, strlen(start));
}

int main(void)
{
	tap_ok(starts_with("halt_wakeup", KVMSTATS_KIND_VCPU, "An event woke the vCPU"),
	       "a statistic of all architectures has its text");
	tap_ok(starts_with("remote_tlb_flush", KVMSTATS_KIND_VM, "A TLB flush of the VM"),
	       "a statistic of VMs has its text");
	tap_ok(!kvmstats_stat_help("halt_wakeup", KVMSTATS_KIND_VM),
	       "a statistic of vCPUs is not one of VMs");
	tap_ok(!kvmstats_stat_help("no_such_statistic", KVMSTATS_KIND_VCPU),
	       "an unknown statistic has no text");
#if defined(__x86_64__) || defined(__i386__)
	tap_ok(starts_with("exits", KVMSTATS_KIND_VCPU, "The vCPU left the guest"),
	       "on x86 a statistic with several meanings has the text of x86");
	tap_ok(!kvmstats_stat_help("instruction_diagnose_44", KVMSTATS_KIND_VCPU),
	       "on x86 a statistic of s390 has no text");
	tap_ok(starts_with("notify_window_exits", KVMSTATS_KIND_VCPU, "The vCPU left the guest"),
	       "a statistic that 5.10 does not have has its text");
#endif
	return tap_end();
}
