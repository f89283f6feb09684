// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "source/mount.h"

int mounted_path(const char *type, const char *name, char *path, size_t size)
{
	struct mntent entry;
	char buf[4096];
	int ret = -ENODEV;
	FILE *mounts = setmntent("/proc/self/mounts", "re");

	if (!mounts)
		return -errno;
	while (ret == -ENODEV && getmntent_r(mounts, &entry, buf, sizeof(buf))) {
		if (strcmp(entry.mnt_type, type))
			continue;
		ret = (size_t)snprintf(path, size, "%s/%s", entry.mnt_dir, name) < size ?
		      0 : -EOVERFLOW;
	}
	endmntent(mounts);
	return ret;
}
