// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/log_file.h"
#include "util.h"

static int open_for_append(const char *name)
{
	int fd = open_readable(name, O_RDWR | O_APPEND);

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

off_t log_file_size(const struct log_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) || !S_ISREG(st.st_mode) ? -1 : st.st_size;
}

/* Writes all of @text, or nothing if the file is a regular one. Returns 0 or -errno. */
static int write_whole(const struct log_file *file, const char *text, size_t size)
{
	off_t start = log_file_size(file);

	while (size) {
		ssize_t n = write(file->fd, text, size);
		int err = errno;

		if (n >= 0) {
			text += n;
			size -= (size_t)n;
		} else if (err != EINTR) {
			if (start >= 0 && log_file_size(file) > start && ftruncate(file->fd, start))
				complain("%s ends with a partial record, which cannot be removed: "
					 "%s", file->name ? file->name : "standard output",
					 strerror(errno));
			return -err;
		}
	}
	return 0;
}

bool log_file_write(struct log_file *file, const char *text, size_t size)
{
	int err = write_whole(file, text, size);

	if (!file->name) {
		if (err && err != -EPIPE)
			complain("cannot write the output: %s", strerror(-err));
		return !err;
	}
	if (err && !file->failing)
		complain("cannot write to %s: %s. Lines are lost until writing works.",
			 file->name, strerror(-err));
	else if (!err && file->failing)
		complain("can write to %s again; %zu line%s could not be written", file->name,
			 file->lost, plural(file->lost));
	file->lost += !!err;
	file->failing = err;
	return err != -EPIPE;
}

void log_file_reopen(struct log_file *file)
{
	int fd;

	if (!file->name)
		return;
	fd = open_for_append(file->name);
	if (fd < 0) {
		complain("cannot open %s again: %s. Lines still go to the previous file.",
			 file->name, strerror(errno));
		return;
	}
	close(file->fd);
	file->fd = fd;
}

bool log_file_close(struct log_file *file)
{
	if (file->failing)
		complain("%zu line%s could not be written to %s", file->lost, plural(file->lost),
			 file->name);
	if (!file->name || !close(file->fd))
		return !file->lost;
	complain("cannot write to %s: %s", file->name, strerror(errno));
	return false;
}
