// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads create and destroy VMs and vCPUs, and open, read, seek, duplicate and close
 * statistics fds at random, also those of KVM_STATS_OPEN and KVM_STATS_NEXT. They share the
 * fds, and guests run at the same time. races/races.h lists the invariants that must hold.
 *
 * RACES_COUNT is the number of operations of each thread. RACES_SEED reproduces the
 * operations of each thread, but not the order in which the threads run.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "lib/extensions.h"
#include "races/races.h"
#include "tap.h"
#include "vcpu/guest.h"

#define DEFAULT_COUNT	5000
#define NUM_RACERS	4
#define NUM_GUESTS	2
#define GUEST_RUNS	500	/* of one guest, before it is destroyed */
#define TIME_LIMIT	60	/* seconds, for a single operation */
#define CHECKS_PER_SECOND	50	/* of the progress of each thread */

static const char *const invariants[] = {
	[CONSTANTS_NEVER_CHANGE] = "header_and_descriptors_never_change",
	[IDS_ARE_RIGHT] = "ids_are_right",
	[SIZES_ARE_RIGHT] = "reads_and_seeks_have_the_right_sizes",
	[COUNTERS_NEVER_FALL] = "counters_never_fall",
	[ERRORS_ARE_RIGHT] = "errors_are_right",
};

static struct {
	pthread_mutex_t lock;
	unsigned long times;
	char first[300];
} violations[NUM_INVARIANTS];

static struct racer racers[NUM_RACERS];
static struct progress guests[NUM_GUESTS];
static unsigned long count;
static atomic_uint racing = NUM_RACERS;
static atomic_ulong guest_runs;

void violation(enum invariant invariant, const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&violations[invariant].lock);
	if (!violations[invariant].times++) {
		va_start(args, fmt);
		vsnprintf(violations[invariant].first, sizeof(violations[0].first), fmt,
			  args);
		va_end(args);
	}
	pthread_mutex_unlock(&violations[invariant].lock);
}

static void *race(void *arg)
{
	struct racer *racer = arg;
	unsigned int i;

	while (atomic_load(&racer->progress.done) < count)
		run_operation(racer);
	atomic_store(&racer->progress.doing, "close");
	for (i = 0; i < RACES_HELD; i++)
		held_close(&racer->held[i]);
	atomic_fetch_sub(&racing, 1);
	atomic_store(&racer->progress.ended, true);
	return NULL;
}

static const char *run_guest(struct guest *guest, struct progress *progress)
{
	const struct guest_action *action = guest_next_action(guest, NULL);
	const char *message = NULL;
	unsigned int i;

	for (i = 0; i < GUEST_RUNS && !message && atomic_load(&racing); i++) {
		message = guest_run(guest, action, 1);
		atomic_fetch_add(&guest_runs, !message);
		atomic_fetch_add(&progress->done, 1);
	}
	return message;
}

static const char *guest_life(struct progress *progress)
{
	struct guest guest = {};
	const struct guest_action *action;
	const char *message;

	atomic_store(&progress->doing, "create a guest");
	message = guest_create(&guest);
	if (message)
		return message;
	action = guest_next_action(&guest, NULL);
	if (action->prepare)
		message = action->prepare(&guest);
	guest_append(&guest, action, GUEST_RUNS);
	publish_guest(guest.vm, guest.vcpu);
	atomic_store(&progress->doing, "run a guest");
	if (!message)
		message = run_guest(&guest, progress);
	atomic_store(&progress->doing, "destroy a guest");
	guest_destroy(&guest);
	return message;
}

/* Runs one guest after the other while any racer runs. */
static void *run_guests(void *arg)
{
	struct progress *progress = arg;
	const char *message = NULL;

	while (atomic_load(&racing) && !message) {
		message = guest_life(progress);
		atomic_fetch_add(&progress->done, 1);
	}
	if (message)
		violation(ERRORS_ARE_RIGHT, "guest: %s", message);
	atomic_store(&progress->ended, true);
	return NULL;
}

/* Can guests run? An action that user space executes does not race with other threads. */
static bool have_guests(void)
{
	const struct guest_action *action = NULL;
	struct guest guest = {};

	if (guest_create(&guest))
		return false;
	action = guest_next_action(&guest, NULL);
	guest_destroy(&guest);
	return action && !action->from_user_space;
}

/* Counts the directory entries with names that begin with @start. */
static unsigned int count_names(const char *path, const char *start)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned int names = 0;

	while (dir && (entry = readdir(dir)))
		names += !strncmp(entry->d_name, start, strlen(start));
	if (dir)
		closedir(dir);
	return names;
}

static unsigned int count_fds(void)
{
	return count_names("/proc/self/fd", "");
}

/* Exits, because a thread that hangs waits for a lock in the kernel. */
static void give_up(const struct progress *progress)
{
	printf("Bail out! a thread hangs for %d seconds: %s, after %lu operations\n",
	       TIME_LIMIT, atomic_load(&progress->doing), atomic_load(&progress->done));
	fflush(stdout);
	_exit(1);
}

static bool has_ended(struct progress *progress)
{
	unsigned long now = atomic_load(&progress->done);

	if (atomic_load(&progress->ended))
		return true;
	progress->unchanged = now == progress->seen ? progress->unchanged + 1 : 0;
	progress->seen = now;
	if (progress->unchanged > TIME_LIMIT * CHECKS_PER_SECOND)
		give_up(progress);
	return false;
}

/* Waits until all threads have ended. */
static void wait_for_threads(bool with_guests)
{
	bool all_ended;
	unsigned int i;

	do {
		usleep(1000000 / CHECKS_PER_SECOND);
		all_ended = true;
		for (i = 0; i < NUM_RACERS; i++)
			all_ended &= has_ended(&racers[i].progress);
		for (i = 0; with_guests && i < NUM_GUESTS; i++)
			all_ended &= has_ended(&guests[i]);
	} while (!all_ended);
}

static void start(bool with_guests, uint64_t seed)
{
	unsigned int i, j;

	for (i = 0; i < NUM_RACERS; i++) {
		racers[i].random = seed + i;
		racers[i].random = random_next(&racers[i].random);
		racers[i].buf = malloc(models_largest());
		for (j = 0; j < RACES_HELD; j++)
			held_open(&racers[i].held[j], -1, NULL);
		pthread_create(&racers[i].progress.thread, NULL, race, &racers[i]);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_create(&guests[i].thread, NULL, run_guests, &guests[i]);
}

static void end(bool with_guests)
{
	unsigned int i;

	for (i = 0; i < NUM_RACERS; i++) {
		pthread_join(racers[i].progress.thread, NULL);
		free(racers[i].buf);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_join(guests[i].thread, NULL);
	/* This destroys the last VMs. SIGALRM ends the program if that hangs. */
	alarm(TIME_LIMIT);
	operations_end();
	alarm(0);
}

static void report_invariants(void)
{
	char why[400];
	unsigned int i;

	for (i = 0; i < NUM_INVARIANTS; i++) {
		snprintf(why, sizeof(why), "%lu times, the first: %s",
			 violations[i].times, violations[i].first);
		tap_report(violations[i].times ? TAP_NOT_OK : TAP_OK, "races",
			   invariants[i], why);
	}
}

static void report_guests(bool with_guests)
{
	if (!with_guests) {
		tap_report(TAP_SKIP, "races", "guests_run", "no guest can run");
		return;
	}
	tap_report(atomic_load(&guest_runs) ? TAP_OK : TAP_NOT_OK, "races", "guests_run",
		   "no guest ever ran");
	printf("# guests ran %lu times\n", atomic_load(&guest_runs));
}

/*
 * A VM gets no directory in debugfs if another VM, which outlives its fd, still has a
 * directory of that name. The directories of its vCPUs must not be created in the root of
 * debugfs instead, where they would stay.
 */
static void report_debugfs(void)
{
	unsigned int names = count_names("/sys/kernel/debug", "vcpu");
	char why[100];

	snprintf(why, sizeof(why), "%u directories of vCPUs are in the root of debugfs",
		 names);
	tap_report(names ? TAP_NOT_OK : TAP_OK, "races", "nothing_is_left_in_debugfs", why);
}

int main(void)
{
	uint64_t seed = random_seed("RACES_SEED");
	unsigned int fds, left;
	const char *message;
	bool with_guests;
	char why[100];
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (kvm < 0)
		return tap_skip_all("no access to /dev/kvm");
	count = setting("RACES_COUNT", DEFAULT_COUNT);
	message = models_load(kernel_has_stats_open());
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	with_guests = have_guests();
	tap_plan(NUM_INVARIANTS + 3);
	printf("# RACES_SEED=%llu RACES_COUNT=%lu\n", (unsigned long long)seed, count);
	operations_begin(kvm, kernel_has_stats_open());
	fds = count_fds();
	start(with_guests, seed);
	wait_for_threads(with_guests);
	end(with_guests);
	left = count_fds();
	report_invariants();
	report_guests(with_guests);
	snprintf(why, sizeof(why), "%u fds at the end, %u at the beginning", left, fds);
	tap_report(left == fds ? TAP_OK : TAP_NOT_OK, "races", "no_fd_is_left", why);
	report_debugfs();
	print_operations();
	tap_tried(NUM_RACERS * count, "random operations on VMs, vCPUs and statistics fds");
	return tap_end();
}
