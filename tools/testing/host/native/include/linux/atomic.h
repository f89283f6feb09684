/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>

#define atomic_read(v)		(*(volatile int *)&(v)->counter)
