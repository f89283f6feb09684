// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nested_vmx/machine.h"
#include "nested_vmx/vmcs.h"

#define PAGE		4096ul
#define ENTRIES		512
#define PRESENT		1ul
#define WRITABLE	2ul
#define LARGE		0x80ul
#define LARGE_SIZE	(2ul << 20)

#define CR0_PE		1ul
#define CR0_NE		0x20ul
#define CR0_PG		0x80000000ul
#define CR4_PAE		0x20ul
#define CR4_OSFXSR	0x200ul
#define CR4_VMXE	0x2000ul
#define EFER_LME	0x100ul
#define EFER_LMA	0x400ul

#define MAX_CPUID	256

/* They map the first GiB. */
static uint64_t level4[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t level3[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t level2[ENTRIES] __attribute__((aligned(PAGE)));
static uint8_t stack[4 * PAGE] __attribute__((aligned(PAGE)));

static const char *error_of(const char *what)
{
	static char message[128];

	snprintf(message, sizeof(message), "%s: %s", what, strerror(errno));
	return message;
}

static void fill_page_tables(void)
{
	uint64_t i;

	level4[0] = (uintptr_t)level3 | PRESENT | WRITABLE;
	level3[0] = (uintptr_t)level2 | PRESENT | WRITABLE;
	for (i = 0; i < ENTRIES; i++)
		level2[i] = i * LARGE_SIZE | PRESENT | WRITABLE | LARGE;
}

static const char *add_memory(struct machine *machine)
{
	uint64_t start = (uintptr_t)&__executable_start & -PAGE;
	uint64_t end = ((uintptr_t)&_end + PAGE - 1) & -PAGE;
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = start,
		.memory_size = end - start,
		.userspace_addr = start,
	};

	if (end > ENTRIES * LARGE_SIZE)
		return "the program is not in the first GiB of its address space";
	if (ioctl(machine->vm, KVM_SET_USER_MEMORY_REGION, &region))
		return error_of("KVM_SET_USER_MEMORY_REGION");
	return NULL;
}

static const char *set_cpuid(struct machine *machine)
{
	struct kvm_cpuid2 *cpuid;
	const char *message = NULL;

	cpuid = calloc(1, sizeof(*cpuid) + MAX_CPUID * sizeof(cpuid->entries[0]));
	if (!cpuid)
		return error_of("calloc");
	cpuid->nent = MAX_CPUID;
	if (ioctl(machine->kvm, KVM_GET_SUPPORTED_CPUID, cpuid) ||
	    ioctl(machine->vcpu, KVM_SET_CPUID2, cpuid))
		message = error_of("the CPUID of the vCPU");
	free(cpuid);
	return message;
}

static const char *allow_vmx(struct machine *machine)
{
	struct {
		struct kvm_msrs header;
		struct kvm_msr_entry entry;
	} msrs = {
		.header.nmsrs = 1,
		.entry = {
			.index = MSR_FEATURE_CONTROL,
			.data = FEATURE_CONTROL_LOCKED | FEATURE_CONTROL_VMX,
		},
	};

	return ioctl(machine->vcpu, KVM_SET_MSRS, &msrs) == 1 ? NULL :
	       error_of("KVM_SET_MSRS of IA32_FEATURE_CONTROL");
}

static const char *set_mode(struct machine *machine)
{
	const struct kvm_segment data = {
		.limit = 0xffffffff, .selector = SELECTOR_DATA, .type = 3, .present = 1,
		.db = 1, .s = 1, .g = 1,
	};
	const struct kvm_segment code = {
		.limit = 0xffffffff, .selector = SELECTOR_CODE, .type = 11, .present = 1,
		.l = 1, .s = 1, .g = 1,
	};
	const struct kvm_segment tss = {
		.limit = 0x67, .selector = SELECTOR_TSS, .type = 11, .present = 1,
	};
	struct kvm_sregs sregs;

	if (ioctl(machine->vcpu, KVM_GET_SREGS, &sregs))
		return error_of("KVM_GET_SREGS");
	sregs.cs = code;
	sregs.ds = data;
	sregs.es = data;
	sregs.ss = data;
	sregs.tr = tss;
	sregs.gdt = (struct kvm_dtable){};
	sregs.idt = (struct kvm_dtable){};
	sregs.cr0 = CR0_PE | CR0_NE | CR0_PG;
	sregs.cr3 = (uintptr_t)level4;
	sregs.cr4 = CR4_PAE | CR4_OSFXSR | CR4_VMXE;
	sregs.efer = EFER_LME | EFER_LMA;
	return ioctl(machine->vcpu, KVM_SET_SREGS, &sregs) ? error_of("KVM_SET_SREGS") : NULL;
}

static const char *set_registers(struct machine *machine, void (*code)(), uint64_t argument)
{
	struct kvm_regs regs = {
		.rip = (uintptr_t)code,
		/* The stack pointer has the alignment that it has after a call. */
		.rsp = (uintptr_t)(stack + sizeof(stack) - 8),
		.rdi = argument,
		.rflags = 2,
	};

	return ioctl(machine->vcpu, KVM_SET_REGS, &regs) ? error_of("KVM_SET_REGS") : NULL;
}

static const char *add_vcpu(struct machine *machine)
{
	machine->vcpu = ioctl(machine->vm, KVM_CREATE_VCPU, 0);
	if (machine->vcpu < 0)
		return error_of("KVM_CREATE_VCPU");
	machine->run_size = ioctl(machine->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	machine->run = mmap(NULL, machine->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    machine->vcpu, 0);
	return machine->run == MAP_FAILED ? error_of("mmap of struct kvm_run") : NULL;
}

const char *machine_create(struct machine *machine, void (*code)(), uint64_t argument)
{
	const char *message;

	machine->vcpu = -1;
	machine->run = MAP_FAILED;
	machine->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	machine->vm = ioctl(machine->kvm, KVM_CREATE_VM, 0);
	if (machine->vm < 0)
		return error_of("KVM_CREATE_VM");
	fill_page_tables();
	message = add_memory(machine);
	if (!message)
		message = add_vcpu(machine);
	if (!message)
		message = set_cpuid(machine);
	if (!message)
		message = allow_vmx(machine);
	if (!message)
		message = set_mode(machine);
	return message ? message : set_registers(machine, code, argument);
}

void machine_destroy(struct machine *machine)
{
	if (machine->run != MAP_FAILED)
		munmap(machine->run, machine->run_size);
	close(machine->vcpu);
	close(machine->vm);
	close(machine->kvm);
}

const char *machine_run(struct machine *machine, uint16_t port, uint8_t *value)
{
	static char message[128];
	struct kvm_run *run = machine->run;

	if (ioctl(machine->vcpu, KVM_RUN, 0))
		return error_of("KVM_RUN");
	if (run->exit_reason != KVM_EXIT_IO || run->io.port != port) {
		snprintf(message, sizeof(message),
			 "KVM_RUN ends with exit reason %u, expected a write to port %#x",
			 run->exit_reason, port);
		return message;
	}
	*value = *((uint8_t *)run + run->io.data_offset);
	return NULL;
}
