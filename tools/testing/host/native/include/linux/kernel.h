/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <assert.h>
#include <errno.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* 1 if the option is defined as 1, 0 if it is not defined */
#define NATIVE_COMMA_1		0,
#define NATIVE_SECOND(ignored, second, ...)	second
#define NATIVE_IS_1(comma)	NATIVE_SECOND(comma 1, 0)
#define NATIVE_PASTE(value)	NATIVE_IS_1(NATIVE_COMMA_##value)
#define IS_ENABLED(option)	NATIVE_PASTE(option)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BUILD_BUG_ON_ZERO(e)	((int)sizeof(struct { int:(-!!(e)); }))
#define sizeof_field(type, field)	sizeof(((type *)0)->field)
#define offsetofend(type, field)	(offsetof(type, field) + sizeof_field(type, field))
#define container_of(pointer, type, field)	\
	((type *)((char *)(pointer) - offsetof(type, field)))

#define min(a, b)	\
	({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max_t(type, a, b)	({ type _x = (a), _y = (b); _x > _y ? _x : _y; })
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#define IS_ERR(pointer)		((uintptr_t)(pointer) >= (uintptr_t)-4095)
#define PTR_ERR(pointer)	((long)(pointer))

#define __aligned(n)		__attribute__((__aligned__(n)))
#define noinline		__attribute__((__noinline__))

#define cond_resched()		((void)0)

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))
