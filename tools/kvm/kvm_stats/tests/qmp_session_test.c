// SPDX-License-Identifier: GPL-2.0-only
/* Test sessions with fake QMP servers that do not behave as QEMU does. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "qmp/session.h"
#include "qmp_server.h"
#include "tap.h"

#define LIMIT		(300 * MILLISECOND)
#define ANSWERS		"{\"return\": {}, \"id\": 0}\r\n{\"return\": [1], \"id\": 1}\r\n" \
			"{\"return\": [2], \"id\": 2}\r\n"
#define EVENT		"{\"event\": \"RESUME\", \"timestamp\": {\"seconds\": 1}}\r\n"
#define LAST		"\"id\": 2}"

static struct qmp_session *new_session(const char *path)
{
	struct qmp_socket socket = { .path = strdup(path) };
	struct qmp_session *session = qmp_session_new(&socket, getpid());

	if (!session)
		abort();
	return session;
}

/* Returns the error of a session that has @limit to get its answers. */
static int ask(struct qmp_session *session, uint64_t limit)
{
	qmp_session_start(session, QMP_VALUES);
	qmp_sessions_finish(&session, 1, clock_now() + limit);
	return session->err;
}

static void expect(const char *name, void (*serve)(int fd), int err, uint64_t limit)
{
	struct qmp_session *session;
	struct server server;

	start_server(&server, "socket", serve);
	session = new_session(server.path);
	tap_is(ask(session, limit), err, name);
	tap_ok(session->fd < 0, "%s: the session has closed the connection", name);
	qmp_session_free(session);
	stop_server(&server);
}

/* ---- answers ---- */

static void serve_well(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, ANSWERS);
	wait_for_end(fd);
}

static void serve_slowly(int fd)
{
	usleep(100000);
	say(fd, GREETING "\r\n" EVENT);
	hear(fd, LAST);
	say(fd, EVENT "{\"return\": {}, \"id\": 0}\r\n" EVENT "{\"ret");
	usleep(50000);
	say(fd, "urn\": [1], \"id\": 1}\r");
	usleep(50000);
	say(fd, "\n" EVENT "{\"return\": [2], \"id\": 2}\n");
	wait_for_end(fd);
}

static void serve_prettily(int fd)
{
	say(fd, "{\r\n    \"QMP\": {\r\n    }\r\n}\r\n");
	hear(fd, LAST);
	say(fd, "{\r\n    \"return\": {\r\n    },\r\n    \"id\": 0\r\n}\r\n"
		"{\r\n    \"id\": 1,\r\n    \"return\": [\r\n        {\r\n        }\r\n    ]\r\n}\r\n"
		"{\r\n    \"return\": [\r\n    ],\r\n    \"id\": 2\r\n}\r\n");
	wait_for_end(fd);
}

/* Answers to commands of other clients, and one answer twice. */
static void serve_others(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": {}}\n{\"return\": {}, \"id\": \"1\"}\n{\"return\": 1, \"id\": 9}\n"
		"{\"error\": {}, \"id\": 3}\n{\"return\": {}, \"id\": -1}\n{\"return\": {}, \"id\": 0}\n"
		"{\"return\": {}, \"id\": 0}\n{\"id\": 77777777777}\n" ANSWERS);
	wait_for_end(fd);
}

static void serve_large_numbers(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": {}, \"id\": 0}\r\n"
		"{\"return\": [18446744073709551615, 9223372036854775808, 9007199254740993, "
		"\"\\\"18446744073709551615\"], \"id\": 1}\r\n{\"return\": [2], \"id\": 2}\r\n");
	wait_for_end(fd);
}

static void test_large_numbers(void)
{
	struct qmp_session *session;
	struct server server;
	json_t *answer;

	start_server(&server, "socket", serve_large_numbers);
	session = new_session(server.path);
	tap_is(ask(session, LIMIT), 0, "a number above INT64_MAX is read");
	answer = session->answer[QMP_STATS_VM];
	tap_ok((uint64_t)json_integer_value(json_array_get(answer, 0)) == UINT64_MAX &&
	       (uint64_t)json_integer_value(json_array_get(answer, 1)) == 1ull << 63,
	       "it has all of its bits");
	tap_is(json_integer_value(json_array_get(answer, 2)), 9007199254740993,
	       "and so has another number");
	tap_ok(!strcmp(json_string_value(json_array_get(answer, 3)), "\"18446744073709551615"),
	       "a string with such a number is unchanged");
	qmp_session_free(session);
	stop_server(&server);
}

static void test_answers(void)
{
	struct qmp_session *session;
	struct server server;

	start_server(&server, "socket", serve_well);
	session = new_session(server.path);
	tap_is(ask(session, LIMIT), 0, "a session gets its answers");
	tap_is(json_integer_value(json_array_get(session->answer[QMP_STATS_VCPU], 0)), 2,
	       "each answer belongs to its command");
	tap_is(ask(session, LIMIT), 0, "a session can ask again");
	qmp_session_free(session);
	stop_server(&server);
	expect("a late greeting, events and parts of answers are read", serve_slowly, 0, SECOND);
	expect("indented answers are read", serve_prettily, 0, LIMIT);
	expect("answers to other commands are ignored", serve_others, 0, LIMIT);
}

/* ---- servers that fail ---- */

static void serve_text(int fd)
{
	say(fd, "QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ");
	wait_for_end(fd);
}

static void serve_other_json(int fd)
{
	say(fd, "{\"hello\": 1}\n");
	wait_for_end(fd);
}

static void serve_garbage(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": {}, \"id\": 0}\r\n{\"return\": [\x80\xff, \"id\": 1}\r\n");
	wait_for_end(fd);
}

static void serve_no_return(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"id\": 0}\r\n");
	wait_for_end(fd);
}

/* Sends one line that does not end. */
static void serve_forever(int fd)
{
	static char text[1 << 20];

	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": [");
	memset(text, ' ', sizeof(text));
	while (send(fd, text, sizeof(text), MSG_NOSIGNAL) > 0)
		;
}

static void serve_deep(int fd)
{
	static char text[65536];

	say(fd, GREETING);
	hear(fd, LAST);
	memset(text, '[', sizeof(text) - 1);
	say(fd, "{\"return\": ");
	say(fd, text);
	say(fd, "}\r\n");
	wait_for_end(fd);
}

static void serve_error(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": {}, \"id\": 0}\r\n");
	say(fd, "{\"error\": {\"class\": \"GenericError\", \"desc\": "
		"\"KVM stats: ioctl failed\"}, \"id\": 1}\r\n");
	wait_for_end(fd);
}

static void serve_old(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": {}, \"id\": 0}\r\n");
	say(fd, "{\"error\": {\"class\": \"CommandNotFound\", \"desc\": "
		"\"The command query-stats has not been found\"}, \"id\": 1}\r\n");
	wait_for_end(fd);
}

static void serve_and_close(int fd)
{
	say(fd, GREETING);
	hear(fd, LAST);
	say(fd, "{\"return\": {}, \"id\": 0}\r\n{\"return\": [");
}

static void close_at_once(int fd)
{
	(void)fd;
}

static void serve_no_answers(int fd)
{
	say(fd, GREETING);
	wait_for_end(fd);
}

static void test_failures(void)
{
	expect("a monitor for people is not QMP", serve_text, -EPROTO, LIMIT);
	expect("a greeting without QMP is an error", serve_other_json, -EPROTO, LIMIT);
	expect("an answer that is not JSON is an error", serve_garbage, -EPROTO, LIMIT);
	expect("an answer without a result is an error", serve_no_return, -EPROTO, LIMIT);
	expect("an answer without end is an error", serve_forever, -EOVERFLOW, 20 * SECOND);
	expect("an answer with very deep arrays is an error", serve_deep, -EPROTO, SECOND);
	expect("an error of QEMU is one of the session", serve_error, -EIO, LIMIT);
	expect("a QEMU without query-stats is recognized", serve_old, -EOPNOTSUPP, LIMIT);
	expect("a connection that ends in the middle is an error", serve_and_close, -ECONNRESET,
	       LIMIT);
	expect("a connection that ends at once is an error", close_at_once, -ECONNRESET, LIMIT);
	expect("a server that does not answer delays only until the deadline", serve_no_answers,
	       -ETIMEDOUT, LIMIT);
	expect("a server that accepts no connection is busy", NULL, -EBUSY, LIMIT);
}

/* ---- sockets ---- */

static int connect_error(const char *path, pid_t pid)
{
	struct qmp_socket socket = { .path = (char *)path };
	int fd = qmp_connect(&socket, pid);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void test_queue(void)
{
	struct qmp_socket socket;
	struct server server;
	int fd[8], i, err = 0;

	start_server(&server, "full", NULL);
	socket.path = server.path;
	socket.from_vmm = false;
	for (i = 0; i < 8; i++) {
		fd[i] = qmp_connect(&socket, getpid());
		if (fd[i] < 0)
			err = fd[i];
	}
	tap_is(err, -EBUSY, "a full queue of connections does not block");
	while (i--) {
		if (fd[i] >= 0)
			close(fd[i]);
	}
	stop_server(&server);
}

static void test_sockets(void)
{
	char long_dir[256], cwd[256], path[512];
	struct server server;

	start_server(&server, "socket", serve_well);
	tap_is(connect_error(server.path, getpid()), 0, "a socket of the process can be used");
	tap_is(connect_error(server.path, getppid()), -EREMOTE, "one of another cannot");
	/* The path is longer than an address of a socket can be. */
	memset(long_dir, 'x', 200);
	long_dir[200] = '\0';
	if (!getcwd(cwd, sizeof(cwd)) || chdir(socket_dir) || mkdir(long_dir, 0700))
		abort();
	snprintf(path, sizeof(path), "%s/link", long_dir);
	if (symlink("../socket", path))
		abort();
	snprintf(path, sizeof(path), "%s/%s/link", socket_dir, long_dir);
	tap_is(connect_error(path, getpid()), 0, "the path can be long, and a link");
	unlink(path);
	rmdir(long_dir);
	if (chdir(cwd))
		abort();
	stop_server(&server);
	tap_is(connect_error(server.path, getpid()), -ENOENT, "the socket must exist");
	tap_is(connect_error("/dev/null", getpid()), -ECONNREFUSED, "it must be a socket");
	test_queue();
}

/* ---- several sessions ---- */

static void test_several(void)
{
	struct server servers[3];
	struct qmp_session *session[3];
	uint64_t start, end;
	size_t i;

	start_server(&servers[0], "silent", NULL);
	start_server(&servers[1], "greets", serve_no_answers);
	start_server(&servers[2], "good", serve_well);
	for (i = 0; i < 3; i++)
		session[i] = new_session(servers[i].path);
	start = clock_now();
	for (i = 0; i < 3; i++)
		qmp_session_start(session[i], QMP_VALUES);
	qmp_sessions_finish(session, 3, start + LIMIT);
	end = clock_now();
	tap_is(session[2]->err, 0, "a session gets its answers while others get none");
	tap_ok(session[0]->err == -EBUSY && session[1]->err == -ETIMEDOUT,
	       "each session has an error of its own");
	tap_ok(end - start < 2 * LIMIT, "sessions wait at the same time");
	for (i = 0; i < 3; i++) {
		qmp_session_free(session[i]);
		stop_server(&servers[i]);
	}
}

int main(void)
{
	make_socket_dir();
	test_answers();
	test_large_numbers();
	test_failures();
	test_sockets();
	test_several();
	rmdir(socket_dir);
	return tap_end();
}
