// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "qmp/built_in.h"
#include "qmp/session.h"

bool qmp_is_built_in(void)
{
	return true;
}

#define CHUNK		65536
/* The statistics of a thousand vCPUs take about 6 MB. */
#define MAX_RECEIVED	((size_t)64 << 20)

struct qmp_session *qmp_session_new(const struct qmp_socket *socket, pid_t pid)
{
	struct qmp_session *session = calloc(1, sizeof(*session));

	if (!session) {
		free(socket->path);
		return NULL;
	}
	session->socket = *socket;
	session->pid = pid;
	session->fd = -1;
	return session;
}

static void free_answers(struct qmp_session *session)
{
	size_t i;

	for (i = 0; i < QMP_COMMANDS; i++) {
		json_decref(session->answer[i]);
		session->answer[i] = NULL;
	}
}

/* Ends the attempt, with @err if it has failed. */
static void disconnect(struct qmp_session *session, int err)
{
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
	session->err = err;
	free(session->buf);
	session->buf = NULL;
	session->size = 0;
	session->len = 0;
	if (err)
		free_answers(session);
}

void qmp_session_free(struct qmp_session *session)
{
	disconnect(session, -ECANCELED);
	free(session->socket.path);
	free(session);
}

/* ---- commands ---- */

static const char * const commands[QMP_COMMANDS] = {
	[QMP_CAPABILITIES] = "\"qmp_capabilities\"",
	[QMP_STATS_VM] = "\"query-stats\", \"arguments\": "
		"{\"target\": \"vm\", \"providers\": [{\"provider\": \"kvm\"}]}",
	[QMP_STATS_VCPU] = "\"query-stats\", \"arguments\": "
		"{\"target\": \"vcpu\", \"providers\": [{\"provider\": \"kvm\"}]}",
	[QMP_SCHEMAS] = "\"query-stats-schemas\", \"arguments\": {\"provider\": \"kvm\"}",
	[QMP_CPUS] = "\"query-cpus-fast\"",
};

/* All commands fit in the buffer of the socket. Returns 0 or -errno. */
static int send_commands(const struct qmp_session *session)
{
	char text[1024];
	size_t len = 0, i;
	ssize_t n;

	for (i = 0; i < QMP_COMMANDS; i++) {
		if (session->asked & 1u << i)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"{\"execute\": %s, \"id\": %zu}\r\n",
						commands[i], i);
	}
	n = send(session->fd, text, len, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EPIPE ? -ECONNRESET : -errno;
	return (size_t)n == len ? 0 : -EIO;
}

void qmp_session_start(struct qmp_session *session, unsigned int commands)
{
	free_answers(session);
	session->greeted = false;
	session->asked = commands;
	session->missing = commands;
	session->line = 0;
	session->scanned = 0;
	session->received = 0;
	session->err = 0;
	session->fd = qmp_connect(&session->socket, session->pid);
	if (session->fd < 0)
		disconnect(session, session->fd);
}

/* ---- messages ---- */

static int error_of(const json_t *error)
{
	const char *class = json_string_value(json_object_get(error, "class"));

	return class && !strcmp(class, "CommandNotFound") ? -EOPNOTSUPP : -EIO;
}

/* The first message is the greeting. Until it arrives, the program there may not speak QMP. */
static int handle_greeting(struct qmp_session *session, const json_t *message)
{
	if (!json_object_get(message, "QMP"))
		return -EPROTO;
	session->greeted = true;
	return send_commands(session);
}

/* Ignores events, and answers without the ID of a command. */
static int handle_answer(struct qmp_session *session, const json_t *message)
{
	const json_t *id = json_object_get(message, "id");
	const json_t *error = json_object_get(message, "error");
	double number = json_is_number(id) ? json_number_value(id) : -1;
	unsigned int command;

	if (number < 0 || number >= QMP_COMMANDS)
		return 0;
	command = (unsigned int)number;
	if (!(session->missing & 1u << command))
		return 0;
	if (error)
		return error_of(error);
	session->answer[command] = json_incref(json_object_get(message, "return"));
	if (!session->answer[command])
		return -EPROTO;
	session->missing &= ~(1u << command);
	return 0;
}

/* Integers of jansson are signed. A larger one becomes the negative one with the same bits. */
static json_t *parse_large(const char *text, size_t len)
{
	char *copy = malloc(2 * len + 1), *to = copy;
	json_t *message = NULL;
	bool is_string = false;
	size_t i = 0;

	while (copy && i < len) {
		size_t digits = is_string ? 0 : strspn(text + i, "0123456789");

		if (digits > 18) {
			to += sprintf(to, "%lld", (long long)strtoull(text + i, NULL, 10));
			i += digits;
			continue;
		}
		if (text[i] == '"')
			is_string = !is_string;
		else if (text[i] == '\\')
			*to++ = text[i++];
		*to++ = text[i++];
	}
	if (copy)
		message = json_loadb(copy, (size_t)(to - copy), 0, NULL);
	free(copy);
	return message;
}

/* The text ends with a newline. */
static json_t *parse(const char *text, size_t len)
{
	json_error_t error;
	json_t *message = json_loadb(text, len, 0, &error);

	if (!message && json_error_code(&error) == json_error_numeric_overflow)
		message = parse_large(text, len);
	return message;
}

static int handle_message(struct qmp_session *session, const char *text, size_t len)
{
	json_t *message = parse(text, len);
	int err = -EPROTO;

	if (json_is_object(message))
		err = session->greeted ? handle_answer(session, message) :
					 handle_greeting(session, message);
	json_decref(message);
	return err;
}

/*
 * Whether the line that ends at @end is the last one of a message. A message is one line, or with
 * -qmp-pretty many lines, of which only the first and the last start with a brace.
 */
static bool ends_message(const char *buf, size_t line, size_t end)
{
	while (end > line && (buf[end - 1] == '\r' || buf[end - 1] == ' '))
		end--;
	if (end == line)
		return false;
	return buf[line] == '}' || (!line && end > 1 && buf[end - 1] == '}');
}

/* Returns the length of the first message in @text, or 0 if it is not complete. */
static size_t message_length(struct qmp_session *session, const char *text, size_t len)
{
	while (session->scanned < len) {
		const char *newline = memchr(text + session->scanned, '\n', len - session->scanned);
		size_t line = session->line;

		session->scanned = newline ? (size_t)(newline - text) + 1 : len;
		if (!newline)
			break;
		session->line = session->scanned;
		if (ends_message(text, line, session->scanned - 1))
			return session->scanned;
	}
	return 0;
}

/* Handles the first message in @text. Returns its length, 0 if it is not complete, or -errno. */
static ssize_t handle_text(struct qmp_session *session, const char *text, size_t len)
{
	size_t length;
	int err;

	if (*text == '\r' || *text == '\n')
		return 1;
	if (*text != '{')
		return -EPROTO;
	length = message_length(session, text, len);
	if (!length)
		return 0;
	session->line = 0;
	session->scanned = 0;
	err = handle_message(session, text, length);
	return err ? err : (ssize_t)length;
}

/* Handles the complete messages in the buffer. Returns 0 or -errno. */
static int handle_buffer(struct qmp_session *session)
{
	size_t start = 0;
	ssize_t n = 1;

	while (n > 0 && session->missing && start < session->len) {
		n = handle_text(session, session->buf + start, session->len - start);
		start += n > 0 ? (size_t)n : 0;
	}
	session->len -= start;
	memmove(session->buf, session->buf + start, session->len);
	return n < 0 ? (int)n : 0;
}

/* ---- input ---- */

static int grow_buffer(struct qmp_session *session)
{
	char *more;

	if (session->size - session->len >= CHUNK)
		return 0;
	more = realloc(session->buf, 2 * session->size + CHUNK);
	if (!more)
		return -ENOMEM;
	session->buf = more;
	session->size = 2 * session->size + CHUNK;
	return 0;
}

/* Receives what has arrived. Returns 0 or -errno. */
static int receive(struct qmp_session *session)
{
	ssize_t n;
	int err = grow_buffer(session);

	if (err)
		return err;
	n = recv(session->fd, session->buf + session->len, session->size - session->len, 0);
	if (!n)
		return -ECONNRESET;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	session->len += (size_t)n;
	session->received += (size_t)n;
	return session->received > MAX_RECEIVED ? -EOVERFLOW : handle_buffer(session);
}

static void advance(struct qmp_session *session)
{
	int err = receive(session);

	if (err || !session->missing)
		disconnect(session, err);
}

/* ---- several sessions ---- */

/* Lists the connected sessions for poll(). Returns their number. */
static size_t list_connected(struct qmp_session * const *session, size_t count,
			     struct pollfd *polled)
{
	size_t connected = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		polled[i] = (struct pollfd){ .fd = session[i]->fd, .events = POLLIN };
		connected += session[i]->fd >= 0;
	}
	return connected;
}

static void fail_all(struct qmp_session * const *session, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (session[i]->fd >= 0)
			disconnect(session[i], session[i]->greeted ? -ETIMEDOUT : -EBUSY);
	}
}

void qmp_sessions_finish(struct qmp_session * const *session, size_t count, uint64_t deadline)
{
	struct pollfd *polled = calloc(count + 1, sizeof(*polled));
	size_t i;

	while (polled && list_connected(session, count, polled) && clock_now() < deadline) {
		struct timespec left = clock_until(deadline);

		if (ppoll(polled, count, &left, NULL) <= 0)
			continue;
		for (i = 0; i < count; i++) {
			if (polled[i].revents)
				advance(session[i]);
		}
	}
	free(polled);
	fail_all(session, count);
}
