/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/fs.h>
#include <stdlib.h>

#define NATIVE_FD	3

/* The file that was opened last. Each file gets the fd NATIVE_FD. */
extern struct file *opened_file;

static inline int get_unused_fd_flags(int flags)
{
	return NATIVE_FD;
}

static inline void put_unused_fd(int fd)
{
}

static inline void fput(struct file *file)
{
	file->f_op->release(NULL, file);
	free(file);
}

static inline void fd_install(int fd, struct file *file)
{
	opened_file = file;
}
