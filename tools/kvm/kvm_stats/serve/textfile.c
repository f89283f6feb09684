// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "serve/textfile.h"

static int write_all(int fd, const struct text *text)
{
	size_t done = 0;

	while (done < text->size) {
		ssize_t n = write(fd, text->data + done, text->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += n;
	}
	return 0;
}

/*
 * Another user can own the directory and put a symbolic link there, so write only to a file that
 * this function created. Does not call fsync(), because the statistics are useless after a
 * crash of the machine.
 */
static int write_new(const char *name, const struct text *text)
{
	int fd, err;

	if (unlink(name) && errno != ENOENT)
		return -errno;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text);
	/* Some file systems report only here that the disk is full. */
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(name);
	return err;
}

/* Returns 0 or -errno. */
static int check_directory(const char *name)
{
	char *copy = strdup(name);
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (eaccess(dirname(copy), W_OK | X_OK))
		err = -errno;
	free(copy);
	return err;
}

bool textfile_check(const char *name)
{
	struct stat st;
	int err = check_directory(name);

	if (!err && (name[strlen(name) - 1] == '/' || (!stat(name, &st) && S_ISDIR(st.st_mode))))
		err = -EISDIR;
	if (!err)
		return true;
	complain("%s: cannot write: %s. Choose a file in a directory that kvm-stats can write to.",
		 name, strerror(-err));
	return false;
}

bool textfile_write(const char *name, const struct text *text, bool report)
{
	char *new_name;
	int err;

	/* node_exporter ignores names that do not end in .prom. */
	if (asprintf(&new_name, "%s.new", name) < 0) {
		complain("out of memory");
		return false;
	}
	err = write_new(new_name, text);
	if (!err && rename(new_name, name)) {
		err = -errno;
		unlink(new_name);
	}
	free(new_name);
	if (!err)
		return true;
	if (report)
		complain("%s: cannot write: %s. The previous file is kept.", name, strerror(-err));
	return false;
}
