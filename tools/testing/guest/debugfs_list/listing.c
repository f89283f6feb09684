// SPDX-License-Identifier: GPL-2.0-only
/* List the files and compare the list with the reference list. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "debugfs_list/debugfs_list.h"

static void add_line(struct listing *list, const char *fmt, ...)
{
	va_list args;

	if (list->count == MAX_FILES) {
		printf("Bail out! more than %d files\n", MAX_FILES);
		exit(1);
	}
	va_start(args, fmt);
	check_result(vasprintf(&list->line[list->count++], fmt, args), "memory");
	va_end(args);
}

static void free_listing(struct listing *list)
{
	while (list->count)
		free(list->line[--list->count]);
}

/*
 * Adds the files in @dir, with @prefix before their names. Descends into subdirectories, unless
 * @dir is the top directory. In that case @prefix is empty.
 */
static void list_dir(struct listing *list, const char *dir, const char *prefix)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(dir);

	check_result(d ? 0 : -1, dir);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		check_result(lstat(path, &st), path);
		if (S_ISREG(st.st_mode)) {
			add_line(list, "%04o %s%s", st.st_mode & 07777, prefix,
				 entry->d_name);
		} else if (*prefix) {
			snprintf(name, sizeof(name), "%s%s/", prefix, entry->d_name);
			list_dir(list, path, name);
		}
	}
	closedir(d);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

void list_files(struct listing *list, const struct vm *vm)
{
	list->count = 0;
	list_dir(list, KVM_DIR, "");
	list_dir(list, vm->dir, "vm/");
	qsort(list->line, list->count, sizeof(list->line[0]), compare_lines);
}

static bool has_line(const struct listing *list, const char *line)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		if (!strcmp(list->line[i], line))
			return true;
	}
	return false;
}

/* Reads the reference list. Lines with '?' go to @optional, without the '?'. */
static bool read_list(const char *path, struct listing *list, struct listing *optional)
{
	char line[PATH_MAX], mode[8], name[PATH_MAX];
	FILE *f = fopen(path, "r");

	list->count = 0;
	optional->count = 0;
	if (!f)
		return fail("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || sscanf(line, "%7s %[^\n]", mode, name) != 2)
			continue;
		if (name[0] == '?')
			add_line(optional, "%s %s", mode, name + 1);
		else
			add_line(list, "%s %s", mode, name);
	}
	fclose(f);
	return true;
}

bool same_files(const struct listing *here)
{
	static struct listing list, optional;
	char path[PATH_MAX];
	const char *arch = getenv("BOOT_ARCH");
	bool ok = true;
	size_t i;

	snprintf(path, sizeof(path), "/tests/debugfs-%s.list", arch ? arch : "x86_64");
	if (!read_list(path, &list, &optional))
		return false;
	for (i = 0; i < list.count; i++) {
		if (has_line(here, list.line[i]))
			continue;
		printf("# missing: %s\n", list.line[i]);
		ok = fail("the files differ from those in %s", path);
	}
	for (i = 0; i < here->count; i++) {
		if (has_line(&list, here->line[i]) || has_line(&optional, here->line[i]))
			continue;
		printf("# new: %s\n", here->line[i]);
		ok = fail("the files differ from those in %s", path);
	}
	free_listing(&list);
	free_listing(&optional);
	return ok;
}

const char *name_of(const char *line)
{
	return strchr(line, ' ') + 1;
}

const char *path_of(const char *line, const struct vm *vm, char path[PATH_MAX])
{
	const char *name = name_of(line);

	if (!strncmp(name, "vm/", 3))
		snprintf(path, PATH_MAX, "%.2000s/%s", vm->dir, name + 3);
	else
		snprintf(path, PATH_MAX, KVM_DIR "/%s", name);
	return path;
}
