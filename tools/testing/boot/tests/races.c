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

#define DEFAULT_COUNT	2000
#define NUM_RACERS	4
#define NUM_GUESTS	2
#define GUEST_RUNS	500	/* in the life of one guest */
#define PATIENCE	60	/* s without a single operation */

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
static pthread_t guests[NUM_GUESTS];
static unsigned long count;
static atomic_uint racing = NUM_RACERS;
static atomic_ulong guest_runs, guests_done;

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

	while (atomic_load(&racer->done) < count)
		operate(racer);
	for (i = 0; i < RACES_HELD; i++)
		held_close(&racer->held[i]);
	atomic_fetch_sub(&racing, 1);
	return NULL;
}

static const char *one_guest(struct guest *guest)
{
	const struct guest_act *act = guest_next_act(guest, NULL);
	const char *why = NULL;
	unsigned int i;

	for (i = 0; i < GUEST_RUNS && !why && atomic_load(&racing); i++) {
		guest->end = GUEST_ENTRY;
		why = guest_run(guest, act, 1);
		atomic_fetch_add(&guest_runs, !why);
	}
	return why;
}

static const char *guest_life(void)
{
	struct guest guest = {};
	const char *why = guest_create(&guest);

	if (why)
		return why;
	if (guest_next_act(&guest, NULL)->prepare)
		why = guest_next_act(&guest, NULL)->prepare(&guest);
	guest_append(&guest, guest_next_act(&guest, NULL), GUEST_RUNS);
	publish_guest(guest.vm, guest.vcpu);
	if (!why)
		why = one_guest(&guest);
	guest_destroy(&guest);
	return why;
}

/* One guest after the other, as long as there are racers. */
static void *run_guests(void *arg)
{
	const char *why = NULL;

	(void)arg;
	while (atomic_load(&racing) && !why) {
		why = guest_life();
		atomic_fetch_add(&guests_done, 1);
	}
	if (why)
		broken(ERRORS_FIT, "a guest: %s", why);
	return NULL;
}

static bool have_guests(void)
{
	struct guest guest = {};
	bool have;

	if (guest_create(&guest))
		return false;
	have = guest_next_act(&guest, NULL);
	guest_destroy(&guest);
	return have;
}

static unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int fds = 0;

	while (dir && readdir(dir))
		fds++;
	if (dir)
		closedir(dir);
	return fds;
}

/* Whoever waits for a lock that is never free again, waits in the kernel. */
static void give_up(void)
{
	unsigned int i;

	for (i = 0; i < NUM_RACERS; i++)
		printf("# thread %u: %s, operation %lu\n", i, atomic_load(&racers[i].doing),
		       atomic_load(&racers[i].done));
	printf("Bail out! no thread has come further in %d seconds\n", PATIENCE);
	fflush(stdout);
	_exit(1);
}

static unsigned long progress(void)
{
	unsigned long sum = atomic_load(&guest_runs);
	unsigned int i;

	for (i = 0; i < NUM_RACERS; i++)
		sum += atomic_load(&racers[i].done);
	return sum;
}

static void watch(void)
{
	unsigned long before = 0, now;
	unsigned int ticks = 0;

	while (atomic_load(&racing)) {
		usleep(20000);
		now = progress();
		ticks = now == before ? ticks + 1 : 0;
		before = now;
		if (ticks > PATIENCE * 50)
			give_up();
	}
}

static void start(bool with_guests, uint64_t seed)
{
	unsigned int i, j;

	for (i = 0; i < NUM_RACERS; i++) {
		racers[i].number = i;
		racers[i].random = seed + i;
		racers[i].random = random_next(&racers[i].random);
		racers[i].buf = malloc(models_largest());
		atomic_store(&racers[i].doing, "nothing yet");
		for (j = 0; j < RACES_HELD; j++)
			held_open(&racers[i].held[j], -1, NULL);
		pthread_create(&racers[i].thread, NULL, race, &racers[i]);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_create(&guests[i], NULL, run_guests, NULL);
}

static void end(bool with_guests)
{
	unsigned int i;

	for (i = 0; i < NUM_RACERS; i++) {
		pthread_join(racers[i].thread, NULL);
		free(racers[i].buf);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_join(guests[i], NULL);
	operations_end();
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
	printf("# %lu guests ran %lu times\n", atomic_load(&guests_done),
	       atomic_load(&guest_runs));
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
	tap_plan(NUM_INVARIANTS + 2);
	printf("# RACES_SEED=%llu RACES_COUNT=%lu\n", (unsigned long long)seed, count);
	operations_begin(kvm);
	fds = count_fds();
	start(with_guests, seed);
	watch();
	end(with_guests);
	left = count_fds();
	report_invariants();
	report_guests(with_guests);
	snprintf(why, sizeof(why), "%u fds at the end, %u at the beginning", left, fds);
	tap_report(left == fds ? TAP_OK : TAP_NOT_OK, "races", "no_fd_is_left", why);
	print_operations();
	tap_tried(NUM_RACERS * count, "random operations by threads on VMs, vCPUs and stats fds");
	return tap_end();
}
