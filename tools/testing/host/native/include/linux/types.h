/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

typedef struct {
	s64 counter;
} atomic64_t;

typedef struct {
	int counter;
} atomic_t;

#define __user
