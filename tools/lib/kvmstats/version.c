// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include "kvmstats.h"

unsigned int kvmstats_version(void)
{
	return KVMSTATS_VERSION_NUMBER;
}
