/* SPDX-License-Identifier: GPL-2.0-only */
/* What reads of statistics files must return while other threads use and end their VMs. */
#ifndef RACES_H
#define RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/test.h"

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
	char expected_id[48];		/* "" if it is not known */
	char id[48];			/* the id that was read first */
	uint64_t *last;			/* the values of the last read */
	unsigned int records;		/* that the file is known to have */
	bool ended;			/* the VM of an observer's file no longer exists */
};

/* races.c: reports that an invariant does not hold; the first message of each is kept */
__attribute__((__format__(__printf__, 2, 3)))
void violation(enum invariant invariant, const char *fmt, ...);

/* @with_vcpus: the kernel has files of observers, which contain the vCPUs. */
void models_load(bool with_vcpus);
size_t models_largest(void);

void held_close(struct held *held);

/* Reads a random part of the file, or all of it. @buf has models_largest() bytes. */
void held_read(struct held *held, uint64_t *random, uint8_t *buf);

/*
 * Reads from an fd that other threads may close. Before or during the call, its number may
 * become unused or that of any other file of this process.
 */
void shared_read(int fd, uint64_t *random, uint8_t *buf);

#endif /* RACES_H */
