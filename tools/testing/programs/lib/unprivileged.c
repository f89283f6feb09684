// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <grp.h>
#include <unistd.h>

#include "kvm_stats_file.h"
#include "lib/unprivileged.h"

const char *become_unprivileged(void)
{
	if (setgroups(0, NULL) || setgid(UNPRIVILEGED_UID) || setuid(UNPRIVILEGED_UID))
		return stats_fail("setuid: %s", strerror(errno));
	return NULL;
}
