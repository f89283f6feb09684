// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "copy_struct.h"

int kvmstats_copy_struct(void *to, size_t to_size, size_t min_size, const void *from,
			 size_t from_size)
{
	const char *bytes = from;
	size_t i;

	if (from_size < min_size)
		return -EINVAL;
	for (i = to_size; i < from_size; i++) {
		if (bytes[i])
			return -E2BIG;
	}
	memset(to, 0, to_size);
	memcpy(to, from, from_size < to_size ? from_size : to_size);
	return 0;
}
