// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wake a vCPU that halts.  Its thread has priority over the thread that counts, on the
 * same CPU.  Therefore, when KVM_SIGNAL_MSI returns, the vCPU has woken, handled the
 * interrupt and halted again, and its thread sleeps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define POLLING		"/sys/module/kvm/parameters/halt_poll_ns"
#define VECTOR		0x20
#define COUNTER		0x500	/* address in guest memory */
#define HANDLER		(GUEST_CODE + 22)
#define POLL_NS		200000	/* the default on x86 */

static const uint8_t halt_forever[] = {
	0x66, 0xb9, 0x0f, 0x08, 0x00, 0x00,	/* mov $0x80f,%ecx	enable the APIC */
	0x66, 0xb8, 0xff, 0x01, 0x00, 0x00,	/* mov $0x1ff,%eax */
	0x66, 0x31, 0xd2,			/* xor %edx,%edx */
	0x0f, 0x30,				/* wrmsr */
	0xfb,					/* sti */
	0xf4,					/* hlt */
	0xeb, 0xfc,				/* jmp to sti */
	0x90,
	/* HANDLER */
	0xff, 0x06, COUNTER & 0xff, COUNTER >> 8,	/* incw COUNTER */
	0x66, 0xb9, 0x0b, 0x08, 0x00, 0x00,	/* mov $0x80b,%ecx	end of interrupt */
	0x66, 0x31, 0xc0,			/* xor %eax,%eax */
	0x66, 0x31, 0xd2,			/* xor %edx,%edx */
	0x0f, 0x30,				/* wrmsr */
	0xcf,					/* iret */
};

struct halting {
	struct guest guest;
	pthread_t thread;
	pid_t tid;
	uint64_t interrupts;	/* that were sent */
};

static void on_signal(int sig)
{
	(void)sig;
}

static void *run_vcpu(void *arg)
{
	struct halting *halting = arg;

	__atomic_store_n(&halting->tid, gettid(), __ATOMIC_RELEASE);
	while (guest_run(&halting->guest) != -EINTR)
		;
	return NULL;
}

static long wake(void *arg)
{
	struct halting *halting = arg;
	struct kvm_msi msi = { .address_lo = 0xfee00000, .data = VECTOR };

	return kernel_call(SYS_ioctl, halting->guest.vm, KVM_SIGNAL_MSI, (long)&msi, 0, 0, 0);
}

static void count_interrupt(void *arg, long result)
{
	struct halting *halting = arg;

	halting->interrupts += result > 0;
}

static uint64_t count_sleeps(const struct halting *halting)
{
	char path[64], line[128];
	unsigned long sleeps = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", halting->tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &sleeps) == 1)
			break;
	if (file)
		fclose(file);
	return sleeps;
}

static uint16_t interrupts_handled(const struct halting *halting)
{
	return *(volatile uint16_t *)(halting->guest.memory + COUNTER);
}

static bool set_priority(pthread_t thread, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	int error = pthread_setschedparam(thread, SCHED_FIFO, &param);

	if (error)
		set_why("SCHED_FIFO: %s", strerror(error));
	return !error;
}

static bool stay_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus);
}

static bool start(struct halting *halting)
{
	const struct sigaction action = { .sa_handler = on_signal };
	uint16_t handler = HANDLER;

	if (!guest_create(&halting->guest, WITH_X2APIC, halt_forever, sizeof(halt_forever)))
		return false;
	memcpy(halting->guest.memory + VECTOR * 4, &handler, sizeof(handler));
	sigaction(SIGUSR1, &action, NULL);
	if (!stay_on_one_cpu() || pthread_create(&halting->thread, NULL, run_vcpu, halting)) {
		set_why("cannot create a thread: %s", strerror(errno));
		return false;
	}
	if (!set_priority(pthread_self(), 1) || !set_priority(halting->thread, 2))
		return false;
	while (!__atomic_load_n(&halting->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	return true;
}

static void stop(struct halting *halting)
{
	pthread_kill(halting->thread, SIGUSR1);
	pthread_join(halting->thread, NULL);
	guest_destroy(&halting->guest);
}

/* Did the guest handle every interrupt, and did the thread sleep after each of them? */
static bool slept_after_each(const struct halting *halting, uint16_t handled, uint64_t slept)
{
	if (handled == (uint16_t)halting->interrupts && slept == halting->interrupts)
		return true;
	set_why("%llu interrupts, %u handled, %llu sleeps", (unsigned long long)halting->interrupts,
		handled, (unsigned long long)slept);
	return false;
}

static void row_halt(const char *name)
{
	static struct halting halting;
	uint64_t slept;
	uint16_t handled;
	double count;

	halting = (struct halting) {};
	if (!start(&halting)) {
		row_failed(name);
		return;
	}
	slept = count_sleeps(&halting);
	handled = interrupts_handled(&halting);
	count = count_op(&(struct bench_op) {
		.run = wake, .after = count_interrupt, .arg = &halting, .result = 1,
	});
	handled = interrupts_handled(&halting) - handled;
	slept = count_sleeps(&halting) - slept;
	if (count > 0 && slept_after_each(&halting, handled, slept))
		row_value(name, count);
	else
		row_failed(name);
	stop(&halting);
}

static bool set_polling(unsigned int ns)
{
	FILE *file = fopen(POLLING, "w");
	bool ok = file && fprintf(file, "%u\n", ns) > 0;

	if (file)
		ok = !fclose(file) && ok;
	if (!ok)
		set_why("%s: %s", POLLING, strerror(errno));
	return ok;
}

static void run(void)
{
	if (set_polling(POLL_NS))
		row_halt("halt_poll");
	else
		row_failed("halt_poll");
	if (set_polling(0))
		row_halt("halt_sleep");
	else
		row_failed("halt_sleep");
}

const struct bench_group group_halt = { .run = run, .rows = "halt_poll halt_sleep" };
