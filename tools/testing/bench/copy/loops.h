/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways to copy all values of a vCPU to user memory. */
#ifndef COPY_LOOPS_H
#define COPY_LOOPS_H

#include <stddef.h>

struct copy_way {
	const char *name;
	size_t (*copy)(char *to, size_t size);	/* returns the number of bytes copied */
};

#define NUM_COPY_WAYS	6

extern const struct copy_way copy_ways[NUM_COPY_WAYS];

/* Create the VM and the vCPU; return the size of its values. */
size_t copy_init(void);

#endif /* COPY_LOOPS_H */
