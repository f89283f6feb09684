// SPDX-License-Identifier: GPL-2.0-only
#include "nested_vmx/l1.h"
#include "nested_vmx/machine.h"
#include "nested_vmx/vmcs.h"

#define VMCALL_SIZE	3
#define RFLAGS_FIXED	2
#define DR7_FIXED	0x400

#define RIGHTS_CODE_64	0xa09b
#define RIGHTS_DATA	0xc093
#define RIGHTS_TSS	0x8b
#define RIGHTS_UNUSABLE	0x10000

static uint32_t vmxon_region[1024] __attribute__((aligned(4096)));
static uint32_t vmcs[1024] __attribute__((aligned(4096)));
static uint8_t l2_stack[4096] __attribute__((aligned(16)));

static void exit_to_user(enum l1_exit why)
{
	asm volatile("outb %0, %1" : : "a"((uint8_t)why), "N"(L1_PORT) : "memory");
}

/* ---- L2 ---- */

static void l2_calls(void)
{
	for (;;)
		asm volatile("vmcall" : : : "memory");
}

static void l2_exits_to_user(void)
{
	exit_to_user(L2_RUNS);
	l2_calls();
}

/* L2 has no IDT, so an exception is a triple fault. */
static void l2_crashes(void)
{
	asm volatile("ud2");
}

/* ---- L1 ---- */

/* The bits that the CPU requires, and @wanted. */
static uint64_t controls(uint32_t msr, uint32_t wanted)
{
	uint64_t bits = rdmsr(msr);

	return ((uint32_t)bits | wanted) & (bits >> 32);
}

static void write_controls(void)
{
	write_field(PIN_BASED_CONTROLS, controls(MSR_VMX_PINBASED_CTLS, 0));
	write_field(PROC_BASED_CONTROLS, controls(MSR_VMX_PROCBASED_CTLS, 0));
	write_field(EXIT_CONTROLS, controls(MSR_VMX_EXIT_CTLS, EXIT_HOST_IS_64_BIT));
	write_field(ENTRY_CONTROLS, controls(MSR_VMX_ENTRY_CTLS, ENTRY_GUEST_IS_64_BIT));
	write_field(EXCEPTION_BITMAP, 0);
	write_field(PAGE_FAULT_MASK, 0);
	write_field(PAGE_FAULT_MATCH, 0);
	write_field(CR3_TARGET_COUNT, 0);
	write_field(EXIT_MSR_STORE_COUNT, 0);
	write_field(EXIT_MSR_LOAD_COUNT, 0);
	write_field(ENTRY_MSR_LOAD_COUNT, 0);
	write_field(ENTRY_INTERRUPTION_INFO, 0);
	write_field(CR0_MASK, 0);
	write_field(CR4_MASK, 0);
	write_field(VMCS_LINK_POINTER, -1);
}

/* enter_l2() writes RSP and RIP. */
static void write_host_state(void)
{
	write_field(HOST_CR0, read_cr0());
	write_field(HOST_CR3, read_cr3());
	write_field(HOST_CR4, read_cr4());
	write_field(HOST_CS_SELECTOR, SELECTOR_CODE);
	write_field(HOST_SS_SELECTOR, SELECTOR_DATA);
	write_field(HOST_DS_SELECTOR, SELECTOR_DATA);
	write_field(HOST_ES_SELECTOR, SELECTOR_DATA);
	write_field(HOST_FS_SELECTOR, 0);
	write_field(HOST_GS_SELECTOR, 0);
	write_field(HOST_TR_SELECTOR, SELECTOR_TSS);
	write_field(HOST_FS_BASE, 0);
	write_field(HOST_GS_BASE, 0);
	write_field(HOST_TR_BASE, 0);
	write_field(HOST_GDTR_BASE, 0);
	write_field(HOST_IDTR_BASE, 0);
	write_field(HOST_SYSENTER_CS, 0);
	write_field(HOST_SYSENTER_ESP, 0);
	write_field(HOST_SYSENTER_EIP, 0);
}

/* @segment: 0 is ES, 1 CS, and so on, in the order of the fields. */
static void write_segment(unsigned int segment, uint64_t selector, uint64_t limit, uint64_t rights)
{
	write_field(GUEST_ES_SELECTOR + 2 * segment, selector);
	write_field(GUEST_ES_LIMIT + 2 * segment, limit);
	write_field(GUEST_ES_RIGHTS + 2 * segment, rights);
	write_field(GUEST_ES_BASE + 2 * segment, 0);
}

static void write_segments(void)
{
	write_segment(0, SELECTOR_DATA, 0xffffffff, RIGHTS_DATA);
	write_segment(1, SELECTOR_CODE, 0xffffffff, RIGHTS_CODE_64);
	write_segment(2, SELECTOR_DATA, 0xffffffff, RIGHTS_DATA);
	write_segment(3, SELECTOR_DATA, 0xffffffff, RIGHTS_DATA);
	write_segment(4, 0, 0, RIGHTS_UNUSABLE);
	write_segment(5, 0, 0, RIGHTS_UNUSABLE);
	write_segment(6, 0, 0, RIGHTS_UNUSABLE);
	write_segment(7, SELECTOR_TSS, 0x67, RIGHTS_TSS);
	write_field(GUEST_GDTR_BASE, 0);
	write_field(GUEST_GDTR_LIMIT, 0);
	write_field(GUEST_IDTR_BASE, 0);
	write_field(GUEST_IDTR_LIMIT, 0);
}

static void write_l2_state(void (*l2)(void))
{
	/* The stack pointer has the alignment that it has after a call. */
	write_field(GUEST_RSP, (uintptr_t)(l2_stack + sizeof(l2_stack) - 8));
	write_field(GUEST_RIP, (uintptr_t)l2);
	write_field(GUEST_RFLAGS, RFLAGS_FIXED);
	write_field(GUEST_CR0, read_cr0());
	write_field(GUEST_CR3, read_cr3());
	write_field(GUEST_CR4, read_cr4());
	write_field(GUEST_DR7, DR7_FIXED);
	write_field(GUEST_DEBUGCTL, 0);
	write_field(GUEST_PENDING_DEBUG, 0);
	write_field(GUEST_INTERRUPTIBILITY, 0);
	write_field(GUEST_ACTIVITY, 0);
	write_field(GUEST_SYSENTER_CS, 0);
	write_field(GUEST_SYSENTER_ESP, 0);
	write_field(GUEST_SYSENTER_EIP, 0);
	write_segments();
}

static bool prepare_l2(void (*l2)(void))
{
	uint32_t revision = rdmsr(MSR_VMX_BASIC) & 0x7fffffff;

	vmxon_region[0] = revision;
	vmcs[0] = revision;
	if (!enter_vmx((uintptr_t)vmxon_region) || !clear_vmcs_at((uintptr_t)vmcs) ||
	    !load_vmcs_at((uintptr_t)vmcs))
		return false;
	write_controls();
	write_host_state();
	write_l2_state(l2);
	return true;
}

/* Return false if VMLAUNCH or VMRESUME fails, and true after an exit. */
static bool enter_l2(bool launch)
{
	/* L2 changes RBP. It cannot be a clobber: with -O0 it is the frame pointer. */
	static uint64_t rbp;
	bool good;

	asm volatile("mov %%rbp, %[rbp]\n\t"
		     "vmwrite %%rsp, %[host_rsp]\n\t"
		     "lea 1f(%%rip), %%rax\n\t"
		     "vmwrite %%rax, %[host_rip]\n\t"
		     "test %[launch], %[launch]\n\t"
		     "jz 0f\n\t"
		     "vmlaunch\n\t"
		     "jmp 2f\n"
		     "0:\n\t"
		     "vmresume\n"
		     "2:\n\t"
		     "xor %%eax, %%eax\n\t"
		     "jmp 3f\n"
		     "1:\n\t"
		     "mov $1, %%eax\n"
		     "3:\n\t"
		     "mov %[rbp], %%rbp"
		     : "=&a"(good), [rbp] "+m"(rbp)
		     : [launch] "c"((uint32_t)launch), [host_rsp] "d"((uint64_t)HOST_RSP),
		       [host_rip] "b"((uint64_t)HOST_RIP)
		     : "memory", "cc", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
		       "r14", "r15");
	return good;
}

/* L2 exits by VMCALL. */
static bool run_l2(bool launch)
{
	if (!enter_l2(launch) || read_field(EXIT_REASON) != EXIT_REASON_VMCALL)
		return false;
	return write_field(GUEST_RIP, read_field(GUEST_RIP) + VMCALL_SIZE);
}

/* VMCLEAR makes the next VMLAUNCH of the VMCS possible. */
static bool clear_vmcs(void)
{
	return clear_vmcs_at((uintptr_t)vmcs) && load_vmcs_at((uintptr_t)vmcs);
}

static bool launch_or_resume(bool launch)
{
	int i;

	if (!prepare_l2(l2_calls) || !run_l2(true))
		return false;
	exit_to_user(L1_READY);
	for (i = 0; i < L1_TIMES; i++) {
		if ((launch && !clear_vmcs()) || !run_l2(launch))
			return false;
	}
	return true;
}

static bool try_invalid_controls(void)
{
	int i;

	if (!prepare_l2(l2_calls))
		return false;
	write_field(PIN_BASED_CONTROLS, 0);
	exit_to_user(L1_READY);
	for (i = 0; i < L1_TIMES; i++) {
		if (enter_l2(true))
			return false;
	}
	return true;
}

static bool try_invalid_state(void)
{
	int i;

	if (!prepare_l2(l2_calls))
		return false;
	write_field(GUEST_RFLAGS, 0);
	exit_to_user(L1_READY);
	for (i = 0; i < L1_TIMES; i++) {
		if (!enter_l2(true) || read_field(EXIT_REASON) != EXIT_REASON_INVALID_STATE)
			return false;
	}
	return true;
}

static bool let_l2_exit(void)
{
	if (!prepare_l2(l2_exits_to_user))
		return false;
	exit_to_user(L1_READY);
	return run_l2(true);
}

static bool let_l2_crash(void)
{
	if (!prepare_l2(l2_crashes))
		return false;
	exit_to_user(L1_READY);
	return enter_l2(true) && read_field(EXIT_REASON) == EXIT_REASON_TRIPLE_FAULT;
}

static bool execute(enum l1_task task)
{
	switch (task) {
	case L1_LAUNCHES:
	case L1_RESUMES:
		return launch_or_resume(task == L1_LAUNCHES);
	case L1_LETS_L2_EXIT:
		return let_l2_exit();
	case L1_SETS_NO_CONTROLS:
		return try_invalid_controls();
	case L1_SETS_NO_RFLAGS:
		return try_invalid_state();
	case L1_LETS_L2_CRASH:
		return let_l2_crash();
	}
	return false;
}

void l1_main(enum l1_task task)
{
	exit_to_user(execute(task) ? L1_DONE : L1_FAILED);
	for (;;)
		asm volatile("hlt");
}
