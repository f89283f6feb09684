// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a copy of the host file of this host, without publishing it.
 *
 * usage: host_copy PASSES >FILE
 *
 * There are 0.2 s between passes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "private_host.h"

static int copy_pass(int fd)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		if (write(STDOUT_FILENO, buf, (size_t)n) != n)
			return -1;
	}
	return (int)n;
}

int main(int argc, char **argv)
{
	int passes = argc > 1 ? atoi(argv[1]) : 1, err = 0;
	struct message why = { .what = "permission denied" };
	struct private_host *host = private_host_open(EXITS_OF_NONE, &why);

	if (!host) {
		fprintf(stderr, "host_copy: %s\n", why.what);
		return 1;
	}
	while (!err && passes--) {
		int fd = private_host_pass(host);

		err = fd < 0 ? fd : copy_pass(fd);
		if (fd >= 0)
			close(fd);
		usleep(200000);
	}
	private_host_close(host);
	return err ? 1 : 0;
}
