// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "proc/file.h"

static const char *proc_root = "/proc";

void proc_set_root(const char *root)
{
	proc_root = root;
}

static void put_path(char *path, const char *format, va_list args)
{
	int len = snprintf(path, PROC_PATH_SIZE, "%s/", proc_root);

	if (len > 0 && len < PROC_PATH_SIZE)
		vsnprintf(path + len, PROC_PATH_SIZE - len, format, args);
}

void proc_path(char *path, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_path(path, format, args);
	va_end(args);
}

bool proc_read(char *buf, size_t size, const char *format, ...)
{
	char path[PROC_PATH_SIZE];
	va_list args;
	ssize_t n;
	int fd;

	va_start(args, format);
	put_path(path, format, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}
