// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest exits a known number of times. Each exit counts in its class, and so does its time: until
 * KVM_RUN returns, and until the next entry. The statistics of a class are exit_CLASS and
 * exit_CLASS_ns.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "exit_stats/checks.h"

static bool is_of_class(const struct kvm_stats_desc *desc, bool is_time)
{
	size_t len = strlen(desc->name);

	return !strncmp(desc->name, "exit_", 5) && desc->size == 1 &&
	       (strcmp(desc->name + len - 3, "_ns") == 0) == is_time;
}

static uint64_t sum(const struct stats_file *stats, bool of_times)
{
	const struct kvm_stats_desc *desc;
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(stats, i)); i++) {
		if (is_of_class(desc, of_times))
			total += value_at(stats, desc, 0);
	}
	return total;
}

uint64_t classes_count(const struct outcome *outcome)
{
	return sum(&outcome->after, false) - sum(&outcome->before, false);
}

uint64_t classes_ns(const struct outcome *outcome)
{
	return sum(&outcome->after, true) - sum(&outcome->before, true);
}

void expect_growth(const struct outcome *outcome, const char *name)
{
	if (!change_of(outcome, name))
		fail("%s does not grow", name);
}

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#define WARM_UP	3
#define TIMES	15
#define MAX_RUNS	50	/* in which a guest exits as expected */
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

/* The argument of most checks. */
struct exit {
	const char *class;
	instruction code[24 / sizeof(instruction)];
	size_t size;
	unsigned int count;	/* exits of the class in each execution */
	const char *same_as;	/* a statistic that grows as much, or NULL */
	void (*prepare)(void);	/* after the guest was created; can be NULL */
};

/* The VM with one vCPU that a check uses, and its statistics. */
static struct guest guest;
static struct outcome outcome;

/* Each architecture defines these, and class_checks. */
static void create(void);
static bool has_ended(void);	/* the appended code */
static bool is_completed(void);	/* the exit, by the next KVM_RUN */

/* Write an instruction that jumps to @back bytes before itself. Return its size. */
static size_t jump(instruction *code, size_t back);

static void create_with(uint32_t features)
{
	guest = (struct guest){ .features = features };
	must(guest_create(&guest));
}

static void create_for(const struct exit *exit)
{
	create();
	if (exit->prepare)
		exit->prepare();
}

/* An ioctl of the vCPU that must succeed. */
static void vcpu_ioctl(unsigned long request, void *arg, const char *name)
{
	if (ioctl(guest.vcpu, request, arg))
		fail("%s: %s", name, strerror(errno));
}

#define VCPU_IOCTL(name, arg)	vcpu_ioctl(name, arg, #name)

static void read_before(void)
{
	read_stats(guest.vcpu, &outcome.before);
}

static void read_after(void)
{
	read_stats(guest.vcpu, &outcome.after);
}

static void append(const void *code, size_t size, unsigned int times)
{
	struct guest_action action = { .code = code, .size = size };

	guest_append(&guest, &action, times);
	if (guest.end > CODE_LIMIT)
		fail("the code is too long");
}

static void append_exit(const struct exit *exit, unsigned int times)
{
	append(exit->code, exit->size, times);
}

/* KVM_RUN must end with this exit reason. */
static void run_to(unsigned int exit_reason)
{
	VCPU_IOCTL(KVM_RUN, NULL);
	if (guest.run->exit_reason != exit_reason)
		fail("KVM_RUN ends with exit reason %u", guest.run->exit_reason);
}

/* Runs to the end of the appended code. Each exit to user space before that is completed. */
static void run(void)
{
	do {
		VCPU_IOCTL(KVM_RUN, NULL);
		if (has_ended())
			return;
	} while (is_completed());
	fail("KVM_RUN ends with exit reason %u", guest.run->exit_reason);
}

/* ---- what the statistics must be ---- */

static uint64_t grown_by(const char *name)
{
	return change_of(&outcome, name);
}

static void expect(const char *name, uint64_t expected)
{
	expect_change(&outcome, name, expected);
}

static uint64_t time_of(const char *class)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_ns", class);
	return grown_by(name);
}

static void expect_time(const char *class)
{
	if (!time_of(class))
		fail("%s_ns did not grow", class);
}

static void only_exits_have_time(void)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(&outcome.after, i)); i++)
		if (is_of_class(desc, false) && !grown_by(desc->name) && time_of(desc->name))
			fail("%s_ns grew by %llu without an exit", desc->name,
			     (unsigned long long)time_of(desc->name));
}

/*
 * The histogram gets the time of an exit at the next entry, so it does not have the last exit, but
 * the one before the outcome.
 */
static void each_exit_has_a_sample(void)
{
	uint64_t exits = grown_by("exits"), count = counted(&outcome, "exit_hist");

	if (count != exits)
		fail("exit_hist grew by %llu, expected %llu", (unsigned long long)count,
		     (unsigned long long)exits);
}

/* Each sample takes at least the time with which its bucket begins. */
static void samples_are_short(void)
{
	const struct kvm_stats_desc *hist = find_desc(&outcome.after, "exit_hist");
	uint64_t least = 0, ns = sum(&outcome.after, true);
	unsigned int i;

	for (i = 1; i < hist->size; i++)
		least += value_at(&outcome.after, hist, i) << (i - 1);
	if (least > ns)
		fail("exit_hist has at least %llu ns, but the exits took %llu",
		     (unsigned long long)least, (unsigned long long)ns);
}

/* Has the statistic exits grown by as much as all classes together? */
static void sums_agree(void)
{
	uint64_t exits = grown_by("exits"), count = classes_count(&outcome);

	if (exits != count)
		fail("exits grew by %llu, all classes by %llu", (unsigned long long)exits,
		     (unsigned long long)count);
}

/*
 * Has @class grown by @expected, its time, too, and the time of no class without exits? Does
 * exit_hist have each exit? Both ends of the outcome are after an exit of the same class.
 */
static void expect_exits(const char *class, uint64_t expected)
{
	each_exit_has_a_sample();
	expect(class, expected);
	expect_time(class);
	only_exits_have_time();
	samples_are_short();
	sums_agree();
}

/* ---- the number of exits ---- */

/* Call @run WARM_UP times, and then measure TIMES calls. */
static void measure_calls(void (*run)(void))
{
	unsigned int i;

	for (i = 0; i < WARM_UP + TIMES; i++) {
		if (i == WARM_UP)
			read_before();
		run();
	}
	read_after();
}

/* Execute the code TIMES times. */
static void measure_in_guest(const struct exit *exit)
{
	append_exit(exit, WARM_UP);
	append_exit(exit, TIMES);
	run();
	read_before();
	run();
	read_after();
}

static void measure(const struct exit *exit)
{
	create_for(exit);
	measure_in_guest(exit);
}

static void grew_equally(const struct exit *exit)
{
	if (exit->same_as)
		expect(exit->same_as, grown_by(exit->class));
}

static void check_count(void)
{
	const struct exit *exit = current_check->arg;
	bool last = !strcmp(exit->class, END_CLASS);

	measure(exit);
	expect_exits(exit->class, TIMES * exit->count + last);
	if (!last)
		expect(END_CLASS, 1);
	grew_equally(exit);
}

/* ---- the time of an exit ---- */

/* Each call of KVM_RUN ends after an instruction, or after the exit that it causes. */
static void set_stepping(void)
{
	struct kvm_guest_debug debug = {
		.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_SINGLESTEP,
	};

	VCPU_IOCTL(KVM_SET_GUEST_DEBUG, &debug);
}

/*
 * Call KVM_RUN until an exit of the class, the first one, ends it. The time until KVM_RUN has
 * returned must have been added.
 */
static void time_counts_at_return(const char *class)
{
	unsigned int i = 0;

	read_before();
	do {
		ioctl(guest.vcpu, KVM_RUN, 0);
		read_after();
	} while (!grown_by(class) && ++i < MAX_RUNS);
	expect(class, 1);
	expect_time(class);
}

/*
 * The last exit was one of the class. Its time must grow by that until the next entry, which ends
 * with an exit of another class.
 */
static void time_counts_at_entry(const char *class)
{
	unsigned int i;

	if (is_host_file())
		return;
	for (i = 0; i < MAX_RUNS; i++) {
		/* Without an exit, KVM_RUN only completed the last one. */
		read_before();
		ioctl(guest.vcpu, KVM_RUN, 0);
		read_after();
		if (grown_by("exits") && !grown_by(class)) {
			expect_time(class);
			return;
		}
	}
	fail("there is no exit of another class than %s", class);
}

static void time_counts(const char *class)
{
	time_counts_at_return(class);
	time_counts_at_entry(class);
}

static void check_step(void)
{
	const struct exit *exit = current_check->arg;

	create_for(exit);
	/* The previous exit is of another class, and the code is mapped. */
	if (strcmp(exit->class, END_CLASS)) {
		append(NULL, 0, 1);
		run();
	}
	append_exit(exit, 1);
	set_stepping();
	time_counts(exit->class);
}

/* ---- a signal ends KVM_RUN ---- */

static timer_t create_timer(void)
{
	timer_t timer;

	catch_signal(SIGALRM);
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

static void end_halt(void)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_RUNNABLE };

	VCPU_IOCTL(KVM_SET_MP_STATE, &state);
}

/* A signal ends KVM_RUN, and the VMM ends a halt. */
static void run_until_signal(void)
{
	timer_t timer = start_signals(20000000);

	if (!ioctl(guest.vcpu, KVM_RUN, 0) || errno != EINTR)
		fail("KVM_RUN ends, but no signal has come");
	end_halt();
	timer_delete(timer);
}

/*
 * A signal ends the first exit of the class. It can come before the exit, and so can an interrupt
 * of the host.
 */
static void check_signal(void)
{
	const struct exit *exit = current_check->arg;
	timer_t timer;

	create_for(exit);
	append_exit(exit, 1);
	timer = start_signals(1000000);
	time_counts_at_return(exit->class);
	timer_delete(timer);
	end_halt();
	set_stepping();
	time_counts_at_entry(exit->class);
}

/* An endless loop that begins with the exit which has_ended() recognizes. */
static void append_loop(const struct exit *exit)
{
	instruction code[sizeof(exit->code) / sizeof(instruction) + 2];
	size_t begin = guest.end, size = exit->size;

	append(NULL, 0, 1);
	memcpy(code, exit->code, size);
	size += jump(code + size / sizeof(instruction), guest.end + size - begin);
	append(code, size, 1);
}

/* Call KVM_RUN once. Return whether it ended after one exit, which is of the class. */
static bool is_caught(timer_t timer, long ns, const char *class)
{
	struct itimerspec in = { .it_value = { 0, ns } };

	read_before();
	timer_settime(timer, 0, &in, NULL);
	ioctl(guest.vcpu, KVM_RUN, 0);
	read_after();
	return grown_by(class) == 1 && grown_by("exits") == 1;
}

/* Call KVM_RUN until a signal comes while KVM handles an exit of the class. */
static void check_caught(void)
{
	const struct exit *exit = current_check->arg;
	timer_t timer = create_timer();
	unsigned int i, runs;

	create_for(exit);
	append_loop(exit);
	run();
	for (i = 0; !is_caught(timer, 1000 * (1 + i % 300), exit->class); i++) {
		if (i == MAX_SIGNALS)
			fail("no signal comes while KVM handles an exit of %s", exit->class);
		for (runs = 0; runs < MAX_RUNS && !has_ended(); runs++)
			ioctl(guest.vcpu, KVM_RUN, 0);
	}
	expect_time(exit->class);
	time_counts_at_entry(exit->class);
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
