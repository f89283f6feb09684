/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory with fake files of the host, such as those in /proc. */
#ifndef GUEST_FILES_H
#define GUEST_FILES_H

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct guest_files {
	char dir[64];
};

static inline int remove_one(const char *path, const struct stat *stat, int type,
			     struct FTW *walk)
{
	(void)stat;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void guest_files_remove(const struct guest_files *files)
{
	nftw(files->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Returns 0, or -1 if the directory cannot be made. */
static inline int guest_files_make(struct guest_files *files)
{
	strcpy(files->dir, "/tmp/guest-files.XXXXXX");
	return mkdtemp(files->dir) ? 0 : -1;
}

/* Replaces a file in the directory by one with this text. Makes its directories. */
static inline void __attribute__((__format__(__printf__, 4, 5)))
guest_files_write(const struct guest_files *files, mode_t mode, const char *text,
		  const char *format, ...)
{
	char path[256];
	int used = snprintf(path, sizeof(path), "%s/", files->dir), fd;
	va_list args;
	char *at;

	va_start(args, format);
	vsnprintf(path + used, sizeof(path) - used, format, args);
	va_end(args);
	for (at = path + used; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

#endif /* GUEST_FILES_H */
