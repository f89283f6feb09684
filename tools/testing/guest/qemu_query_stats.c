// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test an existing user of the interface: an unmodified QEMU with a real guest. The program
 * queries KVM's statistics over QMP and compares QEMU's answers with the statistics fds.
 *
 * On a kernel without the interface, the same QEMU must report no statistics. On an unpatched
 * kernel of mainline, only QEMU can open the fds, and nothing is compared with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/check/checks.h"

static const struct check with_stats[] = {
	{ "QEMU sends the QMP greeting", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "query-cpus-fast returns each CPU", check_cpus },
	{ "the guest boots", check_boots },

	{ "query-stats vm returns one result, with the statistics of the VM", check_vm },
	{ "query-stats vcpu returns one result for each CPU", check_vcpus },
	{ "query-stats vm with provider kvm returns the same statistics", check_vm_provider },
	{ "query-stats vcpu with provider kvm returns the same statistics", check_vcpu_provider },
	{ "query-stats vm with names returns only these statistics", check_vm_names },
	{ "query-stats vcpu with names returns only these statistics", check_vcpu_names },
	{ "query-stats vcpu with the path of a CPU returns only this CPU", check_vcpu_paths },
	{ "query-stats with an unknown name returns an empty list", check_unknown_name },
	{ "query-stats vcpu with an unknown CPU returns an empty list", check_unknown_vcpu },
	{ "query-stats with no provider returns an empty list", check_no_provider },
	{ "query-stats with an unknown provider returns an error", check_unknown_provider },

	{ "query-stats-schemas returns a schema for each statistic of the VM", check_vm_schemas },
	{ "query-stats-schemas returns a schema for each statistic of the vCPUs",
	  check_vcpu_schemas },
	{ "query-stats-schemas with provider kvm returns the same schemas",
	  check_schemas_provider },
	{ "query-stats-schemas with an unknown provider returns an error",
	  check_schemas_unknown_provider },
	{ "schemas of the VM have the right types, units and exponents", check_vm_types },
	{ "schemas of the vCPUs have the right types, units and exponents", check_vcpu_types },
	{ "values have the types that their schemas define", check_values },

	{ "examples of the QEMU proposal: query-stats vm", check_document_vm },
	{ "examples of the QEMU proposal: query-stats vcpu", check_document_vcpus },
	{ "examples of the QEMU proposal: two names of two vCPUs", check_document_filter },
	{ "examples of the QEMU proposal: query-stats-schemas", check_document_schemas },

	{ "another process can open the statistics fds of QEMU", check_direct },
	{ "ids contain the PID of QEMU and the vCPU", check_ids },
	{ "descriptors and schemas agree", check_descriptors },
	{ "running: the values that QEMU reports are between two direct reads", check_running },
	{ "running: exits, halts, I/O and page faults grow on each CPU", check_growth },
	{ "the guest stops", check_stop },
	{ "stopped: the values of the VM equal a direct read", check_stopped_vm },
	{ "stopped: the values of the vCPUs equal a direct read", check_stopped_vcpus },
	{ "stopped: 'info stats vm' prints the same values", check_monitor_vm },
	{ "stopped: 'info stats vcpu' prints the same values", check_monitor_vcpu },
	{ "stopped: kvm-stats query prints the same values", check_command_values },
	{ "kvm-stats schema --json prints the same schemas", check_command_schemas },
	{ "the guest continues", check_cont },
	{ "continued: the values that QEMU reports are between two direct reads", check_running },
	{ "QEMU quits while another process holds its statistics fds", check_quits },
	{ "the statistics fds can be read after the end of QEMU", check_outlives },
};

static const struct check without_stats[] = {
	{ "QEMU sends the QMP greeting", check_greeting },
	{ "QEMU runs its guest with KVM", check_uses_kvm },
	{ "the capability is absent", check_no_capability },
	{ "query-stats vm returns an empty list", check_vm_nothing },
	{ "query-stats vcpu returns an empty list", check_vcpu_nothing },
	{ "query-stats-schemas with provider kvm returns an empty list", check_schemas_nothing },
	{ "'info stats vm' prints nothing", check_monitor_nothing },
	{ "QEMU quits", check_quits },
};

int main(void)
{
	struct session s = { 0 };
	int ret;

	session_configure(&s);
	ret = session_start(&s);
	if (ret) {
		printf("Bail out! cannot start QEMU: %s\n", strerror(-ret));
		return 1;
	}

	if (s.unpatched && kvmstats_capabilities() == 0)
		ret = run_checks(without_stats, ARRAY_SIZE(without_stats), &s);
	else
		ret = run_checks(with_stats, ARRAY_SIZE(with_stats), &s);

	session_end(&s);
	return ret;
}
