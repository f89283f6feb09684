// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sys/eventfd.h>

#include "kvm_stats_workload.h"
#include "processor.h"

/* There is no device at this address.  The virtual address is the same. */
#define GUEST_MMIO	0xc0000000
/* Here KVM signals an eventfd. */
#define GUEST_DOORBELL	(GUEST_MMIO + 8)

static const struct stats_expectation vcpu_statistics[] = {
	STATS_COUNTER("hvc_exit_stat"),
	STATS_COUNTER("wfe_exit_stat"),
	STATS_COUNTER("wfi_exit_stat"),
	STATS_COUNTER("mmio_exit_user"),
	STATS_COUNTER("mmio_exit_kernel"),
	STATS_COUNTER("signal_exits"),
	STATS_COUNTER("exits"),
};

/* A VM has only the two statistics of all architectures. */
const char *stats_check_arch_vm(const struct stats_file *file)
{
	return file->header.num_desc == 2 ? NULL :
	       stats_fail("a VM has %u statistics, expected 2",
			  file->header.num_desc);
}

const char *stats_check_arch_vcpu(const struct stats_file *file)
{
	return stats_check_expectations(file, vcpu_statistics,
					ARRAY_SIZE(vcpu_statistics));
}

static void mmio_write_once(void)
{
	asm volatile("str wzr, [%0]" : : "r"((uint64_t)GUEST_MMIO) : "memory");
}

static void mmio_read_once(void)
{
	uint32_t word;

	asm volatile("ldr %w0, [%1]" : "=r"(word) : "r"((uint64_t)GUEST_MMIO)
		     : "memory");
}

static void doorbell_once(void)
{
	asm volatile("str wzr, [%0]" : : "r"((uint64_t)GUEST_DOORBELL) : "memory");
}

/* KVM also counts a call of a function whose number is unknown. */
static void hypercall_once(void)
{
	register uint64_t x0 asm("x0") = 0xc600ffff;

	asm volatile("hvc #0" : "+r"(x0) : : "x1", "x2", "x3", "memory");
}

/*
 * WFE is not tested, because whether it blocks the vCPU depends on the load of
 * the host.
 */
void stats_guest_wait_once(void)
{
	asm volatile("wfi" : : : "memory");
}

const struct stats_event stats_events[] = {
	{ "mmio_write", "mmio_exit_user", mmio_write_once, KVM_EXIT_MMIO },
	{ "mmio_read", "mmio_exit_user", mmio_read_once, KVM_EXIT_MMIO },
	{ "doorbell", "mmio_exit_kernel", doorbell_once, STATS_NO_EXIT },
	{ "hypercall", "hvc_exit_stat", hypercall_once, STATS_NO_EXIT },
	{ "wfi", "wfi_exit_stat", stats_guest_wait_once, STATS_WAIT },
};

void stats_arch_prepare(struct kvm_vm *vm)
{
	struct kvm_ioeventfd doorbell = {
		.addr = GUEST_DOORBELL,
		.len = sizeof(uint32_t),
		.fd = eventfd(0, EFD_CLOEXEC),
	};

	virt_pg_map(vm, GUEST_MMIO, GUEST_MMIO, 0);
	vm_ioctl(vm, KVM_IOEVENTFD, &doorbell);
}

/* A signal ends the wait of an arm64 vCPU, so there is nothing to do. */
void stats_arch_wake(struct kvm_vm *vm, uint32_t vcpu_id)
{
}
