/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out where debugfs and tracefs are mounted. */
#ifndef SOURCE_MOUNT_H
#define SOURCE_MOUNT_H

#include <stddef.h>

/*
 * Stores the path of @name in the first mounted file system of @type ("debugfs", "tracefs").
 * Returns 0, -ENODEV if no such file system is mounted, or -EOVERFLOW.
 */
int mounted_path(const char *type, const char *name, char *path, size_t size);

#endif /* SOURCE_MOUNT_H */
