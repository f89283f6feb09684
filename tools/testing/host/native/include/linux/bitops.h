/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}
