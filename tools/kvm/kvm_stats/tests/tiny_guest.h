/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest of tiny_vmm.h: each vCPU repeats one instruction that exits to user space. For each
 * architecture there are
 *
 *	tiny_code		the instructions
 *	TINY_ENTRY		their address
 *	TINY_EXIT		the exit reason
 *	TINY_STATISTIC		counts these exits, and no others
 *	TINY_CLASS		the same of the statistics of exits, where there are some
 *	tiny_set_up_vcpu()	returns 0 or -errno
 *
 * On x86, a vCPU can execute HLT before each exit: tiny_set_up_halts() and tiny_wake(). Or it never
 * exits, because it halts or loops for ever: tiny_set_up_loop().
 */
#ifndef TINY_GUEST_H
#define TINY_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/kvm.h>

#if defined(__x86_64__) || defined(__i386__)
#define TINY_ENTRY	0x1000
#define TINY_EXIT	KVM_EXIT_IO
#define TINY_STATISTIC	"io_exits"
#define TINY_CLASS	"exit_io"

/* Real mode: out %al, $0x10; jmp . - 2 */
static const uint8_t tiny_code[] = { 0xe6, 0x10, 0xeb, 0xfc };

static inline int tiny_set_up_vcpu(int vm, int vcpu, struct kvm_run *run)
{
	struct kvm_regs regs = { .rip = TINY_ENTRY, .rflags = 2 };
	struct kvm_sregs sregs;

	(void)vm;
	(void)run;
	if (ioctl(vcpu, KVM_GET_SREGS, &sregs))
		return -errno;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs))
		return -errno;
	return ioctl(vcpu, KVM_SET_REGS, &regs) ? -errno : 0;
}

#define TINY_HALTS	0x1100
#define TINY_STACK	0x8000

/* Until an NMI comes, whose handler is at the end: hlt; out %al, $0x10; jmp . - 3; iret */
static const uint8_t tiny_halting_code[] = { 0xf4, 0xe6, 0x10, 0xeb, 0xfb, 0xcf };

static inline int tiny_set_up_halts(int vcpu, uint8_t *memory)
{
	struct kvm_regs regs = { .rip = TINY_HALTS, .rsp = TINY_STACK, .rflags = 2 };
	uint16_t vector[] = { TINY_HALTS + sizeof(tiny_halting_code) - 1, 0 };
	struct kvm_lapic_state state;

	memcpy(memory + TINY_HALTS, tiny_halting_code, sizeof(tiny_halting_code));
	memcpy(memory + 2 * sizeof(vector), vector, sizeof(vector));	/* NMIs use vector 2 */
	/* KVM delivers interrupts to a new vCPU only after the state of its APIC has been set. */
	if (ioctl(vcpu, KVM_GET_LAPIC, &state) || ioctl(vcpu, KVM_SET_LAPIC, &state) ||
	    ioctl(vcpu, KVM_SET_REGS, &regs))
		return -errno;
	return 0;
}

#define TINY_LOOPS	0x1200
#define TINY_TABLES	0x2000

/*
 * 64-bit user mode. kvm_pvm runs no other mode without emulating each instruction. The page tables
 * map the first 2 MiB.
 */
static inline int tiny_set_up_user_mode(int vcpu, uint8_t *memory)
{
	const uint64_t tables[] = { TINY_TABLES + 0x1000 + 7, TINY_TABLES + 0x2000 + 7, 0x87 };
	struct kvm_segment data = {
		.limit = ~0, .selector = 0x2b, .type = 3, .present = 1, .dpl = 3, .db = 1, .s = 1,
		.g = 1,
	};
	struct { struct kvm_cpuid2 list; struct kvm_cpuid_entry2 entry[256]; } cpuid = {
		.list.nent = 256,
	};
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), err, i;
	struct kvm_sregs sregs;

	err = ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &cpuid) || ioctl(vcpu, KVM_SET_CPUID2, &cpuid) ||
	      ioctl(vcpu, KVM_GET_SREGS, &sregs) ? -errno : 0;
	close(kvm);
	if (err)
		return err;
	for (i = 0; i < 3; i++)
		memcpy(memory + TINY_TABLES + i * 0x1000, &tables[i], sizeof(tables[i]));
	sregs.cr0 = 0x80050033;
	sregs.cr3 = TINY_TABLES;
	sregs.cr4 = 0x20;
	sregs.efer = 0xd01;
	sregs.ds = data;
	sregs.es = data;
	sregs.ss = data;
	sregs.cs = data;
	sregs.cs.selector = 0x33;
	sregs.cs.type = 11;
	sregs.cs.db = 0;
	sregs.cs.l = 1;
	return ioctl(vcpu, KVM_SET_SREGS, &sregs) ? -errno : 0;
}

/* hlt; jmp . - 1, and without the first byte, an endless loop: jmp . */
static inline int tiny_set_up_loop(int vcpu, uint8_t *memory, bool halts)
{
	const uint8_t code[] = { 0xf4, 0xeb, halts ? 0xfd : 0xfe };
	struct kvm_regs regs = { .rip = TINY_LOOPS + !halts, .rflags = 2 };
	int err = halts ? 0 : tiny_set_up_user_mode(vcpu, memory);

	memcpy(memory + TINY_LOOPS, code, sizeof(code));
	return !err && ioctl(vcpu, KVM_SET_REGS, &regs) ? -errno : err;
}

/* Sends an NMI, as an MSI to the local APIC of vCPU 0. */
static inline void tiny_wake(int vm)
{
	struct kvm_msi msi = { .address_lo = 0xfee00000u, .data = 4 << 8 };

	ioctl(vm, KVM_SIGNAL_MSI, &msi);
}
#elif defined(__aarch64__)
#define TINY_ENTRY	0	/* the vCPU's PC after reset */
#define TINY_EXIT	KVM_EXIT_MMIO
#define TINY_STATISTIC	"mmio_exit_user"
#define TINY_CLASS	"exit_mmio"

/* No memory is at the address: mov x1, #0x70000000; str w0, [x1]; b . - 4 */
static const uint32_t tiny_code[] = { 0xd2ae0001, 0xb9000020, 0x17ffffff };

static inline int tiny_set_up_vcpu(int vm, int vcpu, struct kvm_run *run)
{
	struct kvm_vcpu_init init;

	(void)run;
	if (ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init))
		return -errno;
	return ioctl(vcpu, KVM_ARM_VCPU_INIT, &init) ? -errno : 0;
}
#elif defined(__s390x__)
#define TINY_ENTRY	0x4000
#define TINY_EXIT	KVM_EXIT_S390_SIEIC
#define TINY_STATISTIC	"instruction_diagnose_500"

/* diag 0, 0, 0x500; j . - 4 */
static const uint8_t tiny_code[] = { 0x83, 0x00, 0x05, 0x00, 0xa7, 0xf4, 0xff, 0xfe };

static inline int tiny_set_up_vcpu(int vm, int vcpu, struct kvm_run *run)
{
	(void)vm;
	(void)vcpu;
	run->psw_mask = 0x0000000180000000UL;	/* 64-bit addresses */
	run->psw_addr = TINY_ENTRY;
	return 0;
}
#else
#define TINY_ENTRY	0
#define TINY_EXIT	KVM_EXIT_UNKNOWN
#define TINY_STATISTIC	"none"

static const uint8_t tiny_code[] = { 0 };

static inline int tiny_set_up_vcpu(int vm, int vcpu, struct kvm_run *run)
{
	(void)vm;
	(void)vcpu;
	(void)run;
	return -EOPNOTSUPP;
}
#endif

#ifndef TINY_HALTS
static inline int tiny_set_up_halts(int vcpu, uint8_t *memory)
{
	(void)vcpu;
	(void)memory;
	return -EOPNOTSUPP;
}

static inline int tiny_set_up_loop(int vcpu, uint8_t *memory, bool halts)
{
	(void)halts;
	return tiny_set_up_halts(vcpu, memory);
}

static inline void tiny_wake(int vm)
{
	(void)vm;
}
#endif

#endif /* TINY_GUEST_H */
