// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads create and destroy VMs and vCPUs, and open, read, share and close statistics fds at
 * random, also those of KVM_STATS_OPEN and KVM_STATS_NEXT, while guests run. races/races.h lists
 * the invariants that must hold.
 *
 * RACES_COUNT is the number of operations of each thread. RACES_SEED reproduces the
 * operations of each thread, but not the order in which the threads run.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "kvm_stats_open.h"
#include "lib/run.h"
#include "races/races.h"
#include "vcpu/guest.h"

#define DEFAULT_COUNT	5000
#define NUM_RACERS	4
#define NUM_GUESTS	2
#define NUM_HELD	4	/* statistics files that a racer holds */
#define GUEST_RUNS	500	/* of one guest, before it is destroyed */
#define TIME_LIMIT	60	/* seconds, for a single operation */
#define SLOTS		4

static const char *const invariants[] = {
	[CONSTANTS_NEVER_CHANGE] = "header_and_descriptors_never_change",
	[IDS_ARE_RIGHT] = "ids_are_right",
	[SIZES_ARE_RIGHT] = "reads_have_the_right_sizes",
	[COUNTERS_NEVER_FALL] = "counters_never_fall",
	[ERRORS_ARE_RIGHT] = "errors_are_right",
};

static struct {
	pthread_mutex_t lock;
	unsigned long times;
	char first[300];
} violations[NUM_INVARIANTS];

struct racer {
	const char *_Atomic doing;
	pthread_t thread;
	uint64_t random;
	uint8_t *buf;
	struct held held[NUM_HELD];
	uint64_t vm;			/* number of the last VM of KVM_STATS_NEXT */
	bool found;			/* has that iteration found the VM `living`? */
	unsigned long done;
};

static struct racer racers[NUM_RACERS];
static unsigned long count;
static atomic_uint racing = NUM_RACERS;
static atomic_ulong progress, guest_runs;
static int kvm_fd;
static bool has_open;
static uint64_t living;		/* number of a VM that exists until the end */

/*
 * The fds that all threads share. A thread that closes an fd first removes it from the table, so
 * that it is closed only once. A thread that only looks up an fd must expect that the fd is closed,
 * or that its number belongs to another file of this process, when it uses the fd.
 */
enum kind { VM, VCPU, STATS, NUM_KINDS };
static atomic_int table[NUM_KINDS][SLOTS];

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

static size_t random_below(struct racer *racer, size_t limit)
{
	return random_next(&racer->random) % limit;
}

static int look_up(struct racer *racer, enum kind kind)
{
	return atomic_load(&table[kind][random_below(racer, SLOTS)]);
}

static void close_owned(int fd)
{
	if (fd >= 0 && close(fd))
		violation(ERRORS_ARE_RIGHT, "close of an fd that only this thread can close: %s",
			  strerror(errno));
}

static int exchange(enum kind kind, size_t slot, int fd)
{
	return atomic_exchange(&table[kind][slot], fd);
}

static void publish(struct racer *racer, enum kind kind, int fd)
{
	close_owned(exchange(kind, random_below(racer, SLOTS), fd));
}

/* Checks the error of a call with an fd that other threads may close. */
static void check_error(const char *what, int also_allowed)
{
	/* EINVAL and ENOTTY: the fd is now another kind of file. */
	if (errno != EBADF && errno != EINVAL && errno != ENOTTY && errno != also_allowed)
		violation(ERRORS_ARE_RIGHT, "%s: %s", what, strerror(errno));
}

/* Closes a random file that the racer holds, and returns its empty slot. */
static struct held *free_slot(struct racer *racer)
{
	struct held *held = &racer->held[random_below(racer, NUM_HELD)];

	held_close(held);
	return held;
}

/* Opens the file of a VM, or the one that also has its vCPUs. */
static int open_vm(struct racer *racer, int vm)
{
	struct kvm_stats_open open = { 0 };

	return !has_open || random_below(racer, 2) ? ioctl(vm, KVM_STATS_GETFD, NULL) :
						     ioctl(vm, KVM_STATS_OPEN, &open);
}

/* No other thread knows the VM or vCPU yet, so this must succeed, and the id is known. */
static void hold_own(struct racer *racer, int owner, int vcpu_id)
{
	const struct stats_target target = { .vcpu_id = vcpu_id };
	struct held *held = free_slot(racer);

	held->fd = vcpu_id < 0 ? open_vm(racer, owner) : ioctl(owner, KVM_STATS_GETFD, NULL);
	if (held->fd < 0) {
		violation(ERRORS_ARE_RIGHT, "KVM_STATS_GETFD or KVM_STATS_OPEN: %s",
			  strerror(errno));
		return;
	}
	stats_target_id(&target, getpid(), held->expected_id);
	held_read(held, &racer->random, racer->buf);
}

/* ---- the operations ---- */

static void create(struct racer *racer)
{
	int vm = ioctl(kvm_fd, KVM_CREATE_VM, 0);
	int id = random_below(racer, RACES_VCPUS), vcpu;

	if (vm < 0) {
		violation(ERRORS_ARE_RIGHT, "KVM_CREATE_VM: %s", strerror(errno));
		return;
	}
	vcpu = ioctl(vm, KVM_CREATE_VCPU, id);
	if (vcpu < 0)
		violation(ERRORS_ARE_RIGHT, "KVM_CREATE_VCPU: %s", strerror(errno));
	if (random_below(racer, 2))
		hold_own(racer, vm, -1);
	if (vcpu >= 0) {
		hold_own(racer, vcpu, id);
		publish(racer, VCPU, vcpu);
	}
	publish(racer, VM, vm);
}

static void add_vcpu(struct racer *racer)
{
	int vcpu = ioctl(look_up(racer, VM), KVM_CREATE_VCPU, random_below(racer, RACES_VCPUS));

	if (vcpu >= 0)
		publish(racer, VCPU, vcpu);
	else
		check_error("KVM_CREATE_VCPU", EEXIST);
}

/* The racer holds the file, or makes it available to all threads. */
static void keep(struct racer *racer, int fd)
{
	struct held *held;

	if (!random_below(racer, 3)) {
		publish(racer, STATS, fd);
		return;
	}
	held = free_slot(racer);
	held->fd = fd;
	held_read(held, &racer->random, racer->buf);
}

static void open_stats(struct racer *racer)
{
	enum kind kind = random_below(racer, 2) ? VM : VCPU;
	int owner = look_up(racer, kind);
	int fd = kind == VM ? open_vm(racer, owner) : ioctl(owner, KVM_STATS_GETFD, NULL);

	if (fd >= 0)
		keep(racer, fd);
	else
		check_error("KVM_STATS_GETFD or KVM_STATS_OPEN", 0);
}

/*
 * Each thread iterates over all VMs, also over those that other threads destroy meanwhile. Each
 * iteration finds the VM that lives.
 */
static void open_next(struct racer *racer)
{
	uint64_t before = racer->vm;
	int fd;

	if (!has_open)
		return;
	fd = stats_open_next(kvm_fd, &racer->vm);
	if (fd < 0) {
		if (errno != ENOENT)
			violation(ERRORS_ARE_RIGHT, "KVM_STATS_NEXT: %s", strerror(errno));
		else if (!racer->found)
			violation(IDS_ARE_RIGHT, "KVM_STATS_NEXT misses VM %llu, which lives",
				  (unsigned long long)living);
		racer->vm = 0;
		racer->found = false;
		return;
	}
	racer->found |= racer->vm == living;
	if (racer->vm <= before)
		violation(IDS_ARE_RIGHT, "VM %llu follows VM %llu",
			  (unsigned long long)racer->vm, (unsigned long long)before);
	keep(racer, fd);
}

static void close_one(struct racer *racer)
{
	close_owned(exchange(random_below(racer, NUM_KINDS), random_below(racer, SLOTS), -1));
}

static void take_over(struct racer *racer)
{
	int fd = exchange(STATS, random_below(racer, SLOTS), -1);

	if (fd >= 0)
		keep(racer, fd);
}

static void read_any(struct racer *racer)
{
	shared_read(look_up(racer, STATS), &racer->random, racer->buf);
}

static void read_held(struct racer *racer)
{
	struct held *held = &racer->held[random_below(racer, NUM_HELD)];

	if (held->fd >= 0)
		held_read(held, &racer->random, racer->buf);
}

static void drop_held(struct racer *racer)
{
	free_slot(racer);
}

static struct operation {
	const char *name;
	void (*run)(struct racer *racer);
	unsigned int weight;
	atomic_ulong count;
} operations[] = {
	{ "create", create, 1 },
	{ "add_vcpu", add_vcpu, 1 },
	{ "open", open_stats, 12 },
	{ "next", open_next, 8 },
	{ "close", close_one, 3 },
	{ "take_over", take_over, 8 },
	{ "drop", drop_held, 2 },
	{ "read_any", read_any, 20 },
	{ "read", read_held, 45 },
};

/* The first operation of each thread creates a VM. */
static void run_operation(struct racer *racer)
{
	unsigned int i, sum = 0, which;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		sum += operations[i].weight;
	which = racer->done++ ? random_below(racer, sum) : 0;
	for (i = 0; which >= operations[i].weight; i++)
		which -= operations[i].weight;
	atomic_store(&racer->doing, operations[i].name);
	operations[i].run(racer);
	atomic_fetch_add(&operations[i].count, 1);
	atomic_fetch_add(&progress, 1);
}

static void *race(void *arg)
{
	struct racer *racer = arg;
	unsigned int i;

	while (racer->done < count)
		run_operation(racer);
	atomic_store(&racer->doing, "close");
	for (i = 0; i < NUM_HELD; i++)
		held_close(&racer->held[i]);
	atomic_store(&racer->doing, "nothing");
	atomic_fetch_sub(&racing, 1);
	return NULL;
}

/* ---- guests ---- */

static const char *run_guest(struct guest *guest)
{
	const struct guest_action *action = guest_next_action(guest, NULL);
	const char *message = action->prepare ? action->prepare(guest) : NULL;
	unsigned int i;

	guest_append(guest, action, GUEST_RUNS);
	for (i = 0; i < GUEST_RUNS && !message && atomic_load(&racing); i++) {
		message = guest_run(guest, action, 1);
		atomic_fetch_add(&guest_runs, !message);
		atomic_fetch_add(&progress, 1);
	}
	return message;
}

/* Runs one guest after the other while any racer runs. */
static void *run_guests(void *arg)
{
	const char *message = NULL;

	while (atomic_load(&racing) && !message) {
		struct guest guest = {};

		message = guest_create(&guest);
		if (message)
			break;
		/* The guest keeps its fds. Other threads may close these duplicates. */
		close_owned(exchange(VM, 0, dup(guest.vm)));
		close_owned(exchange(VCPU, 0, dup(guest.vcpu)));
		message = run_guest(&guest);
		guest_destroy(&guest);
	}
	if (message)
		violation(ERRORS_ARE_RIGHT, "guest: %s", message);
	return arg;
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

/* ---- the main thread ---- */

/* Exits if nothing has happened since the last call: a thread waits for a lock in the kernel. */
static void check_progress(int signal)
{
	static unsigned long seen;
	unsigned long now = atomic_load(&progress);
	unsigned int i;

	if (now == seen) {
		printf("Bail out! for %d seconds, no operation ended. The threads do:", TIME_LIMIT);
		for (i = 0; i < NUM_RACERS; i++)
			printf(" %s", atomic_load(&racers[i].doing));
		putchar('\n');
		fflush(stdout);
		_exit(1);
	}
	seen = now;
	alarm(TIME_LIMIT);
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

static void run_all(bool with_guests, uint64_t seed)
{
	pthread_t guests[NUM_GUESTS];
	unsigned int i, j;

	signal(SIGALRM, check_progress);
	alarm(TIME_LIMIT);
	for (i = 0; i < NUM_RACERS; i++) {
		racers[i].random = seed + i;
		racers[i].random = random_next(&racers[i].random);
		racers[i].buf = malloc(models_largest());
		for (j = 0; j < NUM_HELD; j++)
			racers[i].held[j].fd = -1;
		pthread_create(&racers[i].thread, NULL, race, &racers[i]);
	}
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_create(&guests[i], NULL, run_guests, NULL);
	for (i = 0; i < NUM_RACERS; i++)
		pthread_join(racers[i].thread, NULL);
	for (i = 0; with_guests && i < NUM_GUESTS; i++)
		pthread_join(guests[i], NULL);
	/* This destroys the last VMs. */
	for (i = 0; i < NUM_KINDS * SLOTS; i++)
		close_owned(exchange(i / SLOTS, i % SLOTS, -1));
	alarm(0);
}

/*
 * A VM gets no directory in debugfs if another VM, which outlives its fd, still has a
 * directory of that name. The directories of its vCPUs must not be created in the root of
 * debugfs instead, where they would stay.
 */
static void report_debugfs(void)
{
	unsigned int names = count_names("/sys/kernel/debug", "vcpu");

	report("races", "nothing_is_left_in_debugfs", !names ? NULL :
	       stats_fail("%u directories of vCPUs are in the root of debugfs", names));
}

static void report_all(bool with_guests, unsigned int fds)
{
	unsigned int left = count_names("/proc/self/fd", ""), i;

	for (i = 0; i < NUM_INVARIANTS; i++)
		report("races", invariants[i], !violations[i].times ? NULL :
		       stats_fail("%lu times, the first: %s", violations[i].times,
				  violations[i].first));
	if (with_guests)
		report("races", "guests_run",
		       atomic_load(&guest_runs) ? NULL : "no guest ever ran");
	else
		tap_report(TAP_SKIP, "races", "guests_run", "no guest can run");
	report("races", "no_fd_is_left", left == fds ? NULL :
	       stats_fail("%u fds at the end, %u at the beginning", left, fds));
	report_debugfs();
	printf("# guests ran %lu times;", atomic_load(&guest_runs));
	for (i = 0; i < ARRAY_SIZE(operations); i++)
		printf(" %s %lu", operations[i].name, atomic_load(&operations[i].count));
	putchar('\n');
	tap_tried(NUM_RACERS * count, "random operations on VMs, vCPUs and statistics fds");
}

static void prepare(const void *arg)
{
	int fd;

	models_load(has_open);
	if (!has_open)
		return;
	ioctl(kvm_fd, KVM_CREATE_VM, 0);
	must(stats_open_last(&living, &fd));
	close(fd);
}

int main(void)
{
	uint64_t seed = random_seed("RACES_SEED");
	bool with_guests;
	unsigned int fds;

	kvm_fd = stats_open_kvm();
	if (kvm_fd < 0)
		return tap_skip_all("no access to /dev/kvm");
	count = setting("RACES_COUNT", DEFAULT_COUNT);
	has_open = kernel_has_stats_open();
	bail_out(passes(prepare, NULL) ? NULL : failure);
	with_guests = have_guests();
	tap_plan(NUM_INVARIANTS + 3);
	printf("# RACES_SEED=%llu RACES_COUNT=%lu\n", (unsigned long long)seed, count);
	memset(table, -1, sizeof(table));
	fds = count_names("/proc/self/fd", "");
	run_all(with_guests, seed);
	report_all(with_guests, fds);
	return tap_end();
}
