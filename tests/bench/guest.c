// SPDX-License-Identifier: GPL-2.0-only
/* Exits of a guest in real mode: one to user space, and one that KVM handles in the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define MEMORY		0x10000
#define CODE		0x1000
#define MAX_CPUID	256
#define FEW		100
#define MANY		200

/* out %al,$0x10; jmp */
static const uint8_t out_forever[] = { 0xe6, 0x10, 0xeb, 0xfc };

/* mov $iterations,%si; xor %eax,%eax; cpuid; dec %si; jnz; out %al,$0x10; jmp */
static const uint8_t cpuid_rounds[] = {
	0xbe, 0x00, 0x00, 0x66, 0x31, 0xc0, 0x0f, 0xa2, 0x4e, 0x75, 0xf8, 0xe6, 0x10, 0xeb, 0xf1,
};

static struct {
	int kvm, vm, vcpu;
	struct kvm_run *run;
	uint8_t *memory;
} guest;

static void *map(int fd, size_t size, int flags)
{
	void *result = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);

	must(result == MAP_FAILED ? -1 : 0, "mmap()");
	return result;
}

static void set_registers(void)
{
	struct kvm_regs regs = { .rflags = 2, .rip = CODE };
	struct kvm_sregs sregs;

	must(ioctl(guest.vcpu, KVM_GET_SREGS, &sregs), "KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	must(ioctl(guest.vcpu, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
	must(ioctl(guest.vcpu, KVM_SET_REGS, &regs), "KVM_SET_REGS");
}

/* The number of CPUID entries affects the cost of an exit: the guest has all that KVM supports. */
static void create(const void *code, size_t size)
{
	static struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entries[MAX_CPUID];
	} cpuid = { .head.nent = MAX_CPUID };
	struct kvm_userspace_memory_region region = { .memory_size = MEMORY };

	guest.kvm = must(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	guest.vm = must(ioctl(guest.kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	guest.memory = map(-1, MEMORY, MAP_ANONYMOUS);
	memcpy(guest.memory + CODE, code, size);
	region.userspace_addr = (uintptr_t)guest.memory;
	must(ioctl(guest.vm, KVM_SET_USER_MEMORY_REGION, &region), "KVM_SET_USER_MEMORY_REGION");
	guest.vcpu = must(ioctl(guest.vm, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
	guest.run = map(guest.vcpu, sizeof(*guest.run), 0);
	must(ioctl(guest.kvm, KVM_GET_SUPPORTED_CPUID, &cpuid), "KVM_GET_SUPPORTED_CPUID");
	must(ioctl(guest.vcpu, KVM_SET_CPUID2, &cpuid), "KVM_SET_CPUID2");
	set_registers();
}

static void destroy(void)
{
	munmap(guest.run, sizeof(*guest.run));
	close(guest.vcpu);
	close(guest.vm);
	close(guest.kvm);
	munmap(guest.memory, MEMORY);
}

/* Return a negative errno unless the guest ends with OUT. */
static long run(void)
{
	long result = kernel_call(SYS_ioctl, guest.vcpu, KVM_RUN, 0, 0);

	return result < 0 || guest.run->exit_reason == KVM_EXIT_IO ? result : -EPROTO;
}

double count_out(long unused)
{
	double result;

	create(out_forever, sizeof(out_forever));
	result = count(run, NULL);
	destroy();
	return result;
}

static double count_rounds(int rounds)
{
	guest.memory[CODE + 1] = rounds;
	return count(run, NULL);
}

/* The difference between many and few iterations removes the cost of everything else. */
double count_cpuid(long unused)
{
	double few, many;

	create(cpuid_rounds, sizeof(cpuid_rounds));
	few = count_rounds(FEW);
	many = count_rounds(MANY);
	destroy();
	return (many - few) / (MANY - FEW);
}
