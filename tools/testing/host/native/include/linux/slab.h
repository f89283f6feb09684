/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdlib.h>

#define GFP_KERNEL_ACCOUNT	0
#define kzalloc(size, flags)	calloc(1, size)
#define kfree(pointer)		free((void *)(pointer))
