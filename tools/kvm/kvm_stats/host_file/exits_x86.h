/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by exits.bpf.c: what its programs see of an exit on x86. */
#ifndef EXITS_X86_H
#define EXITS_X86_H

#include <asm/kvm.h>
#include <asm/svm.h>
#include <asm/vmx.h>

/* What the table uses of the kernel's headers, and no header for programs has */
#define PFERR_RSVD_MASK			(1 << 3)
#define INTR_INFO_VECTOR_MASK		0xff
#define INTR_INFO_INTR_TYPE_MASK	0x700
#define INTR_TYPE_NMI_INTR		(2 << 8)
#define INTR_TYPE_HARD_EXCEPTION	(3 << 8)

/* arch/x86/kvm/exit_classes.c without what only the kernel can compile */
#include "exit_classes.h"

#define ISA_VMX		1
#define ISA_SVM		2

struct two {
	__u64 first, second;
};

/*
 * Reads 16 bytes. From Linux 6.2 on, memory that is said to be a structure of the kernel can be
 * read without a helper function. Kernels before 5.16 refuse a program that contains a call of a
 * function which they do not have, even where it is never called.
 */
static __always_inline struct two read_two(__u64 address, bool before_5_16)
{
	struct two two;

	if (!before_5_16 && bpf_rdonly_cast) {
		const struct timespec64 *at = bpf_rdonly_cast((void *)address,
				bpf_core_type_id_kernel(struct timespec64));

		two.first = at->tv_sec;
		two.second = at->tv_nsec;
	} else {
		bpf_probe_read_kernel(&two, sizeof(two), (void *)address);
	}
	return two;
}

/* Reasons that Linux 5.10 does not have, so that the table does not have them either */
#define EFER_WRITE_TRAP	0x8f
#define CR0_WRITE_TRAP	0x90
#define CR15_WRITE_TRAP	0x9f
#define VMGEXIT		0x403

static __always_inline enum kvm_exit_class svm_class(__u64 vcpu, bool before_5_16)
{
	__u64 vmcb = read_two(vcpu + layout.svm_vmcb, before_5_16).first;
	struct two exit = read_two(vmcb + layout.svm_exit, before_5_16);
	__u32 code = exit.first;

	/* Most exits are in the table. The verifier accepts no check that is for two uses of it. */
	if (code < ARRAY_SIZE(svm_classes) && svm_classes[code])
		return svm_classes[code];
	barrier_var(code);
	if (code == EFER_WRITE_TRAP)
		return EXIT_CLASS_msr_write;
	if (code >= CR0_WRITE_TRAP && code <= CR15_WRITE_TRAP)
		return EXIT_CLASS_cr_access;
	if (code == VMGEXIT)
		return EXIT_CLASS_hypercall;
	return kvm_svm_exit_class(code, exit.second);
}

#define FAILED_VMENTRY	(1u << 31)

/*
 * KVM reads the information on an exception only when it needs it. If it has not done so yet, an
 * NMI of the host counts as an exception. The error code of a page fault is not in memory, so an
 * access to a device is a page fault for a VM without EPT.
 */
static __always_inline enum kvm_exit_class vmx_class(__u64 vcpu, bool before_5_16)
{
	__u32 reason = read_two(vcpu + layout.vmx_reason, before_5_16).first;
	__u32 info = INTR_TYPE_HARD_EXCEPTION;
	__u64 basic = reason & 0xffff;

	if (reason & FAILED_VMENTRY)
		return EXIT_CLASS_entry_failed;
	if (basic == EXIT_REASON_EXCEPTION_NMI) {
		if (read_field(vcpu, &layout.vmx_available) >> layout.vmx_info_bit & 1)
			info = read_field(vcpu, &layout.vmx_info);
		return vmx_event_class(info, 0);
	}
	/* As kvm_vmx_exit_class(), in a form that the verifier accepts */
	barrier_var(basic);
	return basic < ARRAY_SIZE(vmx_classes) ? vmx_classes[basic] : EXIT_CLASS_other;
}

static __always_inline enum kvm_exit_class exit_class(__u64 vcpu, __u64 isa,
						      bool before_5_16)
{
	if (isa == ISA_SVM && layout.svm_vmcb)
		return svm_class(vcpu, before_5_16);
	if (isa == ISA_VMX && layout.vmx_reason)
		return vmx_class(vcpu, before_5_16);
	return EXIT_CLASS_other;
}

/* The arguments of kvm_exit are the vCPU and the vendor. */
#define EXIT_ARGUMENT	1

static __always_inline __u64 vcpu_of_event(__u64 argument)
{
	return argument;
}

/* The reason is sufficient for the class. */
static __always_inline bool is_undecided(__u32 class)
{
	(void)class;
	return false;
}

static __always_inline __u32 device_exits(__u64 vcpu)
{
	(void)vcpu;
	return 0;
}

#endif /* EXITS_X86_H */
