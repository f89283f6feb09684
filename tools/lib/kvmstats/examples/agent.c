/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * An agent reads all VMs of the machine twice and prints the exits per second of their vCPUs.
 *
 * On kernels with KVM_STATS_NEXT it needs CAP_PERFMON, access to /dev/kvm and one fd for each VM.
 * Otherwise it needs the right to ptrace the VMMs.
 *
 * usage: agent [SECONDS]
 *
 * SECONDS is the time between the two samples, 1 by default.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <kvmstats.h>

static void print_target(const struct kvmstats_target *target)
{
	int err = kvmstats_target_error(target);
	const struct kvmstats_stat *exits;
	char buf[128];
	double rate = 0;

	if (kvmstats_target_kind(target) != KVMSTATS_KIND_VCPU)
		return;
	/* The statistics differ between kernels and architectures: find this one by its name. */
	exits = err ? NULL : kvmstats_schema_find(kvmstats_target_schema(target), "exits");
	if (exits)
		err = kvmstats_rate(kvmstats_target_before(target), kvmstats_target_now(target),
				    exits, 0, &rate);
	if (err)
		printf("  vcpu%d: %s\n", kvmstats_target_vcpu(target),
		       kvmstats_strerror(err, buf, sizeof(buf)));
	else
		printf("  vcpu%d: %.0f exits/s\n", kvmstats_target_vcpu(target), rate);
}

static void print_vmm(const struct kvmstats_vmm *vmm)
{
	const char *guest = kvmstats_vmm_guest(vmm);
	size_t i;

	printf("%d %s (%s): %zu vCPUs\n", (int)kvmstats_vmm_pid(vmm), kvmstats_vmm_comm(vmm),
	       guest ? guest : "no name", kvmstats_vmm_vcpus(vmm));
	for (i = 0; i < kvmstats_vmm_targets(vmm); i++)
		print_target(kvmstats_vmm_target(vmm, i));
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	struct kvmstats_monitor *monitor;
	char buf[128];
	size_t i;
	int err = kvmstats_monitor_open(&monitor, NULL);

	if (!err)
		err = kvmstats_monitor_sample(monitor);
	if (!err) {
		sleep(seconds);
		err = kvmstats_monitor_sample(monitor);
	}
	for (i = 0; !err && i < kvmstats_monitor_vmms(monitor); i++)
		print_vmm(kvmstats_monitor_vmm(monitor, i));
	if (err)
		fprintf(stderr, "agent: %s\n", kvmstats_strerror(err, buf, sizeof(buf)));
	kvmstats_monitor_close(monitor);
	return err != 0;
}
