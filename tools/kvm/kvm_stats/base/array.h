/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * Grows an array, so that one more entry fits after the first @count ones. Entries have @size
 * bytes. @capacity is the number of entries that fit. Returns the array, which may have moved.
 * Returns NULL if memory is exhausted; then @array is unchanged and still valid.
 */
void *array_grow(void *array, size_t count, size_t *capacity, size_t size);

#endif /* BASE_ARRAY_H */
