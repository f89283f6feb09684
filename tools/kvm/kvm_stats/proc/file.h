/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROC_FILE_H
#define PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define PROC_PATH_SIZE	256

/* Reads files from this directory instead of /proc, for tests. @root must stay valid. */
void proc_set_root(const char *root);

/* Writes the path of a file in /proc to @path, which has PROC_PATH_SIZE bytes. */
void proc_path(char *path, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/*
 * Reads the beginning of a file in /proc as a string. Returns false if the file does not exist or
 * cannot be read.
 */
bool proc_read(char *buf, size_t size, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

#endif /* PROC_FILE_H */
