// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-stats-http: the process of kvm-stats serve that talks HTTP. See http.h for what it inherits.
 *
 * One thread, that of libmicrohttpd, talks to all clients, and sockets are nonblocking, so a slow
 * client does not delay the others. It never waits for the collector either: it suspends requests
 * that need an answer of the collector, and the main thread, which receives the answers, resumes
 * them. The answers are cached: many requests within a short time cost one sample. Every connection
 * is closed after one response, because idle connections use up the limit.
 */
#include <errno.h>
#include <linux/capability.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
/* Slow clients keep old responses in memory, at most this many. */
#define MAX_RESPONSES		32u

/* A request waits for the collector for this time. Prometheus waits for 10 s. */
#define PATIENCE		(5 * SECOND)

struct cached {
	enum exposition_format format;
	bool gzip;
	struct MHD_Response *response;
	uint64_t until;
};

static struct cached cache[EXPOSITION_FORMATS][2];	/* compressed or not */
static atomic_uint responses;		/* expositions in memory */
static pid_t collector;			/* the process that reads the statistics */

/*
 * The collector answers one question at a time. The mutex protects the cache and the variables
 * here, which both threads use.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cached *asked;		/* what the collector was asked for, NULL: nothing */
static uint64_t asked_since;
static bool is_late;			/* it has not answered for too long, which was reported */
static struct MHD_Connection *suspended[MAX_CLIENTS];
static size_t suspensions;

/* ---- expositions ---- */

static bool receive_all(void *to, size_t size)
{
	return recv(HTTP_COLLECTOR, to, size, MSG_WAITALL) == (ssize_t)size;
}

/*
 * Returns the collector's answer, which the caller frees, or NULL if it could not read the
 * statistics. Sets *@failed if the connection to the collector cannot be used any more.
 */
static char *receive_exposition(size_t *size, bool *failed)
{
	uint64_t announced = 0;
	char *text = NULL;

	*failed = !receive_all(&announced, sizeof(announced));
	if (!*failed && announced) {
		text = malloc(announced);
		*failed = !text || !receive_all(text, announced);
	}
	*size = announced;
	if (!*failed)
		return text;
	free(text);
	return NULL;
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

static struct MHD_Response *make_response(const struct cached *cached, char *text, size_t size)
{
	static const char * const types[] = {
		[OPENMETRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[PROMETHEUS_TEXT_0_0_4] = "text/plain; version=0.0.4; charset=utf-8",
	};
	bool packed = cached->gzip && compress_text(&text, &size);
	struct MHD_Response *response;

	responses++;
	response = MHD_create_response_from_buffer_with_free_callback(size, text, free_exposition);
	response = with_headers(response, types[cached->format]);
	if (!response) {
		free_exposition(text);
		return NULL;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (packed)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return response;
}

/* ---- the main thread ---- */

/* Their requests are handled again. */
static void resume_all(void)
{
	while (suspensions)
		MHD_resume_connection(suspended[--suspensions]);
}

/* Returns false if the connection to the collector cannot be used any more. */
static bool handle_answer(void)
{
	struct MHD_Response *response = NULL, *old;
	struct cached *cached;
	uint64_t took;
	size_t size;
	bool failed;
	char *text = receive_exposition(&size, &failed);

	pthread_mutex_lock(&lock);
	cached = asked;
	pthread_mutex_unlock(&lock);
	if (!cached) {
		free(text);
		return false;
	}
	if (text)
		response = make_response(cached, text, size);
	pthread_mutex_lock(&lock);
	old = cached->response;
	took = clock_now() - asked_since;
	cached->response = response;
	cached->until = clock_now() + (took > MIN_CACHE_TIME ? took : MIN_CACHE_TIME);
	if (is_late)
		complain("the process that reads the statistics answers again, after %.1f s",
			 (double)took / SECOND);
	is_late = false;
	asked = NULL;
	resume_all();
	pthread_mutex_unlock(&lock);
	if (old)
		MHD_destroy_response(old);
	return !failed;
}

static void check_patience(void)
{
	pthread_mutex_lock(&lock);
	if (asked && !is_late && clock_now() - asked_since > PATIENCE) {
		is_late = true;
		complain("the process that reads the statistics, PID %d, has not answered for "
			 "%d s. /proc/%d/stack shows what it waits for.", (int)collector,
			 (int)(PATIENCE / SECOND), (int)collector);
		resume_all();
	}
	pthread_mutex_unlock(&lock);
}

static void serve_until_end(void)
{
	struct pollfd collector = { .fd = HTTP_COLLECTOR, .events = POLLIN | POLLRDHUP };

	do {
		check_patience();
		poll(&collector, 1, 500);
	} while (!(collector.revents & ~POLLIN) && (!collector.revents || handle_answer()));
	/* This ends the collector, too, if it has not ended. */
	shutdown(HTTP_COLLECTOR, SHUT_RDWR);
	pthread_mutex_lock(&lock);
	is_late = true;
	resume_all();
	pthread_mutex_unlock(&lock);
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

enum decision { RESPOND, SUSPEND, REFUSE };

/*
 * Decides what to do with a request for what @cached has. @state is NULL at first, and @cached
 * after the request was suspended until the collector answered it.
 */
static enum decision decide(struct cached *cached, struct MHD_Connection *connection, void **state)
{
	unsigned char request = (unsigned char)cached->format;
	bool answered = *state == cached;

	if (cached->response && ((answered && !is_late) || clock_now() < cached->until))
		return RESPOND;
	if (answered || is_late || responses >= MAX_RESPONSES || suspensions == MAX_CLIENTS)
		return REFUSE;
	if (!asked) {
		if (send(HTTP_COLLECTOR, &request, 1, MSG_NOSIGNAL) != 1)
			return REFUSE;
		asked = cached;
		asked_since = clock_now();
	}
	*state = asked == cached ? cached : NULL;
	suspended[suspensions++] = connection;
	MHD_suspend_connection(connection);
	return SUSPEND;
}

static enum MHD_Result respond_metrics(struct MHD_Connection *connection, void **state)
{
	bool openmetrics = header_has(connection, MHD_HTTP_HEADER_ACCEPT,
				      "application/openmetrics-text");
	bool gzip = header_has(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING, "gzip");
	enum exposition_format format = openmetrics ? OPENMETRICS_1_0 : PROMETHEUS_TEXT_0_0_4;
	struct cached *cached = &cache[format][gzip];
	enum MHD_Result result = MHD_YES;
	enum decision decision;

	pthread_mutex_lock(&lock);
	cached->format = format;
	cached->gzip = gzip;
	decision = decide(cached, connection, state);
	if (decision == RESPOND)
		result = MHD_queue_response(connection, MHD_HTTP_OK, cached->response);
	pthread_mutex_unlock(&lock);
	if (decision != REFUSE)
		return result;
	return respond(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
		       "kvm-stats cannot read the statistics, or too many clients read "
		       "slowly. The standard error of kvm-stats has the reason.\n");
}

/* The HTTP library calls this after the headers. A request body is ignored. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return respond(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			       "Only GET and HEAD are allowed.\n");
	if (!strcmp(path, "/metrics"))
		return respond_metrics(connection, state);
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

/* ---- start ---- */

static bool has_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, caps) || caps[0].permitted || caps[1].permitted ||
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

#ifdef HAVE_SECCOMP
/*
 * Permits both threads what libmicrohttpd, malloc(), and the start and the end of a thread need:
 * that of libmicrohttpd may not have started yet. All else fails with EPERM.
 */
static bool confine(void)
{
	static const char * const calls[] = {
		"accept", "accept4", "brk", "clock_gettime", "clock_gettime64", "close",
		"epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "exit", "exit_group",
		"fcntl", "fcntl64", "futex", "futex_time64", "getpeername", "getpid", "getrandom",
		"getsockname", "getsockopt", "gettid", "madvise", "mmap", "mmap2", "mremap",
		"munmap", "poll", "ppoll", "ppoll_time64", "read", "recv", "recvfrom", "recvmsg",
		"restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "send",
		"sendmsg", "sendto", "set_robust_list", "setsockopt", "shutdown", "sigreturn",
		"tgkill", "write", "writev",
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool good = filter;
	size_t i;

	/* A kernel without CONFIG_SECCOMP */
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) {
		seccomp_release(filter);
		return true;
	}
	good = good && !seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
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

static struct MHD_Daemon *start_library(void)
{
	/* Another arena needs mprotect(), which the filter forbids. */
	mallopt(M_ARENA_MAX, 1);
	return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
				NULL, on_request, NULL, MHD_OPTION_LISTEN_SOCKET, HTTP_LISTENER,
				/* HTTP/1.1 needs the header Host. */
				MHD_OPTION_STRICT_FOR_CLIENT, 1,
				MHD_OPTION_CONNECTION_LIMIT, MAX_CLIENTS,
				MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_END);
}

int main(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct MHD_Daemon *httpd;
	int listens = 0;
	socklen_t len = sizeof(listens);
	size_t i;

	prctl(PR_SET_NAME, HTTP_PROGRAM);
	collector = getppid();
	if (getsockopt(HTTP_LISTENER, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) || !listens) {
		complain("%s is a part of kvm-stats serve, which starts it. Run 'kvm-stats serve'",
			 HTTP_PROGRAM);
		return 2;
	}
	if (has_rights()) {
		complain("%s must not have capabilities", HTTP_PROGRAM);
		return 1;
	}
	/* A terminal and systemd signal both processes. This one ends after the collector. */
	for (i = 0; i < ARRAY_SIZE(ending); i++)
		signal(ending[i], SIG_IGN);
	httpd = start_library();
	if (!httpd || !confine()) {
		complain("cannot start the HTTP server (libmicrohttpd %s): %s", MHD_get_version(),
			 strerror(errno));
		return 1;
	}
	serve_until_end();
	MHD_stop_daemon(httpd);
	return 0;
}
