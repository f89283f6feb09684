/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * Structures that programs fill in, and to which later versions of the library add members. The
 * size of the structure shows for which version the program was compiled.
 */
#ifndef KVMSTATS_COPY_STRUCT_H
#define KVMSTATS_COPY_STRUCT_H

#include <stddef.h>

/* The size that a structure had when @last was its last member. */
#define SIZE_UP_TO(type, last)	(offsetof(type, last) + sizeof(((type *)0)->last))

/*
 * Copies a structure of @from_size bytes to one of @to_size bytes. Members that @from does not
 * have are 0 then. -EINVAL: @from_size is smaller than @min_size, the size in version 1.0.
 * -E2BIG: @from has members that this version does not know, and they are not 0.
 */
int kvmstats_copy_struct(void *to, size_t to_size, size_t min_size, const void *from,
			 size_t from_size);

#endif /* KVMSTATS_COPY_STRUCT_H */
