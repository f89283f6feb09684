/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the test `races` share. */
#ifndef BOOT_TESTS_RACES_H
#define BOOT_TESTS_RACES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../random.h"

#define RACES_HELD	4	/* stats files that a racer holds */

/* What must hold, whatever happens at the same time. */
enum invariant {
	CONSTANTS_STAY,
	IDS_FIT,
	SIZES_FIT,
	COUNTERS_NEVER_FALL,
	ERRORS_FIT,
	NUM_INVARIANTS,
};

struct model;

/* A statistics fd that no other thread closes. */
struct held {
	int fd;				/* -1: none */
	const struct model *model;	/* NULL until it was read */
	const char *id;			/* what it must be, if that is known, */
	char found_id[48];		/* and what it was at first */
	bool movable;			/* its position is for this thread to move */
	int64_t pos;			/* -1: others move it, too */
	uint64_t *last;			/* the values of the last read */
};

/* What a thread does, to find one that waits for ever. */
struct pulse {
	pthread_t thread;
	_Atomic(const char *) doing;
	atomic_ulong done;
	atomic_bool ended;
	unsigned long seen;	/* of @done, by who watches, */
	unsigned int still;	/* and for how many looks it has been that */
};

struct racer {
	struct pulse pulse;
	uint64_t random;
	uint8_t *buf;
	struct held held[RACES_HELD];
	char ids[RACES_HELD][48];
};

static inline size_t below(struct racer *racer, size_t limit)
{
	return random_next(&racer->random) % limit;
}

/* races.c: the first complaint of each invariant is kept. */
__attribute__((__format__(__printf__, 2, 3)))
void broken(enum invariant invariant, const char *fmt, ...);

/* files.c */
const char *models_load(void);
size_t models_largest(void);
void held_open(struct held *held, int fd, const char *id);
void held_close(struct held *held);
void held_read(struct racer *racer, struct held *held);
void held_walk(struct racer *racer, struct held *held);
void anyone_read(struct racer *racer, int fd);

/* operations.c */
void operations_begin(int kvm);
void operations_end(void);
void operate(struct racer *racer);
void publish_guest(int vm, int vcpu);
void print_operations(void);

#endif /* BOOT_TESTS_RACES_H */
