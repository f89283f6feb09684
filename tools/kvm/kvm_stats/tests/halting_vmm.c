// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM whose x86 guest executes HLT and is woken repeatedly.
 *
 * usage: halting_vmm VCPUS RATE [-name GUEST]
 *
 * vCPU 0 executes HLT. About RATE times per second an NMI wakes it, and it writes to an I/O
 * port. The intervals vary between a tenth of the median and ten times the median. The other vCPUs
 * only write to the port, each half as often as the one before.
 *
 * The threads of the vCPUs have the names that QEMU gives them.
 *
 * The VMM keeps statistics fds of the VM and of all vCPUs open. It prints "ready" when it runs,
 * and ends when standard input is closed.
 */
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>

#include <linux/kvm.h>

#ifndef KVM_GET_STATS_FD
#define KVM_GET_STATS_FD	_IO(KVMIO, 0xce)
#endif

#define MEMORY		0x10000
#define CODE		0x1000
#define CODE_WITHOUT_HLT	0x1005
#define HANDLER		0x1100
#define STACK		0x8000
#define MAX_VCPUS	16

/* hlt; out %al, $0x10; jmp . - 3; out %al, $0x10; jmp . - 2 */
static const unsigned char guest[] = { 0xf4, 0xe6, 0x10, 0xeb, 0xfb, 0xe6, 0x10, 0xeb, 0xfc };
/* iret */
static const unsigned char handler[] = { 0xcf };

static int rate;
static int vcpu_fd[MAX_VCPUS];
static struct kvm_run *run[MAX_VCPUS];

static void check(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "halting_vmm: ");
	perror(what);
	exit(1);
}

static int parse_number(const char *text, int max)
{
	int n = text ? atoi(text) : 0;

	if (n >= 1 && n <= max)
		return n;
	fprintf(stderr, "halting_vmm: expected a number from 1 to %d, found '%s'\n", max,
		text ? text : "");
	exit(2);
}

static void add_memory(int vm)
{
	unsigned char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {
		.memory_size = MEMORY,
		.userspace_addr = (uintptr_t)memory,
	};
	uint16_t vector[] = { HANDLER, 0 };

	check(memory == MAP_FAILED ? -1 : 0, "mmap");
	memcpy(memory + CODE, guest, sizeof(guest));
	memcpy(memory + HANDLER, handler, sizeof(handler));
	memcpy(memory + 2 * sizeof(vector), vector, sizeof(vector));	/* NMIs use vector 2 */
	check(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region), "KVM_SET_USER_MEMORY_REGION");
}

static void set_registers(int vcpu, uint64_t code)
{
	struct kvm_regs regs = { .rip = code, .rsp = STACK, .rflags = 2 };
	struct kvm_mp_state runnable = { KVM_MP_STATE_RUNNABLE };
	struct kvm_sregs sregs;

	check(ioctl(vcpu, KVM_GET_SREGS, &sregs), "KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	check(ioctl(vcpu, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
	check(ioctl(vcpu, KVM_SET_REGS, &regs), "KVM_SET_REGS");
	check(ioctl(vcpu, KVM_SET_MP_STATE, &runnable), "KVM_SET_MP_STATE");
}

static void add_vcpu(int vm, int i, int size)
{
	vcpu_fd[i] = ioctl(vm, KVM_CREATE_VCPU, (unsigned long)i);
	check(vcpu_fd[i], "KVM_CREATE_VCPU");
	run[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu_fd[i], 0);
	check(run[i] == MAP_FAILED ? -1 : 0, "mmap");
	set_registers(vcpu_fd[i], i ? CODE_WITHOUT_HLT : CODE);
	check(ioctl(vcpu_fd[i], KVM_GET_STATS_FD, NULL), "KVM_GET_STATS_FD");
}

/* KVM delivers interrupts to a new vCPU only after the state of its local APIC has been set. */
static void set_lapic(int vcpu)
{
	struct kvm_lapic_state state;

	check(ioctl(vcpu, KVM_GET_LAPIC, &state), "KVM_GET_LAPIC");
	check(ioctl(vcpu, KVM_SET_LAPIC, &state), "KVM_SET_LAPIC");
}

static void *run_vcpu(void *arg)
{
	int i = (int)(intptr_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "CPU %d/KVM", i);
	pthread_setname_np(pthread_self(), name);
	while (!ioctl(vcpu_fd[i], KVM_RUN, NULL) && run[i]->exit_reason == KVM_EXIT_IO) {
		if (i)
			usleep((1000000u << i) / rate);
	}
	fprintf(stderr, "halting_vmm: vCPU %d stops: unexpected exit reason %u\n", i,
		run[i]->exit_reason);
	return NULL;
}

/* Sends NMIs, as MSIs to the local APIC of vCPU 0, until standard input is closed. */
static void wake_first(int vm)
{
	struct kvm_msi msi = { .address_lo = 0xfee00000u, .data = 4 << 8 };
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec pause = { 0 };
	char c;

	for (;;) {
		/* The distribution is log-uniform. Its mean is 2.15 times its median. */
		double ns = 1e9 / rate / 2.15 * pow(10, 2 * drand48() - 1);

		pause.tv_sec = (time_t)(ns / 1e9);
		pause.tv_nsec = (long)(ns - (double)pause.tv_sec * 1e9);
		if (ppoll(&input, 1, &pause, NULL) && read(STDIN_FILENO, &c, 1) <= 0)
			return;
		ioctl(vm, KVM_SIGNAL_MSI, &msi);
	}
}

int main(int argc, char **argv)
{
	int vcpus = parse_number(argc > 1 ? argv[1] : NULL, MAX_VCPUS);
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	pthread_t thread;
	int vm, size, i;

	rate = parse_number(argc > 2 ? argv[2] : NULL, 100000);
	check(kvm, "/dev/kvm");
	vm = ioctl(kvm, KVM_CREATE_VM, 0UL);
	check(vm, "KVM_CREATE_VM");
	check(ioctl(vm, KVM_CREATE_IRQCHIP, NULL), "KVM_CREATE_IRQCHIP");
	check(ioctl(vm, KVM_GET_STATS_FD, NULL), "KVM_GET_STATS_FD");
	add_memory(vm);
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL);
	for (i = 0; i < vcpus; i++)
		add_vcpu(vm, i, size);
	set_lapic(vcpu_fd[0]);
	for (i = 0; i < vcpus; i++)
		pthread_create(&thread, NULL, run_vcpu, (void *)(intptr_t)i);
	puts("ready");
	fflush(stdout);
	wake_first(vm);
	return 0;
}
