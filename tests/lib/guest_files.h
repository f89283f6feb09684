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

/* Removes a folder with all that is in it. */
static inline void remove_folder(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void guest_files_remove(const struct guest_files *files)
{
	remove_folder(files->dir);
}

/* Returns 0, or -1 if the directory cannot be made. */
static inline int guest_files_make(struct guest_files *files)
{
	strcpy(files->dir, "/tmp/guest-files.XXXXXX");
	return mkdtemp(files->dir) ? 0 : -1;
}

/* Replaces a file in the directory by one with these bytes. Makes its directories. */
static inline void __attribute__((__format__(__printf__, 5, 6)))
guest_files_put(const struct guest_files *files, mode_t mode, const char *bytes, size_t size,
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
	if (fd < 0 || write(fd, bytes, size) < 0)
		abort();
	close(fd);
}

#define guest_files_write(files, mode, text, ...) \
	guest_files_put(files, mode, text, strlen(text), __VA_ARGS__)

/* What the file stat of a task has. Times are in ticks. Other members have other numbers. */
struct guest_task {
	const char *name;
	char state;
	long user, kernel, threads, start, guest;
};

static inline void guest_files_task(const struct guest_files *files, const char *path,
				    const struct guest_task *task)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "7 (%s) %c 1 7 7 0 -1 4194304 10 11 12 13 %ld %ld 16 17 20 0 %ld 0 %ld 999999 50 "
		 "25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 %ld 44 45 46\n",
		 task->name, task->state, task->user, task->kernel, task->threads, task->start,
		 task->guest);
	guest_files_write(files, 0600, text, "%s", path);
}

#endif /* GUEST_FILES_H */
