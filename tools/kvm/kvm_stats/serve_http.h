/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HTTP: /metrics, a page that leads there, and errors.
 *
 * It has no thread of its own: poll() http_fd() until http_deadline(), then http_run().
 * Sockets do not block, so a client that hangs holds up nobody.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "openmetrics.h"

struct http;

/* Makes an exposition of now in @text: 0 or -errno. */
typedef int (*http_expose_fn)(enum exposition_format format, struct text *text, void *arg);

/* Takes the listening socket over: NULL after a complaint. */
struct http *http_open(int listen_fd, http_expose_fn expose, void *arg);
void http_close(struct http *http);

int http_fd(const struct http *http);
/* ns of CLOCK_MONOTONIC, UINT64_MAX: none. */
uint64_t http_deadline(const struct http *http);
void http_run(struct http *http);

/* How many are connected. */
size_t http_clients(const struct http *http);

/* The next request gets a new exposition in any case. */
void http_drop_cache(struct http *http);

#endif /* SERVE_HTTP_H */
