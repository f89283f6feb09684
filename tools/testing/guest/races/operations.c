// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations on a table of fds that all threads share.
 *
 * A thread that closes an fd first removes it from the table, so that it is closed only once.
 * A thread that only looks up an fd must expect that the fd is closed, or that its number
 * belongs to another file of this process, when it uses the fd.
 */
#define _GNU_SOURCE

#include "kvm_stats_open.h"

#include "races/races.h"

#define SLOTS		4

enum kind { VM, VCPU, STATS, NUM_KINDS };

static atomic_int table[NUM_KINDS][SLOTS];
static int kvm_fd;
static bool has_open;

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
	struct held *held = &racer->held[random_below(racer, RACES_HELD)];

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
	struct held *held = free_slot(racer);
	char *id = racer->ids[held - racer->held];
	int fd = vcpu_id < 0 ? open_vm(racer, owner) : ioctl(owner, KVM_STATS_GETFD, NULL);

	if (fd < 0) {
		violation(ERRORS_ARE_RIGHT, "KVM_STATS_GETFD or KVM_STATS_OPEN: %s",
			  strerror(errno));
		return;
	}
	if (vcpu_id < 0)
		snprintf(id, sizeof(racer->ids[0]), "kvm-%d", getpid());
	else
		snprintf(id, sizeof(racer->ids[0]), "kvm-%d/vcpu-%d", getpid(), vcpu_id);
	held_open(held, fd, id);
	held->movable = true;
	held_read(racer, held);
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

/* The racer holds the new file, or makes it available to all threads. */
static void keep(struct racer *racer, int fd)
{
	struct held *held;

	if (!random_below(racer, 3)) {
		publish(racer, STATS, fd);
		return;
	}
	held = free_slot(racer);
	held_open(held, fd, NULL);
	held->movable = true;
	held_read(racer, held);
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

/* Each thread iterates over all VMs, also over those that other threads destroy meanwhile. */
static void open_next(struct racer *racer)
{
	uint64_t before = racer->vm;
	int fd;

	if (!has_open)
		return;
	fd = stats_open_next(kvm_fd, &racer->vm, 0);
	if (fd < 0) {
		if (errno != ENOENT)
			violation(ERRORS_ARE_RIGHT, "KVM_STATS_NEXT: %s", strerror(errno));
		racer->vm = 0;
		return;
	}
	if (racer->vm <= before)
		violation(IDS_ARE_RIGHT, "VM %llu follows VM %llu",
			  (unsigned long long)racer->vm, (unsigned long long)before);
	keep(racer, fd);
}

static void close_one(struct racer *racer)
{
	close_owned(exchange(random_below(racer, NUM_KINDS), random_below(racer, SLOTS), -1));
}

/* Makes a held file available to other threads, which may then move its position. */
static void share(struct racer *racer)
{
	struct held *held = &racer->held[random_below(racer, RACES_HELD)];
	int fd;

	if (held->fd < 0 || !held->movable)
		return;
	held->pos = -1;
	fd = dup(held->fd);
	if (fd < 0)
		violation(ERRORS_ARE_RIGHT, "dup: %s", strerror(errno));
	else
		publish(racer, STATS, fd);
}

static void take_over(struct racer *racer)
{
	int fd = exchange(STATS, random_below(racer, SLOTS), -1);
	struct held *held;

	if (fd < 0)
		return;
	held = free_slot(racer);
	held_open(held, fd, NULL);
	held->movable = true;
	held->pos = -1;
	held_read(racer, held);
}

/* Duplicates an fd that may belong to any file now, even one whose position is not shared. */
static void dup_any(struct racer *racer)
{
	int fd = dup(look_up(racer, STATS));
	struct held *held;

	if (fd < 0) {
		check_error("dup", 0);
		return;
	}
	held = free_slot(racer);
	held_open(held, fd, NULL);
	held_read(racer, held);
}

static void read_any(struct racer *racer)
{
	shared_read(racer, look_up(racer, STATS));
}

static void read_held(struct racer *racer)
{
	struct held *held = &racer->held[random_below(racer, RACES_HELD)];

	if (held->fd >= 0)
		held_read(racer, held);
}

static void read_on_held(struct racer *racer)
{
	struct held *held = &racer->held[random_below(racer, RACES_HELD)];

	if (held->fd >= 0)
		held_read_on(racer, held);
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
	{ "share", share, 8 },
	{ "take_over", take_over, 5 },
	{ "dup", dup_any, 5 },
	{ "drop", drop_held, 2 },
	{ "read_any", read_any, 18 },
	{ "read", read_held, 25 },
	{ "walk", read_on_held, 20 },
};

#define NUM_OPERATIONS	(sizeof(operations) / sizeof(operations[0]))

/* The first operation of each thread creates a VM. */
void run_operation(struct racer *racer)
{
	unsigned int i, sum = 0, which;

	for (i = 0; i < NUM_OPERATIONS; i++)
		sum += operations[i].weight;
	which = atomic_load(&racer->progress.done) ? random_below(racer, sum) : 0;
	for (i = 0; which >= operations[i].weight; i++)
		which -= operations[i].weight;
	atomic_store(&racer->progress.doing, operations[i].name);
	operations[i].run(racer);
	atomic_fetch_add(&operations[i].count, 1);
	atomic_fetch_add(&racer->progress.done, 1);
}

void print_operations(void)
{
	unsigned int i;

	printf("#");
	for (i = 0; i < NUM_OPERATIONS; i++)
		printf(" %s %lu%s", operations[i].name, atomic_load(&operations[i].count),
		       i + 1 < NUM_OPERATIONS ? "," : "\n");
}

/* The guest keeps its fds. The table gets duplicates, which other threads may close. */
void publish_guest(int vm, int vcpu)
{
	close_owned(exchange(VM, 0, dup(vm)));
	close_owned(exchange(VCPU, 0, dup(vcpu)));
}

/* @with_vcpus: the kernel has KVM_STATS_OPEN and KVM_STATS_NEXT. */
void operations_begin(int kvm, bool with_vcpus)
{
	unsigned int kind, slot;

	kvm_fd = kvm;
	has_open = with_vcpus;
	for (kind = 0; kind < NUM_KINDS; kind++)
		for (slot = 0; slot < SLOTS; slot++)
			atomic_store(&table[kind][slot], -1);
}

void operations_end(void)
{
	unsigned int kind, slot;

	for (kind = 0; kind < NUM_KINDS; kind++)
		for (slot = 0; slot < SLOTS; slot++)
			close_owned(exchange(kind, slot, -1));
}
