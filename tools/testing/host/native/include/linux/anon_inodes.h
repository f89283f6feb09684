/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/fs.h>
#include <stdlib.h>

static inline struct file *anon_inode_getfile(const char *name, const struct file_operations *fops,
					      void *private_data, int flags)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return (void *)-ENOMEM;
	file->f_op = fops;
	file->private_data = private_data;
	return file;
}
