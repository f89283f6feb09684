/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory with fake files of the host, such as those in /proc. */
#ifndef GUEST_FILES_H
#define GUEST_FILES_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static inline void write_file(const char *path, const char *data, size_t size)
{
	FILE *file = fopen(path, "we");

	if (file) {
		fwrite(data, 1, size, file);
		fclose(file);
	}
}

#endif /* GUEST_FILES_H */
