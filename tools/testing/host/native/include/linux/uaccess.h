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

/* Copy as the kernel does on a CPU with REP_GOOD. */
static inline void copy_words(void *to, const void *from, size_t size)
{
#ifdef __x86_64__
	size_t words = size / 8;

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
	size %= 8;
#endif
	memcpy(to, from, size);
}

static inline size_t copy_to_user(void __user *to, const void *from, size_t size)
{
	size_t accessible = user_accessible(to, size);

	copy_words(to, from, accessible);
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
