// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"

#define FIRST_CAPACITY	16

void *array_grow(void *array, size_t count, size_t *capacity, size_t size)
{
	size_t wanted = *capacity ? *capacity * 2 : FIRST_CAPACITY;

	if (count < *capacity)
		return array;
	array = reallocarray(array, wanted, size);
	if (array)
		*capacity = wanted;
	return array;
}
