/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/kernel.h>

/* Accesses to user memory at or beyond this address fault. */
extern const char *user_end;

static inline size_t user_accessible(const void __user *to, size_t size)
{
	const char *start = to;

	return start >= user_end ? 0 : min(size, (size_t)(user_end - start));
}

static inline size_t copy_to_user(void __user *to, const void *from, size_t size)
{
	size_t accessible = user_accessible(to, size);

	memcpy(to, from, accessible);
	return size - accessible;
}

static inline size_t copy_from_user(void *to, const void __user *from, size_t size)
{
	size_t accessible = user_accessible(from, size);

	memcpy(to, from, accessible);
	return size - accessible;
}

#define put_user(value, to)						\
	({								\
		bool _accessible = user_accessible(to, sizeof(*(to))) == sizeof(*(to)); \
									\
		if (_accessible)					\
			*(to) = (value);				\
		_accessible ? 0 : -EFAULT;				\
	})
