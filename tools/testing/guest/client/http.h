/* SPDX-License-Identifier: GPL-2.0-only */
/* A minimal HTTP client. */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include <stddef.h>

struct http_answer {
	int status;
	char *text;		/* header and body */
	const char *body;
};

/*
 * Gets @path from a port of an IPv4 address, with the header "Accept: @accept". Returns 0 or
 * -errno. Call http_free() in both cases.
 */
int http_get(struct http_answer *answer, const char *address, int port, const char *path,
	     const char *accept);
void http_free(struct http_answer *answer);

#endif /* CLIENT_HTTP_H */
