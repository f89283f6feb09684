/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HTTP server: /metrics, /healthz, a front page with a link, and error responses.
 *
 * The server has no thread. The caller polls http_fd() until http_deadline(), then calls
 * http_run(). Sockets are nonblocking, so a slow client does not delay the others.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "serve/expose.h"
#include "serve/web_config.h"

struct http;

/*
 * Takes ownership of @listen_fd, also on failure. @web must outlive the server. Returns NULL after
 * printing an error.
 */
struct http *http_open(int listen_fd, struct web_config *web, expose_fn expose, void *arg);
void http_close(struct http *http);

int http_fd(const struct http *http);
/* In ns of CLOCK_MONOTONIC, UINT64_MAX if there is no deadline. */
uint64_t http_deadline(const struct http *http);
void http_run(struct http *http);

/* Returns the number of connected clients. */
size_t http_clients(const struct http *http);

/* Drops the cached responses, so that the next request reads the statistics again. */
void http_drop_cache(struct http *http);

#endif /* SERVE_HTTP_H */
