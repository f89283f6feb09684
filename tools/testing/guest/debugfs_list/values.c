// SPDX-License-Identifier: GPL-2.0-only
/* Read and write the files. */
#include <stdlib.h>

#include "debugfs_list/debugfs_list.h"

int check_result(int result, const char *what)
{
	if (result < 0) {
		printf("Bail out! %s: %s\n", what, strerror(errno));
		exit(1);
	}
	return result;
}

/* The file must consist of one decimal number and a newline. */
bool read_number(const char *path, long long *value)
{
	char text[64], end;
	int len = 0, more;
	ssize_t got;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return fail("%s: %s", path, strerror(errno));
	got = read(fd, text, sizeof(text) - 1);
	more = read(fd, &end, 1);
	close(fd);
	if (got <= 0)
		return fail("%s: read returns %zd", path, got);
	text[got] = '\0';
	if (sscanf(text, "%lld%c%n", value, &end, &len) != 2 || end != '\n' ||
	    len != got || text[0] == '+' || text[0] == ' ')
		return fail("%s: '%s' is not a number and a newline", path, text);
	if (more)
		return fail("%s: the file continues after the number", path);
	return true;
}

long long number_in(const char *dir, const char *name)
{
	char path[PATH_MAX];
	long long value;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, name);
	if (!read_number(path, &value)) {
		printf("# %s\n", failure);
		return -1;
	}
	return value;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}
