// SPDX-License-Identifier: GPL-2.0-only
/* What exits.c uses on arm64: where the kernel has exit reasons, and a guest with a few exits. */
#include <sys/ioctl.h>

#include <bpf/btf.h>
#include <linux/kvm.h>

#include "host_file/exits_arch.h"

#ifdef __aarch64__

/* The program gets the vCPU from a variable of each CPU, and the reason from the vCPU. */
int exits_find_arguments(struct loader *loader)
{
	struct host_layout *layout = &loader->layout;

	if (exits_has_vcpu(loader->btf, "btf_trace_kvm_entry", 0) ||
	    exits_has_vcpu(loader->btf, "btf_trace_kvm_exit", 0))
		return loader_fail(loader, "exits cannot be counted: the tracepoints kvm_entry and "
				   "kvm_exit of this kernel have unknown arguments" LOADER_REPORT);
	if (btf__find_by_name_kind(loader->base_btf, "kvm_running_vcpu", BTF_KIND_VAR) < 0 ||
	    !layout_find_field(loader->btf, "kvm_vcpu", "arch.fault.esr_el2", &layout->arm_esr) ||
	    !layout_find_field(loader->btf, "kvm_vcpu", "stat.mmio_exit_user",
			       &layout->arm_mmio_user) ||
	    !layout_find_field(loader->btf, "kvm_vcpu", "stat.mmio_exit_kernel",
			       &layout->arm_mmio_kernel))
		return loader_fail(loader, "exits cannot be counted: the kernel's BTF does not "
				   "show the vCPU of a CPU, or its exit reason" LOADER_REPORT);
	return 0;
}

/* exits_find_arguments() has found them. */
void exits_find_reasons(struct loader *loader)
{
	(void)loader;
}

bool exits_have_reasons(const struct loader *loader)
{
	return loader->layout.arm_esr.size;
}

const char *exits_program(const struct loader *loader)
{
	(void)loader;
	return "exits_kvm_exit";
}

/* ---- the guest ---- */

/* hvc #0, EXITS_CALLS times; mov x1, #0x70000000; str w0, [x1] */
static const unsigned int code[] = {
	0xd4000002, 0xd4000002, 0xd4000002, 0xd2ae0001, 0xb9000020,
};

/* A new vCPU begins at address 0. */
const struct exits_guest exits_guest = {
	.code = code,
	.size = sizeof(code),
	.address = 0,
	.end = KVM_EXIT_MMIO,
	.calls = "exit_hypercall",
	.access = "exit_mmio",
};

int exits_set_state(int vm, int vcpu)
{
	struct kvm_vcpu_init init;

	return ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) ||
	       ioctl(vcpu, KVM_ARM_VCPU_INIT, &init) ? -1 : 0;
}

#endif
