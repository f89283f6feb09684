// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "base/output.h"
#include "serve/accept.h"
#include "serve/cache.h"
#include "serve/clients.h"
#include "serve/http.h"
#include "serve/respond.h"

#define IDLE_SECONDS	10u
/* http_run() returns after so many rounds, because signals and the file have to be handled. */
#define MAX_ROUNDS	64

static const char front_page[] =
	"<!DOCTYPE html><html lang=\"en\"><head><title>kvm-stats</title></head><body>"
	"<h1>kvm-stats</h1><p>Statistics of the KVM VMs on this machine: "
	"<a href=\"/metrics\">/metrics</a></p></body></html>\n";

struct http {
	struct MHD_Daemon *daemon;
	int epoll;
	struct clients clients;
	uint64_t changes;		/* how often a connection was opened or closed */
	bool more;			/* the last http_run() has not handled all of them */
	struct cache cache;
	struct web_config *web;
};

/* ---- requests ---- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result respond_metrics(struct http *http, struct MHD_Connection *connection)
{
	enum exposition_format format =
		accept_format(header(connection, MHD_HTTP_HEADER_ACCEPT));
	bool gzip = accept_gzip(header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	struct MHD_Response *response = cache_get(&http->cache, format, gzip);

	if (!response)
		return respond_constant(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
					"kvm-stats cannot read the statistics. "
					"See the standard error of kvm-stats for the reason.\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static enum MHD_Result respond_path(struct http *http, struct MHD_Connection *connection,
				    const char *path)
{
	if (!strcmp(path, "/metrics"))
		return respond_metrics(http, connection);
	if (!strcmp(path, "/healthz"))
		return respond_constant(connection, MHD_HTTP_OK, "text/plain", "ok\n");
	if (!strcmp(path, "/"))
		return respond_constant(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
					front_page);
	return respond_constant(connection, MHD_HTTP_NOT_FOUND, "text/plain",
				"Not found. The statistics are at /metrics.\n");
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
	    !header(connection, MHD_HTTP_HEADER_HOST))
		return respond_constant(connection, MHD_HTTP_BAD_REQUEST, "text/plain",
					"A request with HTTP/1.1 needs the header Host.\n");
	if (!web_config_permits(http->web, header(connection, MHD_HTTP_HEADER_AUTHORIZATION)))
		return respond_constant(connection, MHD_HTTP_UNAUTHORIZED, "text/plain",
					"Name and password of a user are needed.\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return respond_constant(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
					"Only GET and HEAD are allowed.\n");
	return respond_path(http, connection, url);
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

/* Starts libmicrohttpd, with TLS if @tls has its options. */
static bool start(struct http *http, int listen_fd, struct MHD_OptionItem *tls)
{
	unsigned int flags = MHD_USE_EPOLL | (http->web->cert ? MHD_USE_TLS : 0);
	const union MHD_DaemonInfo *info;

	http->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, http,
					MHD_OPTION_LISTEN_SOCKET, listen_fd,
					MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MAX_CLIENTS,
					MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
					MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
					MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	if (!http->daemon)
		return false;
	info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return false;
	http->epoll = info->epoll_fd;
	return true;
}

static bool start_with_tls(struct http *http, int listen_fd)
{
	char priorities[WEB_PRIORITIES_SIZE];
	struct MHD_OptionItem options[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, http->web->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, http->web->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  (void *)web_config_priorities(http->web, priorities) },
		{ MHD_OPTION_END, 0, NULL },
	};

	if (MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES)
		return start(http, listen_fd, options);
	complain("this libmicrohttpd has no TLS");
	return false;
}

static bool start_server(struct http *http, int listen_fd)
{
	struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

	return http->web->cert ? start_with_tls(http, listen_fd) : start(http, listen_fd, none);
}

struct http *http_open(int listen_fd, struct web_config *web, expose_fn expose, void *arg)
{
	struct http *http = calloc(1, sizeof(*http));

	if (http) {
		http->web = web;
		http->cache = (struct cache){ .expose = expose, .arg = arg };
		if (start_server(http, listen_fd))
			return http;
	}
	complain("cannot start the HTTP server (libmicrohttpd %s)%s", MHD_get_version(),
		 web->cert ? ". Do certificate and key belong together?" : "");
	if (!http || !http->daemon)
		close(listen_fd);
	http_close(http);
	return NULL;
}

void http_drop_cache(struct http *http)
{
	cache_drop(&http->cache);
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
