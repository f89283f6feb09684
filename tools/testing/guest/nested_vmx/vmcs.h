/* SPDX-License-Identifier: GPL-2.0-only */
/* VMX: instructions, MSRs and the fields of a VMCS, with the names of Intel's manual. */
#ifndef NESTED_VMX_VMCS_H
#define NESTED_VMX_VMCS_H

#include <stdbool.h>
#include <stdint.h>

#define CPUID_1_ECX_VMX			(1u << 5)

#define MSR_FEATURE_CONTROL		0x3a
#define FEATURE_CONTROL_LOCKED		1
#define FEATURE_CONTROL_VMX		4
#define MSR_VMX_BASIC			0x480
#define MSR_VMX_PINBASED_CTLS		0x481
#define MSR_VMX_PROCBASED_CTLS		0x482
#define MSR_VMX_EXIT_CTLS		0x483
#define MSR_VMX_ENTRY_CTLS		0x484

#define EXIT_HOST_IS_64_BIT		(1u << 9)
#define ENTRY_GUEST_IS_64_BIT		(1u << 9)

#define EXIT_REASON_TRIPLE_FAULT	2
#define EXIT_REASON_VMCALL		18
#define EXIT_REASON_INVALID_STATE	(33 | 1u << 31)

enum vmcs_field {
	GUEST_ES_SELECTOR = 0x0800,
	GUEST_CS_SELECTOR = 0x0802,
	GUEST_SS_SELECTOR = 0x0804,
	GUEST_DS_SELECTOR = 0x0806,
	GUEST_FS_SELECTOR = 0x0808,
	GUEST_GS_SELECTOR = 0x080a,
	GUEST_LDTR_SELECTOR = 0x080c,
	GUEST_TR_SELECTOR = 0x080e,
	HOST_ES_SELECTOR = 0x0c00,
	HOST_CS_SELECTOR = 0x0c02,
	HOST_SS_SELECTOR = 0x0c04,
	HOST_DS_SELECTOR = 0x0c06,
	HOST_FS_SELECTOR = 0x0c08,
	HOST_GS_SELECTOR = 0x0c0a,
	HOST_TR_SELECTOR = 0x0c0c,
	VMCS_LINK_POINTER = 0x2800,
	GUEST_DEBUGCTL = 0x2802,
	PIN_BASED_CONTROLS = 0x4000,
	PROC_BASED_CONTROLS = 0x4002,
	EXCEPTION_BITMAP = 0x4004,
	PAGE_FAULT_MASK = 0x4006,
	PAGE_FAULT_MATCH = 0x4008,
	CR3_TARGET_COUNT = 0x400a,
	EXIT_CONTROLS = 0x400c,
	EXIT_MSR_STORE_COUNT = 0x400e,
	EXIT_MSR_LOAD_COUNT = 0x4010,
	ENTRY_CONTROLS = 0x4012,
	ENTRY_MSR_LOAD_COUNT = 0x4014,
	ENTRY_INTERRUPTION_INFO = 0x4016,
	EXIT_REASON = 0x4402,
	GUEST_ES_LIMIT = 0x4800,
	GUEST_CS_LIMIT = 0x4802,
	GUEST_SS_LIMIT = 0x4804,
	GUEST_DS_LIMIT = 0x4806,
	GUEST_FS_LIMIT = 0x4808,
	GUEST_GS_LIMIT = 0x480a,
	GUEST_LDTR_LIMIT = 0x480c,
	GUEST_TR_LIMIT = 0x480e,
	GUEST_GDTR_LIMIT = 0x4810,
	GUEST_IDTR_LIMIT = 0x4812,
	GUEST_ES_RIGHTS = 0x4814,
	GUEST_CS_RIGHTS = 0x4816,
	GUEST_SS_RIGHTS = 0x4818,
	GUEST_DS_RIGHTS = 0x481a,
	GUEST_FS_RIGHTS = 0x481c,
	GUEST_GS_RIGHTS = 0x481e,
	GUEST_LDTR_RIGHTS = 0x4820,
	GUEST_TR_RIGHTS = 0x4822,
	GUEST_INTERRUPTIBILITY = 0x4824,
	GUEST_ACTIVITY = 0x4826,
	GUEST_SYSENTER_CS = 0x482a,
	HOST_SYSENTER_CS = 0x4c00,
	CR0_MASK = 0x6000,
	CR4_MASK = 0x6002,
	GUEST_CR0 = 0x6800,
	GUEST_CR3 = 0x6802,
	GUEST_CR4 = 0x6804,
	GUEST_ES_BASE = 0x6806,
	GUEST_CS_BASE = 0x6808,
	GUEST_SS_BASE = 0x680a,
	GUEST_DS_BASE = 0x680c,
	GUEST_FS_BASE = 0x680e,
	GUEST_GS_BASE = 0x6810,
	GUEST_LDTR_BASE = 0x6812,
	GUEST_TR_BASE = 0x6814,
	GUEST_GDTR_BASE = 0x6816,
	GUEST_IDTR_BASE = 0x6818,
	GUEST_DR7 = 0x681a,
	GUEST_RSP = 0x681c,
	GUEST_RIP = 0x681e,
	GUEST_RFLAGS = 0x6820,
	GUEST_PENDING_DEBUG = 0x6822,
	GUEST_SYSENTER_ESP = 0x6824,
	GUEST_SYSENTER_EIP = 0x6826,
	HOST_CR0 = 0x6c00,
	HOST_CR3 = 0x6c02,
	HOST_CR4 = 0x6c04,
	HOST_FS_BASE = 0x6c06,
	HOST_GS_BASE = 0x6c08,
	HOST_TR_BASE = 0x6c0a,
	HOST_GDTR_BASE = 0x6c0c,
	HOST_IDTR_BASE = 0x6c0e,
	HOST_SYSENTER_ESP = 0x6c10,
	HOST_SYSENTER_EIP = 0x6c12,
	HOST_RSP = 0x6c14,
	HOST_RIP = 0x6c16,
};

static inline uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t read_cr0(void)
{
	uint64_t value;

	asm volatile("mov %%cr0, %0" : "=r"(value));
	return value;
}

static inline uint64_t read_cr3(void)
{
	uint64_t value;

	asm volatile("mov %%cr3, %0" : "=r"(value));
	return value;
}

static inline uint64_t read_cr4(void)
{
	uint64_t value;

	asm volatile("mov %%cr4, %0" : "=r"(value));
	return value;
}

/* The functions return false if the instruction fails. */

static inline bool enter_vmx(uint64_t region)
{
	bool good;

	asm volatile("vmxon %1" : "=@cca"(good) : "m"(region) : "memory");
	return good;
}

static inline bool clear_vmcs_at(uint64_t vmcs)
{
	bool good;

	asm volatile("vmclear %1" : "=@cca"(good) : "m"(vmcs) : "memory");
	return good;
}

static inline bool load_vmcs_at(uint64_t vmcs)
{
	bool good;

	asm volatile("vmptrld %1" : "=@cca"(good) : "m"(vmcs) : "memory");
	return good;
}

static inline bool write_field(enum vmcs_field field, uint64_t value)
{
	bool good;

	asm volatile("vmwrite %1, %2" : "=@cca"(good) : "rm"(value), "r"((uint64_t)field));
	return good;
}

static inline uint64_t read_field(enum vmcs_field field)
{
	uint64_t value;

	asm volatile("vmread %1, %0" : "=rm"(value) : "r"((uint64_t)field) : "cc");
	return value;
}

#endif /* NESTED_VMX_VMCS_H */
