/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

static inline bool perfmon_capable(void)
{
	return true;
}
