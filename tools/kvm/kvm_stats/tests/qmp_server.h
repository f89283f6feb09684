/* SPDX-License-Identifier: GPL-2.0-only */
/* A fake QMP server for tests: a thread of this process, which behaves as a test demands. */
#ifndef TESTS_QMP_SERVER_H
#define TESTS_QMP_SERVER_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define GREETING	"{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}\r\n"

struct server {
	char path[64];
	void (*serve)(int fd);	/* NULL: accept no connection */
	int listener;
	pthread_t thread;
};

/* The directory of all sockets. The test removes it. */
static char socket_dir[] = "/tmp/qmp_test.XXXXXX";

static inline void make_socket_dir(void)
{
	if (!mkdtemp(socket_dir))
		abort();
}

static inline void say(int fd, const char *text)
{
	/* The client may have closed the connection. */
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return;
}

/* Receives until the last command of the client has arrived. */
static inline void hear(int fd, const char *last)
{
	static _Thread_local char text[4096];
	size_t len = 0;

	for (;;) {
		ssize_t n = recv(fd, text + len, sizeof(text) - 1 - len, 0);

		if (n <= 0)
			return;
		len += (size_t)n;
		text[len] = '\0';
		if (strstr(text, last))
			return;
	}
}

/* Waits until the client closes the connection. */
static inline void wait_for_end(int fd)
{
	char c;

	while (recv(fd, &c, 1, 0) > 0)
		;
}

static inline void *server_thread(void *arg)
{
	struct server *server = arg;
	int fd;

	while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
		server->serve(fd);
		close(fd);
	}
	return NULL;
}

static inline void start_server(struct server *server, const char *name, void (*serve)(int fd))
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	*server = (struct server){ .serve = serve };
	snprintf(server->path, sizeof(server->path), "%s/%s", socket_dir, name);
	memcpy(address.sun_path, server->path, sizeof(server->path));
	server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(server->listener, serve ? 16 : 1))
		abort();
	if (serve && pthread_create(&server->thread, NULL, server_thread, server))
		abort();
}

static inline void stop_server(struct server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	if (server->serve)
		pthread_join(server->thread, NULL);
	close(server->listener);
	unlink(server->path);
}

#endif /* TESTS_QMP_SERVER_H */
