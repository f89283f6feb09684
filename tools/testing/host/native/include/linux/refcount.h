/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

typedef struct {
	int refs;
} refcount_t;

static inline bool refcount_inc_not_zero(refcount_t *r)
{
	return r->refs && ++r->refs;
}
