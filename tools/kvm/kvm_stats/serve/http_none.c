// SPDX-License-Identifier: GPL-2.0-only
/* Replaces http.c if libmicrohttpd is not available. */
#include <stddef.h>
#include <unistd.h>

#include "base/output.h"
#include "serve/http.h"

struct http *http_open(int listen_fd, struct web_config *web, expose_fn expose, void *arg)
{
	(void)web;
	(void)expose;
	(void)arg;
	close(listen_fd);
	complain("cannot serve HTTP: this kvm-stats was built without libmicrohttpd. Write a file "
		 "for node_exporter with --textfile, or build kvm-stats again with the library "
		 "(Debian: libmicrohttpd-dev).");
	return NULL;
}

void http_close(struct http *http)
{
	(void)http;
}

int http_fd(const struct http *http)
{
	(void)http;
	return -1;
}

size_t http_clients(const struct http *http)
{
	(void)http;
	return 0;
}

uint64_t http_deadline(const struct http *http)
{
	(void)http;
	return UINT64_MAX;
}

void http_run(struct http *http)
{
	(void)http;
}

void http_drop_cache(struct http *http)
{
	(void)http;
}
