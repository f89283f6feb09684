// SPDX-License-Identifier: GPL-2.0-only
/*
 * A real client: an unmodified QEMU, with a real guest, is asked for KVM's
 * statistics over QMP, and its answers are held against the statistics fds.
 *
 * On the unpatched kernel the same QEMU has nothing to answer.
 */
/* sources: qemu/[a-z]*.c ../../lib/kvmstats/[a-z]*.c */
/* libs: -ljansson */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/checks.h"

static const struct point with_stats[] = {
	{ "QEMU greets over QMP", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "query-cpus-fast: each CPU is there", check_cpus },
	{ "the guest boots", check_boots },

	{ "query-stats vm: one answer, with the VM's statistics", check_vm },
	{ "query-stats vcpu: one answer per CPU", check_vcpus },
	{ "query-stats vm, provider kvm: the same statistics", check_vm_provider },
	{ "query-stats vcpu, provider kvm: the same statistics", check_vcpu_provider },
	{ "query-stats vm, names: these and no others", check_vm_names },
	{ "query-stats vcpu, names: these and no others", check_vcpu_names },
	{ "query-stats vcpu, vcpus: this CPU and no other", check_vcpu_paths },
	{ "query-stats, unknown name: []", check_unknown_name },
	{ "query-stats vcpu, unknown CPU: []", check_unknown_vcpu },
	{ "query-stats, no provider: []", check_no_provider },
	{ "query-stats, unknown provider: refused", check_unknown_provider },

	{ "query-stats-schemas: the VM's statistics have one each", check_vm_schemas },
	{ "query-stats-schemas: the vCPUs' statistics have one each", check_vcpu_schemas },
	{ "query-stats-schemas, provider kvm: the same schemas", check_schemas_provider },
	{ "query-stats-schemas, unknown provider: refused", check_schemas_unknown_provider },
	{ "query-stats-schemas vm: types, units and exponents", check_vm_types },
	{ "query-stats-schemas vcpu: types, units and exponents", check_vcpu_types },
	{ "values are what their schemas promise", check_values },

	{ "the examples of the proposal: query-stats vm", check_document_vm },
	{ "the examples of the proposal: query-stats vcpu", check_document_vcpus },
	{ "the examples of the proposal: two names of two vCPUs", check_document_filter },
	{ "the examples of the proposal: query-stats-schemas", check_document_schemas },

	{ "QEMU's statistics fds are had from outside QEMU", check_direct },
	{ "ids name QEMU and the vCPU", check_ids },
	{ "descriptors and schemas say the same", check_descriptors },
	{ "running: QEMU's values lie between two direct reads", check_running },
	{ "running: exits, halts, I/O and page faults move on each CPU", check_moves },
	{ "the guest stops", check_stop },
	{ "stopped: the VM's values equal a direct read", check_stopped_vm },
	{ "stopped: the vCPUs' values equal a direct read", check_stopped_vcpus },
	{ "stopped: 'info stats vm' has the same values", check_monitor_vm },
	{ "stopped: 'info stats vcpu' has the same values", check_monitor_vcpu },
	{ "stopped: kvm-stats read --json prints the same values", check_command_values },
	{ "kvm-stats schema --json prints the same schemas", check_command_schemas },
	{ "the guest continues", check_cont },
	{ "continued: QEMU's values lie between two direct reads", check_running },
	{ "QEMU quits, with statistics fds open elsewhere", check_quits },
	{ "the fds still read after QEMU has gone, nothing lost", check_outlives },
};

static const struct point without_stats[] = {
	{ "QEMU greets over QMP", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "the capability is absent", check_no_capability },
	{ "query-stats vm: []", check_vm_nothing },
	{ "query-stats vcpu: []", check_vcpu_nothing },
	{ "query-stats-schemas: []", check_schemas_nothing },
	{ "'info stats vm': nothing", check_monitor_nothing },
	{ "QEMU quits", check_quits },
};

int main(void)
{
	const char *variant = getenv("BOOT_VARIANT");
	struct session s = { 0 };
	size_t failed;
	int ret;

	session_configure(&s);
	ret = session_start(&s);
	if (ret) {
		printf("Bail out! starting QEMU: %s\n", strerror(-ret));
		return 1;
	}

	if (variant && !strcmp(variant, "unpatched"))
		failed = tap_run(without_stats, ARRAY_SIZE(without_stats), &s);
	else
		failed = tap_run(with_stats, ARRAY_SIZE(with_stats), &s);

	session_end(&s);
	return failed ? 1 : 0;
}
