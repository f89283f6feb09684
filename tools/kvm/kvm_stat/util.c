// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kvm_stat.h"

/* ---- messages and memory ---- */

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("kvm_stat: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void (*restore_terminal)(void);

static void *require_memory(void *memory)
{
	if (memory)
		return memory;
	if (restore_terminal)
		restore_terminal();
	complain("out of memory");
	exit(1);
}

void *resize_array(void *array, size_t count, size_t size)
{
	return require_memory(reallocarray(array, count, size));
}

char *copy_text(const char *text)
{
	return require_memory(strdup(text));
}

char *make_text(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return require_memory(text);
}

/* ---- sources ---- */

bool source_fails(struct source *source, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(source->problem, sizeof(source->problem), format, args);
	va_end(args);
	return false;
}

void source_add(struct source *source, const char *name, int parent)
{
	source->stat = resize_array(source->stat, source->count + 1, sizeof(*source->stat));
	source->stat[source->count++] = (struct statistic){
		.name = copy_text(name), .parent = parent,
	};
}

void source_free(struct source *source)
{
	while (source->count)
		free(source->stat[--source->count].name);
	free(source->stat);
	free(source);
}

/* ---- the rest ---- */

char *find_mount(const char *type)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *dir = NULL;

	while (mounts && !dir && (entry = getmntent(mounts))) {
		if (!strcmp(entry->mnt_type, type))
			dir = copy_text(entry->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return dir;
}

bool parse_delay(const char *text, double *delay, char *why, size_t size)
{
	char *end;

	*delay = strtod(text, &end);
	if (end != text && !*end && *delay >= MIN_DELAY && *delay <= MAX_DELAY)
		return true;
	snprintf(why, size, "the delay must be from %.1f to %.1f seconds, not '%s'", MIN_DELAY,
		 MAX_DELAY, text);
	return false;
}

bool parse_pid(const char *text, pid_t *pid)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	*pid = (pid_t)number;
	return !errno && *text >= '0' && *text <= '9' && !*end && number > 0 && number <= INT_MAX;
}

uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}
