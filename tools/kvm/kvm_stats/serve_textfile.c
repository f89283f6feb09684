// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "serve_textfile.h"

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
 * The directory may be another user's, who must not lead us elsewhere: the file has to be a
 * new one.  There is no fsync(): numbers from before a crash are of no use after it.
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
	/* Some file systems tell only now that there is no room. */
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(name);
	return err;
}

bool textfile_write(const char *name, const struct text *text, bool report)
{
	char *new_name;
	int err;

	/* node_exporter does not look at names that end so. */
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
		complain("cannot write %s: %s; it stays as it was", name, strerror(-err));
	return false;
}
