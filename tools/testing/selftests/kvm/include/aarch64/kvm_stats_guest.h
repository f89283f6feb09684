/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kvm_stats_test on arm64: the statistics that are there, and guest code that
 * makes some of them move.
 */
#ifndef SELFTEST_KVM_STATS_GUEST_H
#define SELFTEST_KVM_STATS_GUEST_H

#include <sys/eventfd.h>

#include "processor.h"

#define STATS_OF_VM_IN_DEBUGFS		false

static const struct stats_expectation stats_arch_vm[] = {
};

static const struct stats_expectation stats_arch_vcpu[] = {
	COUNTER("hvc_exit_stat"),
	COUNTER("wfe_exit_stat"),
	COUNTER("wfi_exit_stat"),
	COUNTER("mmio_exit_user"),
	COUNTER("mmio_exit_kernel"),
	COUNTER("signal_exits"),
	COUNTER("exits"),
};

/* A physical address with nothing behind it, mapped at the same virtual one. */
#define GUEST_MMIO	0xc0000000
/* The same, but KVM has an eventfd for who writes there. */
#define GUEST_DOORBELL	(GUEST_MMIO + 8)

static void guest_mmio_write_once(void)
{
	asm volatile("str wzr, [%0]" : : "r"((uint64_t)GUEST_MMIO) : "memory");
}

static void guest_mmio_read_once(void)
{
	uint32_t word;

	asm volatile("ldr %w0, [%1]" : "=r"(word) : "r"((uint64_t)GUEST_MMIO)
		     : "memory");
}

static void guest_doorbell_once(void)
{
	asm volatile("str wzr, [%0]" : : "r"((uint64_t)GUEST_DOORBELL) : "memory");
}

/* No function has this number: the call is counted all the same. */
static void guest_hypercall_once(void)
{
	register uint64_t x0 asm("x0") = 0xc600ffff;

	asm volatile("hvc #0" : "+r"(x0) : : "x1", "x2", "x3", "memory");
}

/*
 * The vCPU waits until the VMM's thread gets a signal.  (A WFE waits or not as
 * the load of the host's CPU has it, so nothing is said about that.)
 */
static void guest_wait_once(void)
{
	asm volatile("wfi" : : : "memory");
}

static const struct stats_motion stats_motions[] = {
	{ "mmio_write", "mmio_exit_user", guest_mmio_write_once, KVM_EXIT_MMIO },
	{ "mmio_read", "mmio_exit_user", guest_mmio_read_once, KVM_EXIT_MMIO },
	{ "doorbell", "mmio_exit_kernel", guest_doorbell_once, STATS_NO_EXIT },
	{ "hypercall", "hvc_exit_stat", guest_hypercall_once, STATS_NO_EXIT },
	{ "wfi", "wfi_exit_stat", guest_wait_once, STATS_WAIT },
};

static void stats_guest_prepare(struct kvm_vm *vm)
{
	struct kvm_ioeventfd doorbell = {
		.addr = GUEST_DOORBELL,
		.len = sizeof(uint32_t),
		.fd = eventfd(0, EFD_CLOEXEC),
	};

	virt_pg_map(vm, GUEST_MMIO, GUEST_MMIO, 0);
	vm_ioctl(vm, KVM_IOEVENTFD, &doorbell);
}

/* The signal has done it. */
static void stats_guest_wake(struct kvm_vm *vm, uint32_t vcpu_id)
{
}

#endif /* SELFTEST_KVM_STATS_GUEST_H */
