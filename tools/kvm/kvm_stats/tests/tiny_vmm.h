/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A minimal VMM for tests. Each vCPU runs the guest of tiny_guest.h. After some exits a vCPU thread
 * sleeps, to leave CPU time for the program under test.
 */
#ifndef TINY_VMM_H
#define TINY_VMM_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kvm.h>
#include <linux/kvm_stats.h>

#include "tiny_guest.h"

#define TINY_MAX_VCPUS		4
#define TINY_MEMORY		0x100000	/* KVM on s390 accepts only whole and aligned MiB */
#define TINY_BURST		8	/* exits between two sleeps */
#define TINY_SLEEP_US		1000

static inline void tiny_sleep(void)
{
	usleep(TINY_SLEEP_US);
}

/* What a vCPU thread does after a burst of exits */
static void (*_Atomic tiny_pause)(void) = tiny_sleep;

struct tiny_vcpu {
	int fd;
	struct kvm_run *run;
	size_t run_size;
	pthread_t thread;
	atomic_bool stop;
	atomic_ulong exits;
};

struct tiny_vm {
	int fd;
	void *mapping;		/* of its memory */
	uint8_t *memory;
	bool has_irqchip;
	int vcpus;
	struct tiny_vcpu vcpu[TINY_MAX_VCPUS];
};

static inline int tiny_add_memory(struct tiny_vm *vm)
{
	struct kvm_userspace_memory_region region = { .memory_size = TINY_MEMORY };
	uint8_t *memory = mmap(NULL, 2 * TINY_MEMORY, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	vm->mapping = memory;
	memory += -(uintptr_t)memory % TINY_MEMORY;
	memcpy(memory + TINY_ENTRY, tiny_code, sizeof(tiny_code));
	__builtin___clear_cache((char *)memory + TINY_ENTRY,
				(char *)memory + TINY_ENTRY + sizeof(tiny_code));
	vm->memory = memory;
	region.userspace_addr = (uintptr_t)memory;
	return ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region) ? -errno : 0;
}

static inline int tiny_add_vcpu(struct tiny_vm *vm, int kvm)
{
	int size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL);
	struct kvm_mp_state runnable = { KVM_MP_STATE_RUNNABLE };
	struct tiny_vcpu *vcpu = &vm->vcpu[vm->vcpus];

	vcpu->fd = ioctl(vm->fd, KVM_CREATE_VCPU, (unsigned long)vm->vcpus);
	if (size < 0 || vcpu->fd < 0)
		return -errno;
	vcpu->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd, 0);
	if (vcpu->run == MAP_FAILED)
		return -errno;
	vcpu->run_size = size;
	vm->vcpus++;
	if (vm->has_irqchip && ioctl(vcpu->fd, KVM_SET_MP_STATE, &runnable))
		return -errno;
	return tiny_set_up_vcpu(vm->fd, vcpu->fd, vcpu->run);
}

static inline void tiny_interrupted(int signal)
{
	(void)signal;
}

/* Without SA_RESTART, so that KVM_RUN fails with EINTR. */
static inline void tiny_catch_signal(void)
{
	struct sigaction action = { .sa_handler = tiny_interrupted };

	sigaction(SIGUSR1, &action, NULL);
}

/*
 * Creates a VM with @vcpus vCPUs, which tiny_start() starts. If @halts is set, vCPU 0 halts before
 * each exit, until tiny_wake(). Returns 0 or -errno. Catches SIGUSR1 in this process.
 */
static inline int tiny_create(struct tiny_vm *vm, int vcpus, bool halts)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int err;

	memset(vm, 0, sizeof(*vm));
	if (kvm < 0)
		return -errno;
	tiny_catch_signal();
	vm->fd = ioctl(kvm, KVM_CREATE_VM, 0UL);
	err = vm->fd < 0 ? -errno : tiny_add_memory(vm);
	vm->has_irqchip = halts && !err;
	if (vm->has_irqchip && ioctl(vm->fd, KVM_CREATE_IRQCHIP, NULL))
		err = -errno;
	while (!err && vm->vcpus < vcpus)
		err = tiny_add_vcpu(vm, kvm);
	if (!err && halts)
		err = tiny_set_up_halts(vm->vcpu[0].fd, vm->memory);
	close(kvm);
	return err;
}

/* Returns whether the guest exited as expected. Reports what else ends KVM_RUN, except a stop. */
static inline bool tiny_exits(struct tiny_vcpu *vcpu)
{
	/* SIGSTOP and the freezer interrupt it, too. */
	while (ioctl(vcpu->fd, KVM_RUN, NULL)) {
		if (errno == EINTR && !atomic_load(&vcpu->stop))
			continue;
		if (errno != EINTR)
			perror("# tiny_vmm: KVM_RUN");
		return false;
	}
	if (vcpu->run->exit_reason != TINY_EXIT)
		fprintf(stderr, "# tiny_vmm: KVM_RUN ended with exit reason %u instead of %u\n",
			vcpu->run->exit_reason, TINY_EXIT);
	return vcpu->run->exit_reason == TINY_EXIT;
}

static inline void *tiny_run(void *arg)
{
	struct tiny_vcpu *vcpu = arg;

	while (!atomic_load(&vcpu->stop) && tiny_exits(vcpu)) {
		if (atomic_fetch_add(&vcpu->exits, 1) % TINY_BURST == TINY_BURST - 1)
			atomic_load(&tiny_pause)();
	}
	return NULL;
}

/* With this bound, a compiler sees that a loop stays in the array. */
static inline int tiny_vcpus(const struct tiny_vm *vm)
{
	return vm->vcpus < TINY_MAX_VCPUS ? vm->vcpus : TINY_MAX_VCPUS;
}

/* The threads have the names that QEMU gives them. */
static inline void tiny_start(struct tiny_vm *vm)
{
	char name[24];
	int i;

	for (i = 0; i < tiny_vcpus(vm); i++) {
		atomic_store(&vm->vcpu[i].stop, false);
		vm->vcpu[i].run->immediate_exit = 0;
		pthread_create(&vm->vcpu[i].thread, NULL, tiny_run, &vm->vcpu[i]);
		snprintf(name, sizeof(name), "CPU %d/KVM", i);
		pthread_setname_np(vm->vcpu[i].thread, name);
	}
}

/* Waits until each vCPU has exited @exits times. Returns false after one minute. */
static inline bool tiny_wait(struct tiny_vm *vm, unsigned long exits)
{
	int polls = 6000;
	int i = 0;

	while (i < vm->vcpus && polls) {
		if (atomic_load(&vm->vcpu[i].exits) >= exits) {
			i++;
		} else {
			usleep(10000);
			polls--;
		}
	}
	return i == vm->vcpus;
}

/* Stops all vCPU threads, also one whose guest does not exit. After that no statistic changes. */
static inline void tiny_stop(struct tiny_vm *vm)
{
	int i;

	for (i = 0; i < tiny_vcpus(vm); i++) {
		atomic_store(&vm->vcpu[i].stop, true);
		vm->vcpu[i].run->immediate_exit = 1;
		pthread_kill(vm->vcpu[i].thread, SIGUSR1);
	}
	for (i = 0; i < tiny_vcpus(vm); i++)
		pthread_join(vm->vcpu[i].thread, NULL);
}

/* Its vCPUs are stopped. */
static inline void tiny_close(struct tiny_vm *vm)
{
	int i;

	for (i = 0; i < tiny_vcpus(vm); i++) {
		munmap(vm->vcpu[i].run, vm->vcpu[i].run_size);
		close(vm->vcpu[i].fd);
	}
	munmap(vm->mapping, 2 * TINY_MEMORY);
	close(vm->fd);
}

#endif /* TINY_VMM_H */
