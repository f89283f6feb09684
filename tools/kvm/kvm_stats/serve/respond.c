// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "serve/respond.h"

/* Every connection is closed after one response, because idle connections use up the limit. */
struct MHD_Response *respond_new(char *data, size_t size, enum MHD_ResponseMemoryMode mode,
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

enum MHD_Result respond_constant(struct MHD_Connection *connection, unsigned int status,
				 const char *type, const char *body)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = respond_new((char *)body, strlen(body), MHD_RESPMEM_PERSISTENT, type);
	if (!response)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
					"Basic realm=\"kvm-stats\"");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}
