/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory with fake files of libvirt. */
#ifndef GUEST_FILES_H
#define GUEST_FILES_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct guest_files {
	char dir[64];
	char libvirt[80];
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

/* Returns 0, or -1 if a directory cannot be made. */
static inline int guest_files_make(struct guest_files *files)
{
	char path[128];

	strcpy(files->dir, "/tmp/guest-files.XXXXXX");
	if (!mkdtemp(files->dir))
		return -1;
	snprintf(files->libvirt, sizeof(files->libvirt), "%s/libvirt", files->dir);
	snprintf(path, sizeof(path), "%s/qemu", files->libvirt);
	return mkdir(files->libvirt, 0755) || mkdir(path, 0755);
}

static inline void write_file(const char *path, const char *data, size_t size)
{
	FILE *file = fopen(path, "we");

	if (file) {
		fwrite(data, 1, size, file);
		fclose(file);
	}
}

static inline void write_libvirt(const struct guest_files *files, const char *file,
				 const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/qemu/%s", files->libvirt, file);
	write_file(path, text, strlen(text));
}

#endif /* GUEST_FILES_H */
