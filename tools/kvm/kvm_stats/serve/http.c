// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-stats-http: the process of kvm-stats serve that talks HTTP. See http.h for what it inherits.
 *
 * It has no thread, and sockets are nonblocking, so a slow client does not delay the others. It
 * waits for the collector, whose answers are cached: many requests within a short time cost one
 * sample. Every connection is closed after one response, because idle connections use up the limit.
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <microhttpd.h>
/* The sanitizers need more system calls. */
#ifdef __SANITIZE_ADDRESS__
#undef HAVE_SECCOMP
#endif
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "serve/http.h"

/* A response is cached for this time, or for the time that creating it took, if longer. */
#define MIN_CACHE_TIME		(100 * MILLISECOND)

/* A client must send its request and receive the response within these times. */
#define REQUEST_TIMEOUT		(5 * SECOND)
#define CONNECTION_TIMEOUT	(60 * SECOND)
#define IDLE_SECONDS		10u
#define MAX_CLIENTS		32u
/* With this many fewer, each new client replaces the oldest that has not sent its request. */
#define SPARE_CLIENTS		8u
#define OTHER_FDS		12u

struct client {
	int fd;
	uint64_t since;		/* ns of CLOCK_MONOTONIC */
	bool used;
	bool request_received;
	bool disconnected;
};

struct cached {
	struct MHD_Response *response;
	uint64_t until;
};

static struct client clients[MAX_CLIENTS];
static unsigned int max_clients = MAX_CLIENTS;
static struct cached cache[EXPOSITION_FORMATS][2];	/* compressed or not */
static struct MHD_Daemon *httpd;
static uint64_t changes;		/* how often a connection was opened or closed */
static bool collector_has_ended;

/* ---- expositions ---- */

static bool receive_all(void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t n = recv(HTTP_COLLECTOR, at, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			collector_has_ended = true;
			return false;
		}
		at += n;
		size -= n;
	}
	return true;
}

/* Returns an exposition, which the caller frees, or NULL. */
static char *ask_collector(enum exposition_format format, size_t *size)
{
	unsigned char request = (unsigned char)format;
	uint64_t announced = 0;
	char *text = NULL;

	if (send(HTTP_COLLECTOR, &request, 1, MSG_NOSIGNAL) != 1)
		collector_has_ended = true;
	else if (receive_all(&announced, sizeof(announced)) && announced)
		text = malloc(announced);
	if (text && !receive_all(text, announced)) {
		free(text);
		text = NULL;
	}
	/* Without memory for the text, what follows would be taken for an answer. */
	collector_has_ended |= announced && !text;
	*size = announced;
	return text;
}

#ifdef HAVE_ZLIB
#define GZIP_FORMAT	16	/* added to the logarithm of the window size */
#define MEMORY_LEVEL	8	/* zlib's default */

/* Replaces the text by its compressed form. Returns false, and does not change it, on failure. */
static bool compress_text(char **text, size_t *size)
{
	z_stream stream = { 0 };
	char *packed;
	uLong bound;
	int result;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	bound = deflateBound(&stream, *size);
	packed = malloc(bound);
	stream.next_in = (Bytef *)(*text);
	stream.avail_in = (uInt)(*size);
	stream.next_out = (Bytef *)packed;
	stream.avail_out = (uInt)bound;
	result = packed ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
	deflateEnd(&stream);
	if (result != Z_STREAM_END) {
		free(packed);
		return false;
	}
	free(*text);
	*text = packed;
	*size = stream.total_out;
	return true;
}
#else
static bool compress_text(char **text, size_t *size)
{
	(void)text;
	(void)size;
	return false;
}
#endif

/* Makes a response with the headers that all responses have. */
static struct MHD_Response *new_response(char *data, size_t size,
					 enum MHD_ResponseMemoryMode mode, const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(size, data, mode);

	if (!response)
		return NULL;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	return response;
}

static void drop(struct cached *cached)
{
	if (cached->response)
		MHD_destroy_response(cached->response);
	cached->response = NULL;
}

/* Returns a response that belongs to the cache, or NULL if the statistics cannot be read. */
static struct MHD_Response *get_exposition(enum exposition_format format, bool gzip)
{
	static const char * const types[] = {
		"application/openmetrics-text; version=1.0.0; charset=utf-8",
		"text/plain; version=0.0.4; charset=utf-8",
	};
	struct cached *cached = &cache[format][gzip];
	uint64_t start = clock_now(), end, took;
	bool packed;
	size_t size;
	char *text;

	if (cached->response && start < cached->until)
		return cached->response;
	drop(cached);
	text = ask_collector(format, &size);
	if (!text)
		return NULL;
	packed = gzip && compress_text(&text, &size);
	cached->response = new_response(text, size, MHD_RESPMEM_MUST_FREE,
					types[format]);
	if (!cached->response) {
		free(text);
		return NULL;
	}
	MHD_add_response_header(cached->response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (packed)
		MHD_add_response_header(cached->response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	end = clock_now();
	took = end - start;
	cached->until = end + (took > MIN_CACHE_TIME ? took : MIN_CACHE_TIME);
	return cached->response;
}

/* ---- Accept and Accept-Encoding ---- */

/* Whether the @len bytes at @text are @word, ignoring case and surrounding white space. */
static bool is_word(const char *text, size_t len, const char *word)
{
	for (; len && (*text == ' ' || *text == '\t'); text++)
		len--;
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	return len == strlen(word) && !strncasecmp(text, word, len);
}

/*
 * Returns the quality that the media range at @range gives to @type in @version; 0 if it does not
 * include them.
 */
static double quality_of(const char *range, size_t len, const char *type, const char *version)
{
	const char *end = range + len, *at = range, *value;
	size_t n = strcspn(range, ";,");
	double quality = 1;

	if (!is_word(range, n, type))
		return 0;
	for (at += n; at < end; at += n) {
		n = strcspn(++at, ";,");
		value = memchr(at, '=', n);
		if (!value)
			continue;
		if (is_word(at, value - at, "version") &&
		    !is_word(value + 1, n - (value + 1 - at), version))
			return 0;
		if (is_word(at, value - at, "q") && strspn(value + 1, " \t01") > 0)
			quality = strtod(value + 1, NULL);
	}
	return quality;
}

/* Returns the highest quality that any media range of the header gives. */
static double best_quality(const char *accept, const char *type, const char *version)
{
	double highest = 0;

	while (*accept) {
		size_t len = strcspn(accept, ",");
		double quality = quality_of(accept, len, type, version);

		if (quality > highest)
			highest = quality;
		accept += len;
		accept += *accept == ',';
	}
	return highest;
}

/* OpenMetrics, if the header names it with at least the quality of text */
static enum exposition_format accepted_format(const char *accept)
{
	double openmetrics = 0;

	if (accept)
		openmetrics = best_quality(accept, "application/openmetrics-text", "1.0.0");
	if (openmetrics > 0 && openmetrics >= best_quality(accept, "text/plain", "0.0.4") &&
	    openmetrics >= best_quality(accept, "text/*", "") &&
	    openmetrics >= best_quality(accept, "*/*", ""))
		return OPENMETRICS_1_0;
	return PROMETHEUS_TEXT_0_0_4;
}

/* ---- requests ---- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status,
			       const char *type, const char *body)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = new_response((char *)body, strlen(body), MHD_RESPMEM_PERSISTENT, type);
	if (!response)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result respond_metrics(struct MHD_Connection *connection)
{
	const char *encoding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	bool gzip = encoding && best_quality(encoding, "gzip", "") > 0;
	struct MHD_Response *response =
		get_exposition(accepted_format(header(connection, MHD_HTTP_HEADER_ACCEPT)), gzip);

	if (!response)
		return respond(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
			       "kvm-stats cannot read the statistics. "
			       "See the standard error of kvm-stats for the reason.\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

/* The HTTP library calls this after the headers. A request body is ignored. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	(void)arg;
	(void)data;
	(void)size;
	(void)state;
	if (info && info->socket_context)
		((struct client *)info->socket_context)->request_received = true;
	if (!strcmp(version, MHD_HTTP_VERSION_1_1) && !header(connection, MHD_HTTP_HEADER_HOST))
		return respond(connection, MHD_HTTP_BAD_REQUEST, "text/plain",
			       "A request with HTTP/1.1 needs the header Host.\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return respond(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			       "Only GET and HEAD are allowed.\n");
	if (!strcmp(path, "/metrics"))
		return respond_metrics(connection);
	if (!strcmp(path, "/healthz"))
		return respond(connection, MHD_HTTP_OK, "text/plain", "ok\n");
	if (!strcmp(path, "/"))
		return respond(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
			       "<!DOCTYPE html><html lang=\"en\"><head><title>kvm-stats</title></head>"
			       "<body><h1>kvm-stats</h1><p>Statistics of the KVM VMs on this machine: "
			       "<a href=\"/metrics\">/metrics</a></p></body></html>\n");
	return respond(connection, MHD_HTTP_NOT_FOUND, "text/plain",
		       "Not found. The statistics are at /metrics.\n");
}

/* ---- clients ---- */

/* The HTTP library sees the shutdown and closes the connection. */
static void disconnect(struct client *client)
{
	shutdown(client->fd, SHUT_RDWR);
	client->disconnected = true;
}

static uint64_t deadline_of(const struct client *client)
{
	if (!client->used || client->disconnected)
		return UINT64_MAX;
	return client->since + (client->request_received ? CONNECTION_TIMEOUT : REQUEST_TIMEOUT);
}

/* Silent clients cannot use up all connections: the oldest one makes room for a new one. */
static struct client *add_client(int fd)
{
	struct client *free_one = NULL, *oldest = NULL;
	unsigned int count = 0, i;

	for (i = 0; i < max_clients; i++) {
		struct client *client = &clients[i];

		count += client->used;
		if (!client->used)
			free_one = client;
		else if (!client->request_received && !client->disconnected &&
			 (!oldest || client->since < oldest->since))
			oldest = client;
	}
	if (oldest && count + SPARE_CLIENTS >= max_clients)
		disconnect(oldest);
	if (free_one)
		*free_one = (struct client){ .fd = fd, .since = clock_now(), .used = true };
	return free_one;
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;

	(void)arg;
	changes++;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		*context = info ? add_client(info->connect_fd) : NULL;
	} else if (*context) {
		((struct client *)*context)->used = false;
		*context = NULL;
	}
}

/* ---- the loop ---- */

/* Waits for clients. Returns false when the collector has ended. */
static bool wait_for_work(int epoll, bool more)
{
	struct pollfd fds[] = {
		{ .fd = HTTP_COLLECTOR, .events = POLLIN },
		{ .fd = epoll, .events = POLLIN },
	};
	uint64_t deadline = more ? 0 : UINT64_MAX, now;
	MHD_UNSIGNED_LONG_LONG library;
	struct timespec timeout;
	unsigned int i;

	for (i = 0; i < max_clients; i++) {
		if (deadline_of(&clients[i]) < deadline)
			deadline = deadline_of(&clients[i]);
	}
	now = clock_now();
	if (MHD_get_timeout(httpd, &library) == MHD_YES && now + library * MILLISECOND < deadline)
		deadline = now + library * MILLISECOND;
	timeout = clock_until(deadline);
	ppoll(fds, ARRAY_SIZE(fds), &timeout, NULL);
	now = clock_now();
	for (i = 0; i < max_clients; i++) {
		if (deadline_of(&clients[i]) <= now)
			disconnect(&clients[i]);
	}
	/* The collector says nothing without a question. */
	return !fds[0].revents;
}

/*
 * At the connection limit the library stops to poll the listening socket, and it polls it again
 * only in the next MHD_run() after connections were closed. It also accepts only a few clients
 * at a time. So run it again at once after a connection was opened or closed.
 */
static void serve(int epoll)
{
	uint64_t before = changes;

	while (wait_for_work(epoll, before != changes) && !collector_has_ended) {
		before = changes;
		MHD_run(httpd);
	}
}

/* ---- start ---- */

static bool has_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, caps) || caps[0].permitted || caps[1].permitted ||
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

#ifdef HAVE_SECCOMP
/* What libmicrohttpd, malloc() and the end of the process need. All else fails with EPERM. */
static bool confine(void)
{
	static const char * const calls[] = {
		"accept", "accept4", "brk", "clock_gettime", "clock_gettime64", "close",
		"epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "exit", "exit_group",
		"fcntl", "fcntl64", "futex", "futex_time64", "getpeername", "getpid", "getrandom",
		"getsockname", "getsockopt", "gettid", "madvise", "mmap", "mmap2", "mremap",
		"munmap", "poll", "ppoll", "ppoll_time64", "read", "recv", "recvfrom", "recvmsg",
		"restart_syscall", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "send",
		"sendmsg", "sendto", "setsockopt", "shutdown", "sigreturn", "tgkill", "write",
		"writev",
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool good = filter;
	size_t i;

	/* A kernel without CONFIG_SECCOMP */
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) {
		seccomp_release(filter);
		return true;
	}
	for (i = 0; good && i < ARRAY_SIZE(calls); i++) {
		int call = seccomp_syscall_resolve_name(calls[i]);

		/* Architectures and versions of libseccomp do not have all of them. */
		good = call == __NR_SCMP_ERROR ||
		       !seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	}
	good = good && !seccomp_load(filter);
	seccomp_release(filter);
	return good;
}
#else
static bool confine(void)
{
	return true;
}
#endif

/* Without a free fd, accept() would fail, and the library would retry it in a busy loop. */
static void limit_clients(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < MAX_CLIENTS + OTHER_FDS)
		max_clients = limit.rlim_cur > OTHER_FDS + SPARE_CLIENTS ?
			      limit.rlim_cur - OTHER_FDS : SPARE_CLIENTS;
}

/* Returns the fd that is readable when there is work for the library, or -1. */
static int start_library(void)
{
	const union MHD_DaemonInfo *info = NULL;

	httpd = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, NULL,
				 MHD_OPTION_LISTEN_SOCKET, HTTP_LISTENER,
				 MHD_OPTION_CONNECTION_LIMIT, max_clients,
				 MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
				 MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL,
				 MHD_OPTION_END);
	if (httpd)
		info = MHD_get_daemon_info(httpd, MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

int main(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	int listens = 0, epoll, format;
	socklen_t len = sizeof(listens);
	char ready = HTTP_READY;
	size_t i;

	prctl(PR_SET_NAME, HTTP_PROGRAM);
	if (getsockopt(HTTP_LISTENER, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) || !listens) {
		complain("%s is a part of kvm-stats serve, which starts it", HTTP_PROGRAM);
		return 2;
	}
	if (has_rights()) {
		complain("%s must not have capabilities", HTTP_PROGRAM);
		return 1;
	}
	/* A terminal and systemd signal both processes. This one ends after the collector. */
	for (i = 0; i < ARRAY_SIZE(ending); i++)
		signal(ending[i], SIG_IGN);
	limit_clients();
	epoll = start_library();
	if (epoll < 0 || !confine()) {
		complain("cannot start the HTTP server (libmicrohttpd %s): %s", MHD_get_version(),
			 strerror(errno));
		return 1;
	}
	if (send(HTTP_COLLECTOR, &ready, 1, MSG_NOSIGNAL) == 1)
		serve(epoll);
	MHD_stop_daemon(httpd);
	for (format = 0; format < EXPOSITION_FORMATS; format++) {
		drop(&cache[format][0]);
		drop(&cache[format][1]);
	}
	return 0;
}
