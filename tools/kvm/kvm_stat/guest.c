// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's processes, and the names of their guests. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kvm_stat.h"

/*
 * Copies the part of @list up to the next comma to @part, and returns what follows, or NULL at the
 * end. As in all options of QEMU, ",," is a comma in the part.
 */
static const char *next_part(const char *list, char *part, size_t size)
{
	size_t used = 0;

	for (; *list; list++) {
		if (*list == ',' && *++list != ',')
			break;
		if (used + 1 < size)
			part[used++] = *list;
	}
	part[used] = '\0';
	return *list ? list : NULL;
}

/* The argument of -name is "NAME,..." or "guest=NAME,...". */
static void parse_name(const char *argument, char *name, size_t size)
{
	char *part = resize_array(NULL, strlen(argument) + 1, 1);

	*name = '\0';
	while (argument) {
		argument = next_part(argument, part, strlen(argument) + 1);
		if (!strncmp(part, "guest=", strlen("guest="))) {
			snprintf(name, size, "%s", part + strlen("guest="));
		} else if (!strchr(part, '=')) {
			snprintf(name, size, "%s", part);
			break;
		}
	}
	free(part);
}

bool guest_name(pid_t pid, char *name, size_t size)
{
	char path[64], *argument = NULL;
	size_t capacity = 0;
	bool is_next = false;
	FILE *file;

	*name = '\0';
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (getdelim(&argument, &capacity, '\0', file) > 0) {
		if (is_next) {
			parse_name(argument, name, size);
			break;
		}
		is_next = !strcmp(argument, "-name") || !strcmp(argument, "--name");
	}
	free(argument);
	fclose(file);
	return *name;
}

struct guest *guest_list(size_t *count)
{
	struct guest *list = NULL, guest;
	DIR *proc = opendir("/proc");
	struct dirent *dirent;

	*count = 0;
	while (proc && (dirent = readdir(proc))) {
		guest.pid = atoi(dirent->d_name);
		if (guest.pid <= 0 || !guest_name(guest.pid, guest.name, sizeof(guest.name)))
			continue;
		list = resize_array(list, *count + 1, sizeof(*list));
		list[(*count)++] = guest;
	}
	if (proc)
		closedir(proc);
	return list;
}

size_t guest_find(const char *name, pid_t *pid)
{
	size_t count, found = 0, i;
	struct guest *list = guest_list(&count);

	for (i = 0; i < count; i++) {
		if (strcmp(list[i].name, name))
			continue;
		found++;
		*pid = list[i].pid;
	}
	free(list);
	return found;
}

bool process_exists(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !access(path, F_OK);
}
