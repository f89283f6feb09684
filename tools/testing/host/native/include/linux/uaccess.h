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

#define might_fault()			do { } while (0)
#define user_write_access_begin(to, size)	(user_accessible(to, size) == (size))
#define user_write_access_end()		do { } while (0)

/* Store with the same instruction as the kernel. */
#ifdef __x86_64__
#define unsafe_put_user(value, to, label)				\
	asm volatile goto("mov %0, %1" : : "r" ((__typeof__(*(to)))(value)), \
			  "m" (*(to)) : : label)
#else
#define unsafe_put_user(value, to, label)				\
	do {								\
		*(volatile __typeof__(*(to)) *)(to) = (value);		\
		if (0)							\
			goto label;					\
	} while (0)
#endif

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
