/* SPDX-License-Identifier: GPL-2.0-only */
/* Where debugfs and tracefs are mounted. */
#ifndef DEBUGFS_H
#define DEBUGFS_H

#include <stddef.h>

/*
 * The path of @name in the first file system of @type ("debugfs", "tracefs") that is mounted:
 * 0, -ENODEV: none is, -EOVERFLOW.
 */
int mounted_path(const char *type, const char *name, char *path, size_t size);

#endif /* DEBUGFS_H */
