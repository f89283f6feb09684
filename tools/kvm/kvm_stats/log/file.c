// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/file.h"
#include "util.h"

#define MAX_PENDING	1048576u
#define MAX_FIRST_LINE	65536u

static const char *name_of(const struct log_file *file)
{
	return file->name ? file->name : "standard output";
}

static int open_for_append(const char *name)
{
	int fd = open(name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	/* A pipe or terminal may be writable only. */
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
	return fd;
}

bool log_file_open(struct log_file *file, const char *name)
{
	*file = (struct log_file){ .name = name, .fd = STDOUT_FILENO };
	if (!name)
		return true;
	file->fd = open_for_append(name);
	if (file->fd >= 0)
		return true;
	complain("cannot open %s for appending: %s", name, strerror(errno));
	return false;
}

/* Removes a partial record from the end of the file. */
static void truncate_to(const struct log_file *file, off_t size)
{
	struct stat st;

	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode) && st.st_size > size &&
	    ftruncate(file->fd, size))
		complain("%s ends with a partial record, which cannot be removed: %s",
			 name_of(file), strerror(errno));
}

static off_t size_of(const struct log_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) || !S_ISREG(st.st_mode) ? -1 : st.st_size;
}

/*
 * Writes all of @text, or nothing if the file can be truncated. Returns the number of bytes, or
 * -errno.
 */
static ssize_t write_whole(const struct log_file *file, const char *text, size_t size)
{
	off_t start = size_of(file);
	size_t done = 0;

	while (done < size) {
		ssize_t n = write(file->fd, text + done, size - done);
		int err = errno;

		if (n < 0 && err == EINTR)
			continue;
		if (n >= 0) {
			done += n;
			continue;
		}
		if (start < 0)
			return done ? (ssize_t)done : -err;
		truncate_to(file, start);
		return -err;
	}
	return (ssize_t)done;
}

/* Removes what was written from the pending records. Returns 0 or -errno. */
static int write_pending(struct log_file *file)
{
	ssize_t n = write_whole(file, file->pending.data, file->pending.size);

	if (n < 0)
		return (int)n;
	text_drop(&file->pending, (size_t)n);
	return file->pending.size ? -EIO : 0;
}

/* Returns whether to continue. */
static bool handle_error(struct log_file *file, int err)
{
	bool fatal = err == -EPIPE || !file->name;

	if (fatal && err != -EPIPE)
		complain("cannot write the output: %s", strerror(-err));
	if (fatal)
		return false;
	if (!file->failing)
		complain("cannot write to %s: %s. Records are kept in memory until writing works.",
			 file->name, strerror(-err));
	file->failing = true;
	return file->pending.size <= MAX_PENDING;
}

bool log_file_write(struct log_file *file, const char *text, size_t size)
{
	int err;

	text_add(&file->pending, text, size);
	if (file->pending.failed) {
		complain("out of memory");
		return false;
	}
	err = write_pending(file);
	if (err)
		return handle_error(file, err);
	if (file->failing)
		complain("can write to %s again; no record is lost", file->name);
	file->failing = false;
	return true;
}

void log_file_reopen(struct log_file *file)
{
	int fd;

	if (!file->name)
		return;
	fd = open_for_append(file->name);
	if (fd < 0) {
		complain("cannot open %s again: %s. Records still go to the previous file.",
			 file->name, strerror(errno));
		return;
	}
	/* Pending records belong to the old file, if it can be written. */
	if (file->pending.size)
		write_pending(file);
	close(file->fd);
	file->fd = fd;
}

char *log_file_first_line(const struct log_file *file)
{
	char *text;
	ssize_t n;

	if (size_of(file) <= 0)
		return NULL;
	text = malloc(MAX_FIRST_LINE);
	n = text ? pread(file->fd, text, MAX_FIRST_LINE - 1, 0) : -1;
	if (n <= 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

bool log_file_close(struct log_file *file)
{
	int err = file->pending.size ? write_pending(file) : 0;
	size_t lost = 0;
	bool good;
	size_t i;

	for (i = 0; i < file->pending.size; i++)
		lost += file->pending.data[i] == '\n';
	if (file->pending.size && err != -EPIPE)
		complain("%zu line%s could not be written to %s", lost, plural(lost),
			 name_of(file));
	if (file->name && close(file->fd)) {
		complain("cannot write to %s: %s", file->name, strerror(errno));
		lost++;
	}
	good = !lost && !file->pending.size;
	text_free(&file->pending);
	return good;
}
