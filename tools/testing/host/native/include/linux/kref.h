/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

struct kref {
	int refs;
};

#define kref_init(kref)		((void)((kref)->refs = 1))
#define kref_get(kref)		((void)(kref)->refs++)
#define kref_read(kref)		((kref)->refs)
#define kref_get_unless_zero(kref)	((kref)->refs ? ++(kref)->refs : 0)

static inline bool kref_put(struct kref *kref, void (*release)(struct kref *kref))
{
	if (--kref->refs)
		return false;
	release(kref);
	return true;
}
