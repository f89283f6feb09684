/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * Prints the exits per second of each VM in the host file, which `kvm-stats publish` publishes.
 * The program needs permission to read that file, or its socket, and no other privilege.
 */
#include <stdio.h>
#include <unistd.h>

#include <kvmstats.h>

/* Returns 0 for a VM that is new, because it has no samples before. */
static double exits_per_second(const struct kvmstats_host *host, const struct kvmstats_host_vm *vm)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	const struct kvmstats_stat *exits = kvmstats_schema_find(schema, "exits");
	double rate, sum = 0;
	size_t i;

	for (i = 0; exits && i < kvmstats_host_vm_vcpus(vm); i++) {
		const struct kvmstats_host_vcpu *vcpu = kvmstats_host_vm_vcpu(vm, i);
		const struct kvmstats_sample *before = kvmstats_host_vcpu_before(vcpu);

		if (before && !kvmstats_rate(before, kvmstats_host_vcpu_now(vcpu), exits, 0, &rate))
			sum += rate;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct kvmstats_host *host;
	char buf[128];
	size_t i;
	int err = kvmstats_host_open(&host, argc > 1 ? argv[1] : NULL);

	if (!err)
		err = kvmstats_host_read(host);
	if (!err) {
		sleep(1);
		err = kvmstats_host_read(host);
	}
	for (i = 0; !err && i < kvmstats_host_vms(host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(host, i);

		printf("PID %d: %zu vCPUs, %.0f exits/s\n", (int)kvmstats_host_vm_pid(vm),
		       kvmstats_host_vm_vcpus(vm), exits_per_second(host, vm));
	}
	if (err)
		fprintf(stderr, "host: %s\n", kvmstats_strerror(err, buf, sizeof(buf)));
	kvmstats_host_close(host);
	return err != 0;
}
