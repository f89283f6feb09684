// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/http.h"

#define TIME_LIMIT	60	/* seconds, for each recv() */

static int connect_to(const char *address, int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	const struct timeval limit = { .tv_sec = TIME_LIMIT };
	int fd;

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		return -EINVAL;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* The server closes the connection after its answer. */
static int receive_all(int fd, char **text)
{
	size_t size;
	FILE *stream = open_memstream(text, &size);
	char buf[16384];
	ssize_t n;

	if (!stream)
		return -ENOMEM;
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		fwrite(buf, 1, n, stream);
	if (n < 0)
		n = -errno;
	return fclose(stream) ? -ENOMEM : (int)n;
}

static int parse(struct http_answer *answer)
{
	answer->body = answer->text ? strstr(answer->text, "\r\n\r\n") : NULL;
	if (!answer->body || sscanf(answer->text, "HTTP/1.1 %d", &answer->status) != 1)
		return -EPROTO;
	answer->body += strlen("\r\n\r\n");
	return 0;
}

int http_get(struct http_answer *answer, const char *address, int port, const char *path,
	     const char *accept)
{
	char request[512];
	int fd = connect_to(address, port);
	int err;

	*answer = (struct http_answer){ 0 };
	if (fd < 0)
		return fd;
	snprintf(request, sizeof(request),
		 "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\nConnection: close\r\n\r\n", path,
		 address, accept);
	if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		err = -errno;
	else
		err = receive_all(fd, &answer->text);
	close(fd);
	return err ? err : parse(answer);
}

void http_free(struct http_answer *answer)
{
	free(answer->text);
	*answer = (struct http_answer){ 0 };
}
