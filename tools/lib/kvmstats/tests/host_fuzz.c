// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * A fuzz target for libFuzzer: host files. The library must not access memory out of bounds,
 * whatever a host file contains. If it accepts a pass, all functions must accept what is in it.
 */
#include "fuzz.h"

static void check_stats(const struct kvmstats_schema *schema, const struct kvmstats_sample *now,
			const struct kvmstats_sample *before)
{
	const struct kvmstats_stat *stat;
	size_t i;

	CHECK(kvmstats_sample_time(now) && (!before || kvmstats_sample_time(before)));
	for (i = 0; (stat = kvmstats_schema_stat(schema, i)); i++) {
		uint64_t delta;

		check_stat(stat);
		check_values(now, stat);
		if (before)
			check_values(before, stat);
		if (before)
			kvmstats_delta(before, now, stat, 0, &delta);
	}
}

static void check_vm(const struct kvmstats_host *host, const struct kvmstats_host_vm *vm)
{
	const struct kvmstats_host_vcpu *vcpu;
	size_t i;
	int last = -1;

	CHECK(kvmstats_host_vm_pid(vm) >= 0);
	kvmstats_host_vm_is_orphan(vm);
	kvmstats_host_vm_start_time(vm);
	check_stats(kvmstats_host_schema(host, KVMSTATS_KIND_VM), kvmstats_host_vm_now(vm),
		    kvmstats_host_vm_before(vm));
	for (i = 0; (vcpu = kvmstats_host_vm_vcpu(vm, i)); i++) {
		CHECK(kvmstats_host_vcpu_id(vcpu) > last && kvmstats_host_vcpu_tid(vcpu) >= 0);
		last = kvmstats_host_vcpu_id(vcpu);
		check_stats(kvmstats_host_schema(host, KVMSTATS_KIND_VCPU),
			    kvmstats_host_vcpu_now(vcpu), kvmstats_host_vcpu_before(vcpu));
		kvmstats_host_vcpu_waiting(host, vcpu);
	}
	CHECK(i == kvmstats_host_vm_vcpus(vm));
}

/* Each VM has one VMM, and VMMs are in the order of their PIDs. */
static void check_vmms(const struct kvmstats_host *host)
{
	const struct kvmstats_vmm *vmm;
	size_t i, vms = 0;
	pid_t last = 0;

	for (i = 0; (vmm = kvmstats_host_vmm(host, i)); i++) {
		CHECK(kvmstats_vmm_pid(vmm) >= last && kvmstats_vmm_vms(vmm));
		last = kvmstats_vmm_pid(vmm);
		CHECK(kvmstats_host_vm_pid(kvmstats_vmm_vm(vmm, 0)) == last);
		CHECK(kvmstats_vmm_start_time(vmm) ==
		      kvmstats_host_vm_start_time(kvmstats_vmm_vm(vmm, 0)));
		CHECK(kvmstats_vmm_name_error(vmm) <= 0 && kvmstats_vmm_comm(vmm));
		CHECK(!kvmstats_vmm_guest(vmm) || *kvmstats_vmm_guest(vmm));
		vms += kvmstats_vmm_vms(vmm);
	}
	CHECK(i == kvmstats_host_vmms(host) && vms == kvmstats_host_vms(host));
}

static void check_pass(const struct kvmstats_host *host)
{
	const struct kvmstats_host_vm *vm;
	uint64_t last = 0;
	size_t size, i;

	kvmstats_host_is_nested(host);
	kvmstats_host_instance(host);
	CHECK(!kvmstats_host_pass(host, &size) || size >= sizeof(struct kvm_host_header));
	for (i = 0; (vm = kvmstats_host_vm(host, i)); i++) {
		CHECK(!i || kvmstats_host_vm_id(vm) > last);
		last = kvmstats_host_vm_id(vm);
		check_vm(host, vm);
	}
	CHECK(i == kvmstats_host_vms(host));
	check_vmms(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kvmstats_host *host;
	size_t passes = 0;
	int err;

	CHECK(!kvmstats_host_open_fd(&host, write_file(data, size)));
	do {
		uint64_t time = kvmstats_host_time(host);
		size_t vms = kvmstats_host_vms(host);

		err = kvmstats_host_read(host);
		CHECK(!err || err == -EPROTO || err == -EPROTONOSUPPORT || err == -EAGAIN ||
		      err == -ESTALE || err == -EOVERFLOW || err == -ENODATA);
		CHECK(!err || (kvmstats_host_time(host) == time && kvmstats_host_vms(host) == vms));
		check_pass(host);
		CHECK(passes++ <= size);
	} while (err != -ENODATA);
	kvmstats_host_close(host);
	return 0;
}
