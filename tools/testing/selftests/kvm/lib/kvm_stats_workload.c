// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <linux/compiler.h>

#include "kvm_stats_workload.h"

/* The guest */

/* Written by the VMM. */
static uint64_t guest_work;

static uint64_t guest_spins;
static uint64_t guest_waits;

/* Interrupts are disabled, so the vCPU waits for ever. */
static void guest_wait_once(void)
{
#ifdef __x86_64__
	asm volatile("hlt" : : : "memory");
#else
	asm volatile("wfi" : : : "memory");
#endif
}

static void guest_main(void)
{
	for (;;) {
		while (READ_ONCE(guest_work) == GUEST_SPIN)
			WRITE_ONCE(guest_spins, guest_spins + 1);
		while (READ_ONCE(guest_work) == GUEST_WAIT) {
			WRITE_ONCE(guest_waits, guest_waits + 1);
			guest_wait_once();
		}
		GUEST_DONE();
	}
}

struct kvm_vm *stats_create_vm(void)
{
	struct kvm_vm *vm = vm_create_default(IDLE_VCPU_ID, 0, guest_main);

	vm_vcpu_add_default(vm, VCPU_ID, guest_main);
	ucall_init(vm, NULL);
	return vm;
}

static void set_work(struct kvm_vm *vm, unsigned int work)
{
	WRITE_ONCE(*stats_in_guest(vm, guest_work), work);
}

void stats_run_once(struct kvm_vm *vm)
{
	struct ucall uc;

	set_work(vm, GUEST_EXIT);
	do
		vcpu_run(vm, VCPU_ID);
	while (get_ucall(vm, VCPU_ID, &uc) != UCALL_DONE);
}

/* A busy vCPU */

struct runner {
	struct kvm_vm *vm;
	pid_t tid;
};

static void *run_forever(void *arg)
{
	struct runner *runner = arg;

	WRITE_ONCE(runner->tid, syscall(SYS_gettid));
	_vcpu_run(runner->vm, VCPU_ID);
	return NULL;
}

/* Does the thread sleep for a while, rather than between two instructions? */
static bool vcpu_waits(struct runner *runner)
{
	int i;

	if (!READ_ONCE(*stats_in_guest(runner->vm, guest_waits)))
		return false;
	for (i = 0; i < 10; i++) {
		if (!stats_thread_sleeps(READ_ONCE(runner->tid)))
			return false;
		usleep(2000);
	}
	return true;
}

static bool vcpu_spins(struct runner *runner)
{
	uint64_t *spins = stats_in_guest(runner->vm, guest_spins);
	uint64_t before = READ_ONCE(*spins);

	usleep(2000);
	return READ_ONCE(*spins) != before;
}

const char *stats_keep_busy(struct kvm_vm *vm, unsigned int work)
{
	static struct runner runner;
	pthread_t thread;

	runner.vm = vm;
	set_work(vm, work);
	if (pthread_create(&thread, NULL, run_forever, &runner))
		return stats_fail("cannot create a thread");
	stats_must_end_in(20, "the vCPU spins or blocks");
	if (work == GUEST_SPIN) {
		while (!vcpu_spins(&runner))
			;
	} else {
		while (!vcpu_waits(&runner))
			usleep(1000);
	}
	stats_must_end_in(0, "");
	return NULL;
}
