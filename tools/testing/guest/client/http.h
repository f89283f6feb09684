/* SPDX-License-Identifier: GPL-2.0-only */
/* As little of HTTP as it takes to ask for statistics. */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include <stddef.h>

struct http_answer {
	int status;
	char *text;		/* head and body */
	const char *body;
};

/*
 * GET @path of port @port of @address (dotted), with @accept in the header.  0 or -errno;
 * http_free() is due in both cases.
 */
int http_get(struct http_answer *answer, const char *address, int port, const char *path,
	     const char *accept);
void http_free(struct http_answer *answer);

#endif /* CLIENT_HTTP_H */
