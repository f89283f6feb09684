// SPDX-License-Identifier: GPL-2.0-only
/* A VM with a vCPU in real mode. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define STACK		0x8000
#define APIC_DEFAULT	0xfee00000
#define APIC_ENABLED	(1 << 11)
#define APIC_X2APIC	(1 << 10)
#define MAX_CPUID	256

static bool call(int fd, unsigned long request, void *arg, const char *what)
{
	if (ioctl(fd, request, arg) >= 0)
		return true;
	set_why("%s: %s", what, strerror(errno));
	return false;
}

static bool add_memory(struct guest *guest)
{
	struct kvm_userspace_memory_region region = { .memory_size = GUEST_MEMORY };

	guest->memory = mmap(NULL, GUEST_MEMORY, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guest->memory == MAP_FAILED) {
		set_why("the guest's memory: %s", strerror(errno));
		return false;
	}
	region.userspace_addr = (uintptr_t)guest->memory;
	return call(guest->vm, KVM_SET_USER_MEMORY_REGION, &region, "KVM_SET_USER_MEMORY_REGION");
}

static bool add_vcpu(struct guest *guest)
{
	guest->vcpu = vcpu_create(guest->vm, 0);
	if (guest->vcpu < 0)
		return false;
	guest->run = mmap(NULL, ioctl(kvm_open(), KVM_GET_VCPU_MMAP_SIZE, 0),
			  PROT_READ | PROT_WRITE, MAP_SHARED, guest->vcpu, 0);
	if (guest->run == MAP_FAILED) {
		set_why("struct kvm_run: %s", strerror(errno));
		return false;
	}
	return true;
}

/* Set all CPUID bits that KVM supports.  X2APIC is one of them. */
static bool set_cpuid(struct guest *guest)
{
	struct kvm_cpuid2 *cpuid;
	bool ok;

	cpuid = calloc(1, sizeof(*cpuid) + MAX_CPUID * sizeof(cpuid->entries[0]));
	cpuid->nent = MAX_CPUID;
	ok = call(kvm_open(), KVM_GET_SUPPORTED_CPUID, cpuid, "KVM_GET_SUPPORTED_CPUID") &&
	     call(guest->vcpu, KVM_SET_CPUID2, cpuid, "KVM_SET_CPUID2");
	free(cpuid);
	return ok;
}

static bool set_registers(struct guest *guest, enum guest_irqchip irqchip)
{
	struct kvm_regs regs = { .rflags = 2, .rip = GUEST_CODE, .rsp = STACK };
	struct kvm_sregs sregs;

	if (!call(guest->vcpu, KVM_GET_SREGS, &sregs, "KVM_GET_SREGS"))
		return false;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (irqchip == WITH_X2APIC)
		sregs.apic_base = APIC_DEFAULT | APIC_ENABLED | APIC_X2APIC;
	return call(guest->vcpu, KVM_SET_SREGS, &sregs, "KVM_SET_SREGS") &&
	       call(guest->vcpu, KVM_SET_REGS, &regs, "KVM_SET_REGS");
}

bool guest_create(struct guest *guest, enum guest_irqchip irqchip, const void *code, int size)
{
	*guest = (struct guest) { .vm = vm_create(), .vcpu = -1 };
	if (guest->vm < 0 || !add_memory(guest))
		return false;
	memcpy(guest->memory + GUEST_CODE, code, size);
	if (irqchip == WITH_X2APIC &&
	    !call(guest->vm, KVM_CREATE_IRQCHIP, NULL, "KVM_CREATE_IRQCHIP"))
		return false;
	return add_vcpu(guest) && set_cpuid(guest) && set_registers(guest, irqchip);
}

/* The mappings stay until the process ends. */
void guest_destroy(struct guest *guest)
{
	close(guest->vcpu);
	close(guest->vm);
}

long guest_run(struct guest *guest)
{
	long result = kernel_call(SYS_ioctl, guest->vcpu, KVM_RUN, 0, 0, 0, 0);

	return result < 0 ? result : guest->run->exit_reason;
}
