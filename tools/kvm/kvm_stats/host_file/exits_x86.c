// SPDX-License-Identifier: GPL-2.0-only
/* What exits.c uses on x86: where the kernel has exit reasons, and a guest with a few exits. */
#include <string.h>
#include <sys/ioctl.h>

#include <bpf/btf.h>
#include <linux/kvm.h>

#include "host_file/exits_arch.h"

#ifdef __x86_64__

static bool exit_has_reason(const struct loader *loader)
{
	return !exits_has_vcpu(loader->btf, "btf_trace_kvm_exit", 0);
}

int exits_find_arguments(struct loader *loader)
{
	if (exits_has_vcpu(loader->btf, "btf_trace_kvm_entry", 0) &&
	    exits_has_vcpu(loader->btf, "btf_trace_kvm_exit", exit_has_reason(loader)))
		return 0;
	return loader_fail(loader, "exits cannot be counted: the tracepoints kvm_entry and "
			   "kvm_exit of this kernel have unknown arguments" LOADER_REPORT);
}

/* Returns the number of the bit, or 64, which no value has. */
static __u32 find_enumerator(const struct btf *btf, const char *enumeration, const char *name)
{
	int id = btf__find_by_name_kind(btf, enumeration, BTF_KIND_ENUM), i;
	const struct btf_type *type = btf__type_by_id(btf, id < 0 ? 0 : id);

	for (i = 0; id > 0 && i < btf_vlen(type); i++) {
		if (!strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), name))
			return btf_enum(type)[i].val;
	}
	return 64;
}

/* A pointer to the vCPU must be one to the vendor's structure. */
static bool begins_with_vcpu(const struct btf *btf, const char *structure,
			     const struct host_layout *layout)
{
	struct host_field kvm;

	return layout_find_field(btf, structure, "vcpu.kvm", &kvm) &&
	       kvm.offset == layout->vcpu_kvm.offset;
}

/* The program reads the exit code and exit_info_1 at once. */
static void find_svm(const struct btf *btf, struct host_layout *layout)
{
	struct host_field vmcb, code, info;

	if (!begins_with_vcpu(btf, "vcpu_svm", layout) ||
	    !layout_find_field(btf, "vcpu_svm", "vmcb", &vmcb) ||
	    !layout_find_field(btf, "vmcb", "control.exit_code", &code) ||
	    !layout_find_field(btf, "vmcb", "control.exit_info_1", &info) ||
	    info.offset != code.offset + 8)
		return;
	layout->svm_vmcb = vmcb.offset;
	layout->svm_exit = code.offset;
}

/* From Linux 6.16 on, the members are in struct vcpu_vt. */
static bool find_vmx_field(const struct btf *btf, const char *path, const char *path_in_vt,
			   struct host_field *field)
{
	return layout_find_field(btf, "vcpu_vmx", path, field) ||
	       layout_find_field(btf, "vcpu_vmx", path_in_vt, field);
}

static void find_vmx(const struct btf *btf, struct host_layout *layout)
{
	struct host_field reason;

	if (!begins_with_vcpu(btf, "vcpu_vmx", layout) ||
	    !find_vmx_field(btf, "exit_reason.full", "vt.exit_reason.full", &reason))
		return;
	layout->vmx_reason = reason.offset;
	layout->vmx_info_bit = find_enumerator(btf, "kvm_reg", "VCPU_EXREG_EXIT_INFO_2");
	if (layout->vmx_info_bit > 63 ||
	    !find_vmx_field(btf, "exit_intr_info", "vt.exit_intr_info", &layout->vmx_info) ||
	    !layout_find_field(btf, "kvm_vcpu", "arch.regs_avail", &layout->vmx_available))
		layout->vmx_available.size = 0;
}

/* A vendor module without BTF, or one that is not known, leaves only the class "other". */
void exits_find_reasons(struct loader *loader)
{
	static const char * const modules[] = { "kvm_amd", "kvm_intel" };
	size_t i;

	find_svm(loader->btf, &loader->layout);
	find_vmx(loader->btf, &loader->layout);
	for (i = 0; i < ARRAY_SIZE(modules); i++) {
		struct btf *btf = btf__load_module_btf(modules[i], loader->base_btf);

		if (!btf)
			continue;
		find_svm(btf, &loader->layout);
		find_vmx(btf, &loader->layout);
		btf__free(btf);
	}
}

bool exits_have_reasons(const struct loader *loader)
{
	return loader->layout.svm_vmcb || loader->layout.vmx_reason;
}

const char *exits_program(const struct loader *loader)
{
	return exit_has_reason(loader) ? "exits_kvm_exit_reason" : "exits_kvm_exit";
}

/* ---- the guest ---- */

#define CODE	0x1000

/* cpuid, EXITS_CALLS times; out %al, $0x10 */
static const unsigned char code[] = { 0x0f, 0xa2, 0x0f, 0xa2, 0x0f, 0xa2, 0xe6, 0x10 };

const struct exits_guest exits_guest = {
	.code = code,
	.size = sizeof(code),
	.address = CODE,
	.end = KVM_EXIT_IO,
	.calls = "exit_cpuid",
	.access = "exit_io",
};

/* The loader's vCPU is a secondary one, which would wait for its start otherwise. */
int exits_set_state(int vm, int vcpu)
{
	struct kvm_mp_state runnable = { .mp_state = KVM_MP_STATE_RUNNABLE };
	struct kvm_regs regs = { .rip = CODE, .rflags = 2 };
	struct kvm_sregs sregs;

	(void)vm;
	if (ioctl(vcpu, KVM_SET_MP_STATE, &runnable) || ioctl(vcpu, KVM_GET_SREGS, &sregs))
		return -1;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	return ioctl(vcpu, KVM_SET_SREGS, &sregs) || ioctl(vcpu, KVM_SET_REGS, &regs) ? -1 : 0;
}

#endif
