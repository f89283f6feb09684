// SPDX-License-Identifier: GPL-2.0-only
/* x86: a guest in real mode exits a known number of times. Each exit counts in its class. */
#if defined(__x86_64__) || defined(__i386__)
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "exit_stats/checks.h"

#define WARM_UP	3
#define TIMES	15

struct exit {
	const char *class;
	uint8_t code[24];
	size_t size;
	unsigned int count;	/* exits of the class in each execution */
};

static const struct exit io = { "exit_io", { 0xe6, 0x10 }, 2, 1 };	/* out %al, $0x10 */
static const struct exit cpuid = { "exit_cpuid", { 0x0f, 0xa2 }, 2, 1 };

static const struct exit msr_read = {
	"exit_msr_read", {
		0x66, 0xb9, 0x1b, 0x00, 0x00, 0x00,	/* mov $0x1b, %ecx: APIC_BASE */
		0x0f, 0x32,				/* rdmsr */
	}, 8, 1
};

/* SVM and VMX handle these exits in a fast path. */
static const struct exit msr_write = {
	"exit_msr_write", {
		0x66, 0xb9, 0xe0, 0x06, 0x00, 0x00,	/* mov $0x6e0, %ecx: TSC_DEADLINE */
		0x66, 0x31, 0xc0,			/* xor %eax, %eax */
		0x66, 0x31, 0xd2,			/* xor %edx, %edx */
		0x0f, 0x30,				/* wrmsr */
	}, 14, 1
};

static const struct exit hypercall = { "exit_hypercall", { 0x0f, 0x01, 0xd9 }, 3, 1 };
static const struct exit cache = { "exit_cache", { 0x0f, 0x09 }, 2, 1 };	/* wbinvd */

static const struct exit cr_access = {
	"exit_cr_access", {
		0x0f, 0x20, 0xe0,			/* mov %cr4, %eax */
		0x0f, 0x22, 0xe0,			/* mov %eax, %cr4 */
	}, 6, 2
};

static const struct exit mmio = {
	"exit_mmio", {
		0xb8, 0xff, 0xff,			/* mov $0xffff, %ax */
		0x8e, 0xd8,				/* mov %ax, %ds */
		0xa0, 0x10, 0x10,			/* mov 0x1010, %al: address 0x101000 */
	}, 8, 1
};

static bool append(struct guest *guest, const struct exit *exit, unsigned int times)
{
	struct guest_action action = { .code = exit->code, .size = exit->size };

	guest_append(guest, &action, times);
	return true;
}

/* Runs to the end of the appended code. Each exit to user space before that is completed. */
static bool run(struct guest *guest)
{
	do {
		if (ioctl(guest->vcpu, KVM_RUN, 0))
			return fail("KVM_RUN: %s", strerror(errno));
	} while (guest->run->exit_reason == KVM_EXIT_MMIO ||
		 (guest->run->exit_reason == KVM_EXIT_IO && guest->run->io.port == 0x10));
	return (guest->run->exit_reason == KVM_EXIT_IO && guest->run->io.port == 0x11) ||
	       fail("KVM_RUN ends with exit reason %u", guest->run->exit_reason);
}

/* The exit at the end of the code counts as I/O. */
static bool check(const struct exit *exit)
{
	static struct outcome outcome;
	uint64_t last = exit == &io;
	struct guest guest;
	bool ok = create_guest(&guest, 0) && append(&guest, exit, WARM_UP) &&
		  append(&guest, exit, TIMES) && run(&guest) &&
		  read_stats(guest.vcpu, &outcome.before) && run(&guest) &&
		  read_stats(guest.vcpu, &outcome.after) &&
		  expect_growth(&outcome, exit->class, TIMES * exit->count + last) &&
		  (last || expect_growth(&outcome, "exit_io", 1)) && sums_agree(&outcome);

	guest_destroy(&guest);
	return ok;
}

#define DEFINE_CHECK(exit)						\
	static bool check_##exit(void)					\
	{								\
		return check(&(exit));					\
	}

DEFINE_CHECK(io)
DEFINE_CHECK(cpuid)
DEFINE_CHECK(msr_read)
DEFINE_CHECK(msr_write)
DEFINE_CHECK(hypercall)
DEFINE_CHECK(cache)
DEFINE_CHECK(cr_access)
DEFINE_CHECK(mmio)

/* Each page is 32 KiB after the previous one, so that KVM does not map it in advance. */
static bool check_page_fault(void)
{
	static struct outcome outcome;
	struct guest guest;
	bool ok = create_guest(&guest, 0);
	unsigned int i;

	ok = ok && append(&guest, &cpuid, 1);
	for (i = 0; ok && i < TIMES; i++) {
		uint16_t segment = 0x1000 + i * 0x800;
		struct exit touch = {
			"", { 0xb8, segment, segment >> 8, 0x8e, 0xd8, 0xa0, 0, 0 }, 8, 0
		};
		uint8_t *page = guest.memory + segment * 16;

		*(volatile uint8_t *)page = 1;
		guest.end -= i ? 2 : 0;		/* overwrite the exit after the previous code */
		append(&guest, &touch, 1);
	}
	ok = ok && run(&guest) && read_stats(guest.vcpu, &outcome.before) && run(&guest) &&
	     read_stats(guest.vcpu, &outcome.after) &&
	     expect_growth(&outcome, "exit_page_fault", TIMES) && sums_agree(&outcome);
	guest_destroy(&guest);
	return ok;
}

static void on_signal(int sig)
{
	(void)sig;
}

/* A signal ends the halt, and the VMM makes the vCPU runnable again. */
static bool halt(struct guest *guest)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_RUNNABLE };

	if (!ioctl(guest->vcpu, KVM_RUN, 0) || errno != EINTR)
		return fail("KVM_RUN ends, but no signal has come");
	return !ioctl(guest->vcpu, KVM_SET_MP_STATE, &state) ||
	       fail("KVM_SET_MP_STATE: %s", strerror(errno));
}

static bool check_hlt(void)
{
	static const struct exit hlt = { "exit_hlt", { 0xf4 }, 1, 1 };
	struct itimerspec every = { { 0, 20000000 }, { 0, 20000000 } };
	struct sigaction action = { .sa_handler = on_signal };
	static struct outcome outcome;
	struct guest guest;
	timer_t timer;
	unsigned int i;
	bool ok = create_guest(&guest, 0) && append(&guest, &hlt, TIMES + 1);

	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &every, NULL);
	ok = ok && halt(&guest) && read_stats(guest.vcpu, &outcome.before);
	for (i = 0; i < TIMES; i++)
		ok = ok && halt(&guest);
	timer_delete(timer);
	ok = ok && read_stats(guest.vcpu, &outcome.after) &&
	     expect_growth(&outcome, hlt.class, TIMES) && sums_agree(&outcome);
	guest_destroy(&guest);
	return ok;
}

/* VMX does not exit for all of these, and some have another reason there. */
static const char *needs_svm(void)
{
	return access("/sys/module/kvm_amd", F_OK) ? "the host does not have SVM" : NULL;
}

const struct check class_checks[] = {
	{ "io", check_io },
	{ "cpuid", check_cpuid },
	{ "msr_read", check_msr_read },
	{ "msr_write", check_msr_write },
	{ "hypercall", check_hypercall, needs_svm },
	{ "cache", check_cache, needs_svm },
	{ "cr_access", check_cr_access, needs_svm },
	{ "mmio", check_mmio },
	{ "page_fault", check_page_fault },
	{ "hlt", check_hlt },
	{}
};
#elif !defined(__aarch64__)
#include "exit_stats/checks.h"

/* This architecture has no exit statistics. */
const struct check class_checks[] = { {} };
#endif
