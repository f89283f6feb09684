// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations on a table of fds that all threads share.
 *
 * Who closes an fd of the table takes it out first, so each is closed once.  Who
 * merely looks one up may find that its number is closed, or another file of ours,
 * by the time it is used.
 */
#define _GNU_SOURCE

#include "kvm_stats_vmm.h"

#include "races.h"

#define SLOTS		4
#define VCPU_IDS	4

enum kind { VM, VCPU, STATS, NUM_KINDS };

static atomic_int table[NUM_KINDS][SLOTS];
static int kvm_fd;

static int look_up(struct racer *racer, enum kind kind)
{
	return atomic_load(&table[kind][below(racer, SLOTS)]);
}

static void close_owned(int fd)
{
	if (fd >= 0 && close(fd))
		broken(ERRORS_FIT, "close of an fd of one's own: %s", strerror(errno));
}

static int exchange(enum kind kind, size_t slot, int fd)
{
	return atomic_exchange(&table[kind][slot], fd);
}

static void publish(struct racer *racer, enum kind kind, int fd)
{
	close_owned(exchange(kind, below(racer, SLOTS), fd));
}

/* Errors of calls by a number that others close. */
static void check_error(const char *what, int also)
{
	/* EINVAL and ENOTTY: it is another kind of file by now. */
	if (errno != EBADF && errno != EINVAL && errno != ENOTTY && errno != also)
		broken(ERRORS_FIT, "%s: %s", what, strerror(errno));
}

static struct held *make_room(struct racer *racer)
{
	struct held *held = &racer->held[below(racer, RACES_HELD)];

	held_close(held);
	return held;
}

/* Of its own VM or vCPU, so it must succeed, and the id is known. */
static void hold_own(struct racer *racer, int owner, int vcpu_id)
{
	struct held *held = make_room(racer);
	char *id = racer->ids[held - racer->held];
	int fd = ioctl(owner, KVM_STATS_GETFD, NULL);

	if (fd < 0) {
		broken(ERRORS_FIT, "KVM_STATS_GETFD: %s", strerror(errno));
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

/* The operations */

static void create(struct racer *racer)
{
	int vm = ioctl(kvm_fd, KVM_CREATE_VM, 0);
	int id = below(racer, VCPU_IDS), vcpu;

	if (vm < 0) {
		broken(ERRORS_FIT, "KVM_CREATE_VM: %s", strerror(errno));
		return;
	}
	vcpu = ioctl(vm, KVM_CREATE_VCPU, id);
	if (vcpu < 0)
		broken(ERRORS_FIT, "KVM_CREATE_VCPU: %s", strerror(errno));
	if (below(racer, 2))
		hold_own(racer, vm, -1);
	if (vcpu >= 0) {
		hold_own(racer, vcpu, id);
		publish(racer, VCPU, vcpu);
	}
	publish(racer, VM, vm);
}

static void add_vcpu(struct racer *racer)
{
	int vcpu = ioctl(look_up(racer, VM), KVM_CREATE_VCPU, below(racer, VCPU_IDS));

	if (vcpu >= 0)
		publish(racer, VCPU, vcpu);
	else
		check_error("KVM_CREATE_VCPU", EEXIST);
}

static void open_stats(struct racer *racer)
{
	enum kind kind = below(racer, 2) ? VM : VCPU;
	int fd = ioctl(look_up(racer, kind), KVM_STATS_GETFD, NULL);
	struct held *held;

	if (fd < 0) {
		check_error("KVM_STATS_GETFD", 0);
	} else if (below(racer, 3)) {
		held = make_room(racer);
		held_open(held, fd, NULL);
		held->movable = true;
		held_read(racer, held);
	} else {
		publish(racer, STATS, fd);
	}
}

static void close_one(struct racer *racer)
{
	close_owned(exchange(below(racer, NUM_KINDS), below(racer, SLOTS), -1));
}

/* From here on others may move the position. */
static void share(struct racer *racer)
{
	struct held *held = &racer->held[below(racer, RACES_HELD)];
	int fd;

	if (held->fd < 0 || !held->movable)
		return;
	held->pos = -1;
	fd = dup(held->fd);
	if (fd < 0)
		broken(ERRORS_FIT, "dup: %s", strerror(errno));
	else
		publish(racer, STATS, fd);
}

static void take_over(struct racer *racer)
{
	int fd = exchange(STATS, below(racer, SLOTS), -1);
	struct held *held;

	if (fd < 0)
		return;
	held = make_room(racer);
	held_open(held, fd, NULL);
	held->movable = true;
	held->pos = -1;
	held_read(racer, held);
}

/* Whatever has the number now, even what another thread alone may move. */
static void dup_any(struct racer *racer)
{
	int fd = dup(look_up(racer, STATS));
	struct held *held;

	if (fd < 0) {
		check_error("dup", 0);
		return;
	}
	held = make_room(racer);
	held_open(held, fd, NULL);
	held_read(racer, held);
}

static void read_any(struct racer *racer)
{
	anyone_read(racer, look_up(racer, STATS));
}

static void read_held(struct racer *racer)
{
	struct held *held = &racer->held[below(racer, RACES_HELD)];

	if (held->fd >= 0)
		held_read(racer, held);
}

static void walk_held(struct racer *racer)
{
	struct held *held = &racer->held[below(racer, RACES_HELD)];

	if (held->fd >= 0)
		held_walk(racer, held);
}

static void drop_held(struct racer *racer)
{
	make_room(racer);
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
	{ "close", close_one, 3 },
	{ "share", share, 8 },
	{ "take_over", take_over, 5 },
	{ "dup", dup_any, 5 },
	{ "drop", drop_held, 2 },
	{ "read_any", read_any, 18 },
	{ "read", read_held, 25 },
	{ "walk", walk_held, 20 },
};

#define NUM_OPERATIONS	(sizeof(operations) / sizeof(operations[0]))

/* With a VM to begin with. */
void operate(struct racer *racer)
{
	unsigned int i, sum = 0, which;

	for (i = 0; i < NUM_OPERATIONS; i++)
		sum += operations[i].weight;
	which = atomic_load(&racer->pulse.done) ? below(racer, sum) : 0;
	for (i = 0; which >= operations[i].weight; i++)
		which -= operations[i].weight;
	atomic_store(&racer->pulse.doing, operations[i].name);
	operations[i].run(racer);
	atomic_fetch_add(&operations[i].count, 1);
	atomic_fetch_add(&racer->pulse.done, 1);
}

void print_operations(void)
{
	unsigned int i;

	printf("#");
	for (i = 0; i < NUM_OPERATIONS; i++)
		printf(" %s %lu%s", operations[i].name, atomic_load(&operations[i].count),
		       i + 1 < NUM_OPERATIONS ? "," : "\n");
}

/* The fds remain the guest's own, so what others close are duplicates. */
void publish_guest(int vm, int vcpu)
{
	close_owned(exchange(VM, 0, dup(vm)));
	close_owned(exchange(VCPU, 0, dup(vcpu)));
}

void operations_begin(int kvm)
{
	unsigned int kind, slot;

	kvm_fd = kvm;
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
