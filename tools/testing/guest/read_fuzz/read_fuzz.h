/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the test program read_fuzz. */
#ifndef READ_FUZZ_H
#define READ_FUZZ_H

#include "kvm_stats_checks.h"

#define MAX_PIECES	8

/* One read. */
struct attempt {
	const struct stats_target *target;
	size_t offset;
	size_t len;
	size_t writable;	/* bytes of the buffer before the inaccessible page */
	unsigned int pieces;
	struct iovec piece[MAX_PIECES];
};

extern uint64_t seed;

size_t random_below(size_t limit);

/* attempt.c: maps a buffer for a file of this size, before an inaccessible page */
const char *map_area(size_t file_size);
void make_attempt(struct attempt *attempt, const struct stats_target *target);
uint8_t *attempt_buf(const struct attempt *attempt);
const char *check_attempt(const struct attempt *attempt, long got);

/* methods.c */
struct method {
	const char *name;
	long (*read)(struct attempt *attempt);
};

#define NUM_METHODS	3
extern const struct method methods[NUM_METHODS];

#endif /* READ_FUZZ_H */
