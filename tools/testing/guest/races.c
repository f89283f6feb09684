// SPDX-License-Identifier: GPL-2.0-only
/* sources: races/files.c races/operations.c */
/*
 * Threads create and destroy VMs and vCPUs, open, read, seek, duplicate and close
 * statistics fds at random, under each other's hands and while guests run.  What
 * must hold all the same is in races/races.h.
 *
 * RACES_COUNT is the number of operations by each thread, RACES_SEED repeats what
 * each of them does, though not who comes first.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "guest/guest.h"

#include "tap.h"
#include "races/races.h"

#define DEFAULT_COUNT	5000
#define NUM_RACERS	4
#define NUM_GUESTS	2
#define GUEST_RUNS	500	/* in the life of one guest */
#define PATIENCE	60	/* s for a single operation */
#define LOOKS		50	/* at each thread, in a second */

static const char *const invariants[] = {
	[CONSTANTS_STAY] = "header_and_descriptors_never_change",
	[IDS_FIT] = "ids_fit",
	[SIZES_FIT] = "reads_and_seeks_have_the_right_sizes",
	[COUNTERS_NEVER_FALL] = "counters_never_fall",
	[ERRORS_FIT] = "errors_fit",
};

static struct {
	pthread_mutex_t lock;
	unsigned long times;
	char first[300];
} complaints[NUM_INVARIANTS];

static struct racer racers[NUM_RACERS];
static struct pulse guests[NUM_GUESTS];
static unsigned long count;
static atomic_uint racing = NUM_RACERS;
static atomic_ulong guest_runs;

void broken(enum invariant invariant, const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&complaints[invariant].lock);
	if (!complaints[invariant].times++) {
		va_start(args, fmt);
		vsnprintf(complaints[invariant].first, sizeof(complaints[0].first), fmt,
			  args);
		va_end(args);
	}
	pthread_mutex_unlock(&complaints[invariant].lock);
}

static void *race(void *arg)
{
	struct racer *racer = arg;
	unsigned int i;

	while (atomic_load(&racer->pulse.done) < count)
		operate(racer);
	atomic_store(&racer->pulse.doing, "close");
	for (i = 0; i < RACES_HELD; i++)
		held_close(&racer->held[i]);
	atomic_fetch_sub(&racing, 1);
	atomic_store(&racer->pulse.ended, true);
	return NULL;
}

static const char *run_guest(struct guest *guest, struct pulse *pulse)
{
	const struct guest_act *act = guest_next_act(guest, NULL);
	const char *why = NULL;
	unsigned int i;

	for (i = 0; i < GUEST_RUNS && !why && atomic_load(&racing); i++) {
		why = guest_run(guest, act, 1);
		atomic_fetch_add(&guest_runs, !why);
		atomic_fetch_add(&pulse->done, 1);
	}
	return why;
}

static const char *guest_life(struct pulse *pulse)
{
	struct guest guest = {};
	const struct guest_act *act;
	const char *why;

	atomic_store(&pulse->doing, "create a guest");
	why = guest_create(&guest);
	if (why)
		return why;
	act = guest_next_act(&guest, NULL);
	if (act->prepare)
		why = act->prepare(&guest);
	guest_append(&guest, act, GUEST_RUNS);
	publish_guest(guest.vm, guest.vcpu);
	atomic_store(&pulse->doing, "run a guest");
	if (!why)
		why = run_guest(&guest, pulse);
	atomic_store(&pulse->doing, "destroy a guest");
	guest_destroy(&guest);
	return why;
}

/* One guest after the other, as long as there are racers. */
static void *run_guests(void *arg)
{
	struct pulse *pulse = arg;
	const char *why = NULL;

	while (atomic_load(&racing) && !why) {
		why = guest_life(pulse);
		atomic_fetch_add(&pulse->done, 1);
	}
	if (why)
		broken(ERRORS_FIT, "a guest: %s", why);
	atomic_store(&pulse->ended, true);
	return NULL;
}

/* What user space does in a guest's place is no race with anything. */
static bool have_guests(void)
{
	const struct guest_act *act = NULL;
	struct guest guest = {};

	if (guest_create(&guest))
		return false;
	act = guest_next_act(&guest, NULL);
	guest_destroy(&guest);
	return act && !act->from_outside;
}

/* Of names that start so. */
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

/* Whoever waits for a lock that is never free again, waits in the kernel. */
static void give_up(const struct pulse *pulse)
{
	printf("Bail out! a thread does not come further in %d seconds: %s, after %lu operations\n",
	       PATIENCE, atomic_load(&pulse->doing), atomic_load(&pulse->done));
	fflush(stdout);
	_exit(1);
}

static bool has_ended(struct pulse *pulse)
{
	unsigned long now = atomic_load(&pulse->done);

	if (atomic_load(&pulse->ended))
		return true;
	pulse->still = now == pulse->seen ? pulse->still + 1 : 0;
	pulse->seen = now;
	if (pulse->still > PATIENCE * LOOKS)
		give_up(pulse);
	return false;
}

/* Until all threads have ended. */
static void watch(bool with_guests)
{
	bool all_ended;
	unsigned int i;

	do {
		usleep(1000000 / LOOKS);
		all_ended = true;
		for (i = 0; i < NUM_RACERS; i++)
			all_ended &= has_ended(&racers[i].pulse);
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
		pthread_create(&racers[i].pulse.thread, NULL, race, &racers[i]);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_create(&guests[i].thread, NULL, run_guests, &guests[i]);
}

static void end(bool with_guests)
{
	unsigned int i;

	for (i = 0; i < NUM_RACERS; i++) {
		pthread_join(racers[i].pulse.thread, NULL);
		free(racers[i].buf);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_join(guests[i].thread, NULL);
	/* The last ones go here: let it be the end if they cannot. */
	alarm(PATIENCE);
	operations_end();
	alarm(0);
}

static void report_invariants(void)
{
	char why[400];
	unsigned int i;

	for (i = 0; i < NUM_INVARIANTS; i++) {
		snprintf(why, sizeof(why), "%lu times, the first: %s",
			 complaints[i].times, complaints[i].first);
		tap_report(complaints[i].times ? TAP_NOT_OK : TAP_OK, "races",
			   invariants[i], why);
	}
}

static void report_guests(bool with_guests)
{
	if (!with_guests) {
		tap_report(TAP_SKIP, "races", "guests_run", "no guest can run here");
		return;
	}
	tap_report(atomic_load(&guest_runs) ? TAP_OK : TAP_NOT_OK, "races", "guests_run",
		   "no guest ever ran");
	printf("# guests ran %lu times\n", atomic_load(&guest_runs));
}

/*
 * A VM of which the directory's name is taken, by one that outlives its fd, has
 * none.  The files of its vCPUs would be in the root then, and stay there.
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
	message = models_load();
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	with_guests = have_guests();
	tap_plan(NUM_INVARIANTS + 3);
	printf("# RACES_SEED=%llu RACES_COUNT=%lu\n", (unsigned long long)seed, count);
	operations_begin(kvm);
	fds = count_fds();
	start(with_guests, seed);
	watch(with_guests);
	end(with_guests);
	left = count_fds();
	report_invariants();
	report_guests(with_guests);
	snprintf(why, sizeof(why), "%u fds at the end, %u at the beginning", left, fds);
	tap_report(left == fds ? TAP_OK : TAP_NOT_OK, "races", "no_fd_is_left", why);
	report_debugfs();
	print_operations();
	tap_tried(NUM_RACERS * count, "random operations by threads on VMs, vCPUs and stats fds");
	return tap_end();
}
