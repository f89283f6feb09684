/* SPDX-License-Identifier: GPL-2.0-only */
/* An unprivileged process. */
#ifndef BOOT_TESTS_NOBODY_H
#define BOOT_TESTS_NOBODY_H

#include <grp.h>
#include <unistd.h>

#include "kvm_stats_file.h"

#define NOBODY			65534

static inline const char *become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		return stats_fail("setuid: %s", strerror(errno));
	return NULL;
}

#endif /* BOOT_TESTS_NOBODY_H */
