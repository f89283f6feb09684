/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SERVE_RESPOND_H
#define SERVE_RESPOND_H

#include <stddef.h>

#include <microhttpd.h>

/*
 * Makes a response with the headers that all responses have. With MHD_RESPMEM_MUST_FREE, owns
 * @data, also on failure. Returns NULL on failure.
 */
struct MHD_Response *respond_new(char *data, size_t size, enum MHD_ResponseMemoryMode mode,
				 const char *type);

/* Queues a response with a constant body. */
enum MHD_Result respond_constant(struct MHD_Connection *connection, unsigned int status,
				 const char *type, const char *body);

#endif /* SERVE_RESPOND_H */
