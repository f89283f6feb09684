// SPDX-License-Identifier: GPL-2.0-only
#include "qmp/built_in.h"

bool qmp_is_built_in(void)
{
	return false;
}
