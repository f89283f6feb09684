// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "base/output.h"
#include "serve/accept.h"
#include "serve/clients.h"
#include "serve/http.h"

/* A response is cached for this time, or for the time that creating it took, if longer. */
#define MIN_CACHE_TIME	(100 * MILLISECOND)
#define IDLE_SECONDS	10u
/* http_run() returns after so many rounds, because signals and the file have to be handled. */
#define MAX_ROUNDS	64

static const char front_page[] =
	"<!DOCTYPE html><html lang=\"en\"><head><title>kvm-stats</title></head><body>"
	"<h1>kvm-stats</h1><p>Statistics of the KVM VMs on this machine: "
	"<a href=\"/metrics\">/metrics</a></p></body></html>\n";

/* Requests within a short time get the same response, which limits the load on the machine. */
struct cached_response {
	struct MHD_Response *response;
	uint64_t until;
};

struct http {
	struct MHD_Daemon *daemon;
	int epoll;
	struct clients clients;
	uint64_t changes;		/* how often a connection was opened or closed */
	bool more;			/* the last http_run() has not handled all of them */
	struct cached_response cache[2];	/* indexed by enum exposition_format */
	http_expose_fn expose;
	void *arg;
};

/* ---- responses ---- */

/* Every connection is closed after one response, because idle connections use up the limit. */
static struct MHD_Response *new_response(char *data, size_t size, enum MHD_ResponseMemoryMode mode,
					 const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(size, data, mode);

	if (!response) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(data);
		return NULL;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	return response;
}

static enum MHD_Result respond_constant(struct MHD_Connection *connection, unsigned int status,
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

static void drop_cached(struct cached_response *cached)
{
	if (cached->response)
		MHD_destroy_response(cached->response);
	*cached = (struct cached_response){ 0 };
}

static bool fill_cache(struct http *http, enum exposition_format format)
{
	struct cached_response *cached = &http->cache[format];
	uint64_t start = clock_now(), end, took;
	struct text text = { 0 };

	drop_cached(cached);
	if (http->expose(format, &text, http->arg)) {
		text_free(&text);
		return false;
	}
	cached->response = new_response(text.data, text.size, MHD_RESPMEM_MUST_FREE,
					format_content_type(format));
	if (!cached->response)
		return false;
	MHD_add_response_header(cached->response, MHD_HTTP_HEADER_VARY, "Accept");
	end = clock_now();
	took = end - start;
	cached->until = end + (took > MIN_CACHE_TIME ? took : MIN_CACHE_TIME);
	return true;
}

static enum MHD_Result respond_metrics(struct http *http, struct MHD_Connection *connection)
{
	enum exposition_format format =
		accept_format(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"));
	struct cached_response *cached = &http->cache[format];

	if ((!cached->response || clock_now() >= cached->until) && !fill_cache(http, format))
		return respond_constant(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
					"kvm-stats cannot read the statistics. "
					"See the standard error of kvm-stats for the reason.\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, cached->response);
}

static void mark_request_received(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct client *client = info ? info->socket_context : NULL;

	if (client)
		client->request_received = true;
}

/* The HTTP library calls this after the headers. A request body is ignored. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	struct http *http = arg;

	(void)data;
	(void)size;
	(void)state;
	mark_request_received(connection);
	if (!strcmp(version, MHD_HTTP_VERSION_1_1) &&
	    !MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST))
		return respond_constant(connection, MHD_HTTP_BAD_REQUEST, "text/plain",
					"A request with HTTP/1.1 needs the header Host.\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return respond_constant(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
					"Only GET and HEAD are allowed.\n");
	if (!strcmp(url, "/metrics"))
		return respond_metrics(http, connection);
	if (!strcmp(url, "/"))
		return respond_constant(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
					front_page);
	return respond_constant(connection, MHD_HTTP_NOT_FOUND, "text/plain",
				"Not found. The statistics are at /metrics.\n");
}

/* ---- connections ---- */

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct http *http = arg;

	http->changes++;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		*context = info ? client_add(&http->clients, info->connect_fd, clock_now())
				: NULL;
	} else if (*context) {
		client_remove(&http->clients, *context);
		*context = NULL;
	}
}

/* ---- the server ---- */

static bool start(struct http *http, int listen_fd)
{
	const union MHD_DaemonInfo *info;

	http->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, http,
					MHD_OPTION_LISTEN_SOCKET, listen_fd,
					MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MAX_CLIENTS,
					MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
					MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
					MHD_OPTION_END);
	if (!http->daemon)
		return false;
	info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return false;
	http->epoll = info->epoll_fd;
	return true;
}

struct http *http_open(int listen_fd, http_expose_fn expose, void *arg)
{
	struct http *http = calloc(1, sizeof(*http));

	if (http) {
		http->expose = expose;
		http->arg = arg;
		if (start(http, listen_fd))
			return http;
	}
	complain("cannot start the HTTP server (libmicrohttpd %s)", MHD_get_version());
	if (!http || !http->daemon)
		close(listen_fd);
	http_close(http);
	return NULL;
}

void http_drop_cache(struct http *http)
{
	drop_cached(&http->cache[OPENMETRICS_1_0]);
	drop_cached(&http->cache[PROMETHEUS_TEXT_0_0_4]);
}

void http_close(struct http *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	http_drop_cache(http);
	free(http);
}

int http_fd(const struct http *http)
{
	return http->epoll;
}

size_t http_clients(const struct http *http)
{
	return http->clients.count;
}

uint64_t http_deadline(const struct http *http)
{
	uint64_t deadline = clients_deadline(&http->clients);
	MHD_UNSIGNED_LONG_LONG timeout;
	uint64_t library;

	if (http->more)
		return 0;
	if (MHD_get_timeout(http->daemon, &timeout) != MHD_YES)
		return deadline;
	library = clock_now() + (uint64_t)timeout * MILLISECOND;
	return library < deadline ? library : deadline;
}

/*
 * At the connection limit the library stops to poll the listening socket, and it polls it again
 * only in the next MHD_run() after connections were closed. It also accepts only a few clients
 * at a time. So run it until no connection is opened or closed.
 */
void http_run(struct http *http)
{
	uint64_t changes;
	int round = 0;

	clients_expire(&http->clients, clock_now());
	do {
		changes = http->changes;
		MHD_run(http->daemon);
		http->more = changes != http->changes;
	} while (http->more && ++round < MAX_ROUNDS);
}
