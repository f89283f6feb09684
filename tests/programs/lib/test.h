/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the test programs share: failures, the features of the kernel, time, random numbers.
 *
 * A check ends at its first failure, in whatever function this is. So functions return what they
 * find, and not whether they succeed.
 */
#ifndef GUEST_TEST_H
#define GUEST_TEST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* The message of the last failure. Processes that this one starts share it. */
extern char *failure;

/* Ends what passes() calls in this thread, or the process, which is that of one check. */
void fail(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2), __noreturn__));

/* Fails if @message, which functions of the KVM selftests return, is not NULL. */
void must(const char *message);

/* Calls @run, and returns whether it did not fail. */
bool passes(void (*run)(const void *arg), const void *arg);

/* A table of checks ends with one without a name. */
struct check {
	const char *name;
	void (*run)(void);
	const char *(*skip)(void);	/* returns why the check cannot run, or NULL */
	const void *arg;		/* for @run */
	/*
	 * How often a check that fails runs at most; 0 means once. The CPUs of an emulated machine
	 * are threads, which wait for each other on a busy build host, and threads lose their CPU
	 * at any moment. A defect of the kernel fails each time.
	 */
	unsigned int attempts;
};

/* The check that this process runs. */
extern const struct check *current_check;

/* ---- features of the running kernel ---- */

#define NO_STATS_OPEN	"this kernel does not have KVM_STATS_OPEN and KVM_STATS_NEXT"
#define NO_EXIT_STATS	"this kernel does not have exit statistics"

/* Only the series 5.10-extensions adds KVM_STATS_OPEN and KVM_STATS_NEXT. */
bool kernel_has_stats_open(void);

/* The parameter kvm.exit_stats switches the exit statistics of all vCPUs on and off. */
bool kernel_has_exit_stats(void);
bool exit_stats_are_enabled(void);

/* Returns false, and sets errno, if the parameter cannot be set. */
bool exit_stats_enable(bool enable);

/* ---- the monotonic clock ---- */

static inline long long ns_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static inline long long ms_now(void)
{
	return ns_now() / 1000000;
}

static inline void ms_sleep(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* From now on, the signal has no effect but that it ends a system call of this process. */
void catch_signal(int sig);

/* Lets a thread run only on this CPU. Does nothing if the machine does not have it. */
void pin(pthread_t thread, int cpu);

/* ---- random numbers that a seed reproduces, and settings from the environment ---- */

/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Returns the number in the environment variable @name, or @preset if it is not set. */
static inline uint64_t setting(const char *name, uint64_t preset)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : preset;
}

/* Returns the seed in the environment variable @name, or a new one if it is not set. */
static inline uint64_t random_seed(const char *name)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return setting(name, (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

#endif /* GUEST_TEST_H */
