// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "qemu/qmp.h"

/* A query takes milliseconds natively, but seconds in an emulated machine under load. */
#define QMP_SECONDS	240
#define QMP_CHUNK	65536

static void fail(struct qmp *qmp, const char *fmt, ...)
	__attribute__((__format__(__printf__, 2, 3)));

static void fail(struct qmp *qmp, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(qmp->error, sizeof(qmp->error), fmt, ap);
	va_end(ap);
}

static int grow_buffer(struct qmp *qmp)
{
	char *buf;

	if (qmp->size - qmp->len >= QMP_CHUNK)
		return 0;

	buf = realloc(qmp->buf, qmp->size + QMP_CHUNK);
	if (!buf) {
		fail(qmp, "out of memory after %zu bytes of one reply", qmp->len);
		return -1;
	}
	qmp->buf = buf;
	qmp->size += QMP_CHUNK;
	return 0;
}

/* Waits for data until @deadline. Returns 0, or -1 on error. */
static int receive(struct qmp *qmp, long long deadline)
{
	struct pollfd pfd = { .fd = qmp->fd, .events = POLLIN };
	ssize_t n;

	if (grow_buffer(qmp))
		return -1;

	n = poll(&pfd, 1, ms_until(deadline));
	if (n == 0) {
		fail(qmp, "no reply from QEMU within %d seconds", QMP_SECONDS);
		return -1;
	}
	if (n > 0)
		n = recv(qmp->fd, qmp->buf + qmp->len, QMP_CHUNK, 0);
	if (n < 0) {
		fail(qmp, "reading the QMP socket: %s", strerror(errno));
		return -1;
	}
	if (n == 0) {
		fail(qmp, "QEMU closed the QMP socket");
		return -1;
	}
	qmp->len += n;
	return 0;
}

/* Returns the next line as a JSON object, which is a new reference. */
static json_t *next_object(struct qmp *qmp, long long deadline)
{
	json_error_t err;
	json_t *obj;
	char *end;

	while (!qmp->len || !(end = memchr(qmp->buf, '\n', qmp->len)))
		if (receive(qmp, deadline))
			return NULL;

	obj = json_loadb(qmp->buf, end - qmp->buf, 0, &err);
	if (!obj)
		fail(qmp, "QEMU's reply is not JSON: %s at %d", err.text, err.position);

	end++;
	qmp->len -= end - qmp->buf;
	memmove(qmp->buf, end, qmp->len);
	return obj;
}

static int send_line(struct qmp *qmp, const char *line)
{
	size_t len = strlen(line);

	while (len) {
		ssize_t n = send(qmp->fd, line, len, MSG_NOSIGNAL);

		if (n < 0) {
			fail(qmp, "writing the QMP socket: %s", strerror(errno));
			return -1;
		}
		line += n;
		len -= n;
	}
	return 0;
}

static int send_command(struct qmp *qmp, const char *command, json_t *args)
{
	json_t *obj = json_pack("{s:s, s:o*}", "execute", command, "arguments", args);
	char *text = json_dumps(obj, JSON_COMPACT), *line = NULL;
	int ret = -1;

	/* Sent in one piece, because QEMU executes quit before it has received the newline. */
	if (text && asprintf(&line, "%s\n", text) > 0)
		ret = send_line(qmp, line);
	else
		fail(qmp, "the command %s cannot be encoded as JSON", command);

	free(line);
	free(text);
	json_decref(obj);
	return ret;
}

json_t *qmp_call(struct qmp *qmp, const char *command, json_t *args)
{
	long long deadline = ms_now() + QMP_SECONDS * 1000LL;
	json_t *obj, *ret, *error;

	qmp->error[0] = '\0';
	if (send_command(qmp, command, args))
		return NULL;

	for (;;) {
		obj = next_object(qmp, deadline);
		if (!obj)
			return NULL;

		ret = json_object_get(obj, "return");
		error = json_object_get(obj, "error");
		if (ret || error)
			break;
		json_decref(obj);		/* an event */
	}

	json_incref(ret);
	if (!ret)
		fail(qmp, "%s", json_string_value(json_object_get(error, "desc")) ?: "no reason");
	json_decref(obj);
	return ret;
}

int qmp_open(struct qmp *qmp, int fd)
{
	json_t *ret;

	memset(qmp, 0, sizeof(*qmp));
	qmp->fd = fd;

	qmp->greeting = next_object(qmp, ms_now() + QMP_SECONDS * 1000LL);
	if (!qmp->greeting)
		return -1;
	if (!json_object_get(qmp->greeting, "QMP")) {
		fail(qmp, "the first line from QEMU is not a greeting");
		return -1;
	}

	ret = qmp_call(qmp, "qmp_capabilities", NULL);
	json_decref(ret);
	return ret ? 0 : -1;
}

void qmp_close(struct qmp *qmp)
{
	json_decref(qmp->greeting);
	free(qmp->buf);
	close(qmp->fd);
	qmp->greeting = NULL;
	qmp->buf = NULL;
	qmp->fd = -1;
}
