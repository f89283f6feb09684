/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops that copy the values of a vCPU to user memory. */
#ifndef COPY_LOOPS_H
#define COPY_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

enum loop {
	LOOP_NOTHING,		/* copies nothing */
	LOOP_SERIES,		/* of virt/kvm/kvm_stats.c */
	LOOP_AT_ONCE,
	LOOP_16,
	LOOP_32,
	LOOP_64,
	NUM_LOOPS
};

const char *loop_title(enum loop loop);
bool loop_copy(enum loop loop, void *to);

/* The size of all values, in bytes. */
size_t values_size(void);
/* Set every byte of the values. */
void values_set(int byte);

#endif /* COPY_LOOPS_H */
