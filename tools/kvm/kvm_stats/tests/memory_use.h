/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the memory and the files of this process. */
#ifndef MEMORY_USE_H
#define MEMORY_USE_H

#include <dirent.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory_use {
	size_t in_use;		/* bytes that were allocated and not freed */
	long maps;		/* memory mappings */
	long files;
	long anonymous;		/* resident pages that are not backed by a file */
};

/*
 * Restarts this program without the C library's per-thread cache of freed blocks. The cache grows
 * over time, and mallinfo2() reports its blocks as in use.
 */
static inline void disable_malloc_cache(char **argv)
{
	static const char tunable[] = "glibc.malloc.tcache_count=0";
	const char *set = getenv("GLIBC_TUNABLES");

	if (set && !strcmp(set, tunable))
		return;
	setenv("GLIBC_TUNABLES", tunable, 1);
	execv("/proc/self/exe", argv);
	perror("/proc/self/exe");
	exit(1);
}

/*
 * Returns the number of bytes in use. The same blocks can differ by up to 16 bytes each, because
 * the allocator enlarges a block if the rest is too small for another one.
 */
static inline size_t memory_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static inline long count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	long lines = 0;
	int c;

	if (!file)
		return -1;
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static inline long count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long files = 0;

	if (!dir)
		return -1;
	while (readdir(dir))
		files++;
	closedir(dir);
	return files - 3;	/* without ".", ".." and the fd of the directory */
}

static inline long anonymous_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long size, resident = 0, shared = 0;
	bool good;

	if (!file)
		return -1;
	good = fscanf(file, "%ld %ld %ld", &size, &resident, &shared) == 3;
	fclose(file);
	return good ? resident - shared : -1;
}

static inline struct memory_use memory_use(void)
{
	return (struct memory_use){
		.files = count_files(),
		.maps = count_lines("/proc/self/maps"),
		.anonymous = anonymous_pages(),
		.in_use = memory_in_use(),
	};
}

static inline void memory_use_print(const char *when, const struct memory_use *use)
{
	printf("%s: %zu bytes in use, %ld maps, %ld files, %ld anonymous pages\n", when,
	       use->in_use, use->maps, use->files, use->anonymous);
}

#endif /* MEMORY_USE_H */
