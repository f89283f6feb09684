// SPDX-License-Identifier: GPL-2.0-only
/* A guest exits a known number of times. Each exit counts in its class. */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

#include "exit_stats/checks.h"

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#define WARM_UP	3
#define TIMES	15

/* END_CLASS is that of the exit at the end of the code. */
#ifdef __aarch64__
typedef uint32_t instruction;
#define END_CLASS	"exit_mmio"
#define CODE_LIMIT	0x200	/* VECTOR */
#else
typedef uint8_t instruction;
#define END_CLASS	"exit_io"
#define CODE_LIMIT	0x10000	/* other pages, see check_page_fault() */
#endif

struct exit {
	const char *class;
	instruction code[24 / sizeof(instruction)];
	size_t size;
	unsigned int count;	/* exits of the class in each execution */
	const char *same_as;	/* a statistic that grows as much, or NULL */
};

#define DEFINE_CHECK(exit)						\
	static bool check_##exit(void)					\
	{								\
		return check(&(exit));					\
	}

/* Each architecture defines these, and class_checks. */
static bool create(struct guest *guest);
static bool has_ended(const struct kvm_run *run);	/* the appended code */
static bool is_completed(const struct kvm_run *run);	/* by the next KVM_RUN */

static bool append(struct guest *guest, const void *code, size_t size, unsigned int times)
{
	struct guest_action action = { .code = code, .size = size };

	guest_append(guest, &action, times);
	return guest->end <= CODE_LIMIT || fail("the code is too long");
}

/* Runs to the end of the appended code. Each exit to user space before that is completed. */
static bool run(struct guest *guest)
{
	do {
		if (ioctl(guest->vcpu, KVM_RUN, 0))
			return fail("KVM_RUN: %s", strerror(errno));
		if (has_ended(guest->run))
			return true;
	} while (is_completed(guest->run));
	return fail("KVM_RUN ends with exit reason %u", guest->run->exit_reason);
}

/* Execute the code TIMES times. */
static bool measure_in(struct guest *guest, const struct exit *exit, struct outcome *outcome)
{
	return append(guest, exit->code, exit->size, WARM_UP) &&
	       append(guest, exit->code, exit->size, TIMES) && run(guest) &&
	       read_stats(guest->vcpu, &outcome->before) && run(guest) &&
	       read_stats(guest->vcpu, &outcome->after);
}

static bool measure(const struct exit *exit, struct outcome *outcome)
{
	struct guest guest;
	bool ok = create(&guest) && measure_in(&guest, exit, outcome);

	guest_destroy(&guest);
	return ok;
}

static bool grew_equally(const struct outcome *outcome, const struct exit *exit)
{
	uint64_t by;

	return !exit->same_as || (change_of(outcome, exit->class, &by) &&
				  expect_growth(outcome, exit->same_as, by));
}

static bool check(const struct exit *exit)
{
	static struct outcome outcome;
	bool last = !strcmp(exit->class, END_CLASS);

	return measure(exit, &outcome) &&
	       expect_growth(&outcome, exit->class, TIMES * exit->count + last) &&
	       (last || expect_growth(&outcome, END_CLASS, 1)) &&
	       expect_time(&outcome, exit->class) && grew_equally(&outcome, exit) &&
	       sums_agree(&outcome);
}

static void on_signal(int sig)
{
	(void)sig;
}

/* Call KVM_RUN as often as @times says. A signal ends each call, and the VMM ends a halt. */
static bool run_until_signal(struct guest *guest, unsigned int times)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_RUNNABLE };
	struct itimerspec every = { { 0, 20000000 }, { 0, 20000000 } };
	struct sigaction action = { .sa_handler = on_signal };
	bool ok = true;
	timer_t timer;

	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &every, NULL);
	while (ok && times--) {
		ok = (ioctl(guest->vcpu, KVM_RUN, 0) && errno == EINTR) ||
		     fail("KVM_RUN ends, but no signal has come");
		ok = ok && (!ioctl(guest->vcpu, KVM_SET_MP_STATE, &state) ||
			    fail("KVM_SET_MP_STATE: %s", strerror(errno)));
	}
	timer_delete(timer);
	return ok;
}
#endif

#ifdef __aarch64__
#include "exit_stats/arm64.h"
#elif defined(__x86_64__) || defined(__i386__)
#include "exit_stats/x86.h"
#else
/* This architecture has no exit statistics. */
const struct check class_checks[] = { {} };
#endif
