/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program races. */
#ifndef RACES_H
#define RACES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/random.h"

#define RACES_HELD	4	/* statistics files that a racer holds */
#define RACES_VCPUS	4	/* that a VM can have; their ids are below this number */

/* Conditions that hold whatever other threads do at the same time. */
enum invariant {
	CONSTANTS_NEVER_CHANGE,
	IDS_ARE_RIGHT,
	SIZES_ARE_RIGHT,
	COUNTERS_NEVER_FALL,
	ERRORS_ARE_RIGHT,
	NUM_INVARIANTS,
};

struct model;

/* A statistics fd that no other thread closes. */
struct held {
	int fd;				/* -1: none */
	const struct model *model;	/* NULL until the id was read */
	const char *expected_id;	/* NULL if it is not known */
	char id[48];			/* the id that was read first */
	bool movable;			/* this thread may move the file position */
	int64_t pos;			/* -1: other threads move it, too */
	uint64_t *last;			/* the values of the last read */
	unsigned int records;		/* that the file is known to have */
	bool ended;			/* the VM of an observer's file no longer exists */
};

/* The progress of a thread, to detect a thread that hangs. */
struct progress {
	const char *_Atomic doing;
	pthread_t thread;
	atomic_ulong done;
	atomic_bool ended;
	unsigned long seen;	/* @done at the last check of the main thread */
	unsigned int unchanged;	/* number of checks since @done changed */
};

struct racer {
	struct progress progress;
	uint64_t random;
	uint8_t *buf;
	struct held held[RACES_HELD];
	char ids[RACES_HELD][48];
	uint64_t vm;			/* number of the last VM of KVM_STATS_NEXT */
};

static inline size_t random_below(struct racer *racer, size_t limit)
{
	return random_next(&racer->random) % limit;
}

/* races.c: reports that an invariant does not hold; the first message of each is kept */
__attribute__((__format__(__printf__, 2, 3)))
void violation(enum invariant invariant, const char *fmt, ...);

/* files.c */
const char *models_load(bool with_vcpus);
size_t models_largest(void);
void held_open(struct held *held, int fd, const char *id);
void held_close(struct held *held);
void held_read(struct racer *racer, struct held *held);
void held_read_on(struct racer *racer, struct held *held);
void shared_read(struct racer *racer, int fd);

/* operations.c */
void operations_begin(int kvm, bool with_vcpus);
void operations_end(void);
void run_operation(struct racer *racer);
void publish_guest(int vm, int vcpu);
void print_operations(void);

#endif /* RACES_H */
