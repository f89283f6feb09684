/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways to copy the values of a vCPU to user memory.  The first way copies nothing. */
#ifndef COPY_LOOPS_H
#define COPY_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#define NUM_COPY_WAYS	6

const char *copy_name(int way);
bool copy_values(int way, void *to);

/* The size of all values, in bytes. */
size_t copy_size(void);
/* Set every byte of them. */
void copy_set_values(int byte);

#endif /* COPY_LOOPS_H */
