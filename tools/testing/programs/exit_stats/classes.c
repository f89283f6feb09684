// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest exits a known number of times. Each exit counts in its class, and so does its time: until
 * KVM_RUN returns, and until the next entry.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "exit_stats/checks.h"

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#define WARM_UP	3
#define TIMES	15
#define MAX_RUNS	50	/* in which a guest exits as expected */
#define MAX_ATTEMPTS	20
#define MAX_SIGNALS	3000	/* one of which comes while KVM handles an exit */

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
	bool (*prepare)(struct guest *guest);	/* after it was created; can be NULL */
};

#define DEFINE_CHECK(function, exit)					\
	static bool function##_##exit(void)				\
	{								\
		return function(&(exit));				\
	}

/* Each architecture defines these, and class_checks. */
static bool create(struct guest *guest);
static bool has_ended(const struct kvm_run *run);	/* the appended code */
static bool is_completed(const struct kvm_run *run);	/* by the next KVM_RUN */

/* Write an instruction that jumps to @back bytes before itself. Return its size. */
static size_t jump(instruction *code, size_t back);

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

static bool create_for(struct guest *guest, const struct exit *exit)
{
	return create(guest) && (!exit->prepare || exit->prepare(guest));
}

static bool measure(const struct exit *exit, struct outcome *outcome)
{
	struct guest guest;
	bool ok = create_for(&guest, exit) && measure_in(&guest, exit, outcome);

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
	       expect_exits(&outcome, exit->class, TIMES * exit->count + last) &&
	       (last || expect_growth(&outcome, END_CLASS, 1)) && grew_equally(&outcome, exit);
}

/* ---- the time of an exit ---- */

/* Each call of KVM_RUN ends after an instruction, or after the exit that it causes. */
static bool set_stepping(struct guest *guest)
{
	struct kvm_guest_debug debug = {
		.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_SINGLESTEP,
	};

	return !ioctl(guest->vcpu, KVM_SET_GUEST_DEBUG, &debug) ||
	       fail("KVM_SET_GUEST_DEBUG: %s", strerror(errno));
}

/*
 * Call KVM_RUN until an exit of the class, the first one, ends it. The time until KVM_RUN has
 * returned must have been added.
 */
static bool time_counts_at_return(struct guest *guest, const char *class)
{
	static struct outcome outcome;
	uint64_t by = 0;
	unsigned int i;

	if (!read_stats(guest->vcpu, &outcome.before))
		return false;
	for (i = 0; i < MAX_RUNS && !by; i++) {
		ioctl(guest->vcpu, KVM_RUN, 0);
		if (!read_stats(guest->vcpu, &outcome.after) || !change_of(&outcome, class, &by))
			return false;
	}
	return expect_growth(&outcome, class, 1) && expect_time(&outcome, class);
}

/*
 * The last exit was one of the class. Its time must grow by that until the next entry, which ends
 * with an exit of another class.
 */
static bool time_counts_at_entry(struct guest *guest, const char *class)
{
	static struct outcome outcome;
	uint64_t exits, by;
	unsigned int i;

	for (i = 0; i < MAX_RUNS; i++) {
		/* Without an exit, KVM_RUN only completed the last one. */
		if (!read_stats(guest->vcpu, &outcome.before))
			return false;
		ioctl(guest->vcpu, KVM_RUN, 0);
		if (!read_stats(guest->vcpu, &outcome.after) ||
		    !change_of(&outcome, class, &by) || !change_of(&outcome, "exits", &exits))
			return false;
		if (exits && !by)
			return expect_time(&outcome, class);
	}
	return fail("there is no exit of another class than %s", class);
}

static bool time_counts(struct guest *guest, const char *class)
{
	return time_counts_at_return(guest, class) && time_counts_at_entry(guest, class);
}

static bool check_step(const struct exit *exit)
{
	struct guest guest;
	bool ok = create_for(&guest, exit);

	/* The previous exit is of another class, and the code is mapped. */
	if (strcmp(exit->class, END_CLASS))
		ok = ok && append(&guest, NULL, 0, 1) && run(&guest);
	ok = ok && append(&guest, exit->code, exit->size, 1) && set_stepping(&guest) &&
	     time_counts(&guest, exit->class);
	guest_destroy(&guest);
	return ok;
}

/* ---- a signal ends KVM_RUN ---- */

static void on_signal(int sig)
{
	(void)sig;
}

static timer_t create_timer(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	timer_t timer;

	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	return timer;
}

static timer_t start_signals(long ns)
{
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer = create_timer();

	timer_settime(timer, 0, &every, NULL);
	return timer;
}

static bool end_halt(struct guest *guest)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_RUNNABLE };

	return !ioctl(guest->vcpu, KVM_SET_MP_STATE, &state) ||
	       fail("KVM_SET_MP_STATE: %s", strerror(errno));
}

/* Call KVM_RUN as often as @times says. A signal ends each call, and the VMM ends a halt. */
static bool run_until_signal(struct guest *guest, unsigned int times)
{
	timer_t timer = start_signals(20000000);
	bool ok = true;

	while (ok && times--) {
		ok = (ioctl(guest->vcpu, KVM_RUN, 0) && errno == EINTR) ||
		     fail("KVM_RUN ends, but no signal has come");
		ok = ok && end_halt(guest);
	}
	timer_delete(timer);
	return ok;
}

/* A signal ends the first exit of the class. It can come before the exit. */
static bool time_counts_at_signal(struct guest *guest, const char *class)
{
	timer_t timer = start_signals(1000000);
	bool ok = time_counts_at_return(guest, class);

	timer_delete(timer);
	return ok && end_halt(guest) && set_stepping(guest) &&
	       time_counts_at_entry(guest, class);
}

/* An interrupt of the host can come before that of the timer, so try several times. */
static bool check_signal(const struct exit *exit)
{
	struct guest guest;
	unsigned int i;
	bool ok = false;

	for (i = 0; i < MAX_ATTEMPTS && !ok; i++) {
		ok = create_for(&guest, exit) && append(&guest, exit->code, exit->size, 1) &&
		     time_counts_at_signal(&guest, exit->class);
		guest_destroy(&guest);
	}
	return ok;
}

/* An endless loop that begins with the exit which has_ended() recognizes. */
static bool append_loop(struct guest *guest, const struct exit *exit)
{
	instruction code[sizeof(exit->code) / sizeof(instruction) + 2];
	size_t begin = guest->end, size = exit->size;

	if (!append(guest, NULL, 0, 1))
		return false;
	memcpy(code, exit->code, size);
	size += jump(code + size / sizeof(instruction), guest->end + size - begin);
	return append(guest, code, size, 1);
}

/* Call KVM_RUN once. Store whether it ended after one exit, which is of the class. */
static bool catch(struct guest *guest, timer_t timer, long ns, const char *class,
		  struct outcome *outcome, bool *caught)
{
	struct itimerspec in = { .it_value = { 0, ns } };
	uint64_t by, exits;

	if (!read_stats(guest->vcpu, &outcome->before))
		return false;
	timer_settime(timer, 0, &in, NULL);
	ioctl(guest->vcpu, KVM_RUN, 0);
	if (!read_stats(guest->vcpu, &outcome->after) || !change_of(outcome, class, &by) ||
	    !change_of(outcome, "exits", &exits))
		return false;
	*caught = by == 1 && exits == 1;
	return true;
}

/* Call KVM_RUN until a signal comes while KVM handles an exit of the class. */
static bool time_counts_when_caught(struct guest *guest, const char *class)
{
	static struct outcome outcome;
	timer_t timer = create_timer();
	bool ok = true, caught = false;
	unsigned int i, run;

	for (i = 0; ok && !caught && i < MAX_SIGNALS; i++) {
		ok = catch(guest, timer, 1000 * (1 + i % 300), class, &outcome, &caught);
		for (run = 0; run < MAX_RUNS && !caught && !has_ended(guest->run); run++)
			ioctl(guest->vcpu, KVM_RUN, 0);
	}
	timer_delete(timer);
	if (ok && !caught)
		return fail("no signal comes while KVM handles an exit of %s", class);
	return ok && expect_time(&outcome, class) && time_counts_at_entry(guest, class);
}

static bool check_caught(const struct exit *exit)
{
	struct guest guest;
	bool ok = create_for(&guest, exit) && append_loop(&guest, exit) && run(&guest) &&
		  time_counts_when_caught(&guest, exit->class);

	guest_destroy(&guest);
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
const struct check class_time_checks[] = { {} };
#endif
