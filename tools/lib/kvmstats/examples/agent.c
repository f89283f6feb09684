/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * An agent reads all VMs of the host twice, and prints the exits per second of their vCPUs.
 *
 * It needs permission to read the host file, which `kvm-stats publish` publishes. On kernels with
 * KVM_STATS_NEXT it needs CAP_PERFMON and access to /dev/kvm. Without them it lists the VMMs.
 *
 * usage: agent [SECONDS [FILE]]
 *
 * SECONDS is the time between the two passes, 1 by default. FILE is a host file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <kvmstats.h>

static void print_vcpu(const struct kvmstats_host *host, const struct kvmstats_host_vcpu *vcpu)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	const struct kvmstats_sample *before = kvmstats_host_vcpu_before(vcpu);
	/* The statistics differ between kernels and architectures: find this one by its name. */
	const struct kvmstats_stat *exits = kvmstats_schema_find(schema, "exits");
	double rate;

	/* A vCPU that is new has no values before. */
	if (exits && before &&
	    !kvmstats_rate(before, kvmstats_host_vcpu_now(vcpu), exits, 0, &rate))
		printf("  vcpu%d: %.0f exits/s\n", kvmstats_host_vcpu_id(vcpu), rate);
	else
		printf("  vcpu%d: no rate\n", kvmstats_host_vcpu_id(vcpu));
}

static void print_vmm(const struct kvmstats_host *host, const struct kvmstats_vmm *vmm)
{
	const char *guest = kvmstats_vmm_guest(vmm);
	const struct kvmstats_host_vm *vm;
	size_t i, n;

	printf("%d %s (%s): %zu vCPUs\n", (int)kvmstats_vmm_pid(vmm), kvmstats_vmm_comm(vmm),
	       guest ? guest : "no name", kvmstats_vmm_vcpus(vmm));
	for (i = 0; (vm = kvmstats_vmm_vm(vmm, i)); i++) {
		for (n = 0; n < kvmstats_host_vm_vcpus(vm); n++)
			print_vcpu(host, kvmstats_host_vm_vcpu(vm, n));
	}
}

/* Prints why an origin with statistics, or with more VMs, is not used. */
static void print_errors(const struct kvmstats_host *host)
{
	static const char * const name[] = { "the host file", "KVM_STATS_NEXT", "/proc" };
	char buf[128];
	int i;

	for (i = KVMSTATS_ORIGIN_FILE; i <= KVMSTATS_ORIGIN_PROC; i++) {
		int err = kvmstats_host_error(host, (enum kvmstats_origin)i);

		if (err)
			fprintf(stderr, "%s: %s\n", name[i],
				kvmstats_strerror(err, buf, sizeof(buf)));
	}
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	struct kvmstats_host *host;
	char buf[128];
	size_t i;
	int err = kvmstats_host_open(&host, argc > 2 ? argv[2] : NULL);

	if (!err)
		err = kvmstats_host_read(host);
	if (!err) {
		sleep(seconds);
		err = kvmstats_host_read(host);
	}
	if (!err)
		print_errors(host);
	for (i = 0; !err && i < kvmstats_host_vmms(host); i++)
		print_vmm(host, kvmstats_host_vmm(host, i));
	if (err)
		fprintf(stderr, "agent: %s\n", kvmstats_strerror(err, buf, sizeof(buf)));
	kvmstats_host_close(host);
	return err != 0;
}
