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

#include "serve/http.h"
#include "util.h"

/* A response is cached for this time, or for the time that creating it took, if longer. */
#define MIN_CACHE_TIME		(100 * MILLISECOND)

/* A connection is closed when nothing was sent or received for this time. */
#define IDLE_SECONDS		5u
#define MAX_CLIENTS		512u
#define OTHER_FDS		12u
/* Slow clients keep old responses in memory, at most this many. */
#define MAX_RESPONSES		32u

struct cached {
	struct MHD_Response *response;
	uint64_t until;
};

static struct cached cache[EXPOSITION_FORMATS][2];	/* compressed or not */
static unsigned int responses;		/* expositions in memory */
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

/* The HTTP library calls this when no client needs the exposition, and it is not cached. */
static void free_exposition(void *text)
{
	free(text);
	responses--;
}

/* Adds the headers that all responses have. */
static struct MHD_Response *with_headers(struct MHD_Response *response, const char *type)
{
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
		[OPENMETRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[PROMETHEUS_TEXT_0_0_4] = "text/plain; version=0.0.4; charset=utf-8",
	};
	struct cached *cached = &cache[format][gzip];
	uint64_t start = clock_now(), took;
	struct MHD_Response *response;
	bool packed;
	size_t size;
	char *text;

	if (cached->response && start < cached->until)
		return cached->response;
	drop(cached);
	text = responses < MAX_RESPONSES ? ask_collector(format, &size) : NULL;
	if (!text)
		return NULL;
	packed = gzip && compress_text(&text, &size);
	responses++;
	response = MHD_create_response_from_buffer_with_free_callback(size, text, free_exposition);
	cached->response = with_headers(response, types[format]);
	if (!cached->response) {
		free_exposition(text);
		return NULL;
	}
	MHD_add_response_header(cached->response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (packed)
		MHD_add_response_header(cached->response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	took = clock_now() - start;
	cached->until = start + took + (took > MIN_CACHE_TIME ? took : MIN_CACHE_TIME);
	return cached->response;
}

/* ---- requests ---- */

/*
 * Whether the header has the word. Qualities (";q=0.5") are ignored: a client that names a format
 * can read it.
 */
static bool header_has(struct MHD_Connection *connection, const char *name, const char *word)
{
	const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);

	return value && strcasestr(value, word);
}

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status,
			       const char *type, const char *body)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = with_headers(MHD_create_response_from_buffer(strlen(body), (char *)body,
								MHD_RESPMEM_PERSISTENT), type);
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
	bool openmetrics = header_has(connection, MHD_HTTP_HEADER_ACCEPT,
				      "application/openmetrics-text");
	struct MHD_Response *response =
		get_exposition(openmetrics ? OPENMETRICS_1_0 : PROMETHEUS_TEXT_0_0_4,
			       header_has(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING, "gzip"));

	if (!response)
		return respond(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
			       "kvm-stats cannot read the statistics, or too many clients read "
			       "slowly. The standard error of kvm-stats has the reason.\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

/* The HTTP library calls this after the headers. A request body is ignored. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	(void)arg;
	(void)data;
	(void)size;
	(void)state;
	if (!strcmp(version, MHD_HTTP_VERSION_1_1) &&
	    !header_has(connection, MHD_HTTP_HEADER_HOST, ""))
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

/* ---- the loop ---- */

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	(void)arg;
	(void)connection;
	(void)context;
	(void)code;
	changes++;
}

/* Waits for clients, or not if @more. Returns false when the collector has ended. */
static bool wait_for_work(int epoll, bool more)
{
	struct pollfd fds[] = {
		{ .fd = HTTP_COLLECTOR, .events = POLLIN },
		{ .fd = epoll, .events = POLLIN },
	};
	MHD_UNSIGNED_LONG_LONG timeout;
	bool limited = MHD_get_timeout(httpd, &timeout) == MHD_YES;

	if (more)
		timeout = 0;
	poll(fds, ARRAY_SIZE(fds), more || limited ? (int)timeout : -1);
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
static unsigned int max_clients(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= MAX_CLIENTS + OTHER_FDS)
		return MAX_CLIENTS;
	return limit.rlim_cur > 2 * OTHER_FDS ? limit.rlim_cur - OTHER_FDS : OTHER_FDS;
}

/* Returns the fd that is readable when there is work for the library, or -1. */
static int start_library(void)
{
	const union MHD_DaemonInfo *info = NULL;

	httpd = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, NULL,
				 MHD_OPTION_LISTEN_SOCKET, HTTP_LISTENER,
				 MHD_OPTION_CONNECTION_LIMIT, max_clients(),
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
