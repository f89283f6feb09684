// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"
#include "serve/accept.h"
#include "serve/cache.h"
#include "serve/gzip.h"
#include "serve/respond.h"

/* A response is cached for this time, or for the time that creating it took, if longer. */
#define MIN_CACHE_TIME	(100 * MILLISECOND)

static void drop(struct cached_response *cached)
{
	if (cached->response)
		MHD_destroy_response(cached->response);
	*cached = (struct cached_response){ 0 };
}

void cache_drop(struct cache *cache)
{
	int format, gzip;

	for (format = 0; format < 2; format++) {
		for (gzip = 0; gzip < 2; gzip++)
			drop(&cache->entry[format][gzip]);
	}
}

/* Owns @text. */
static struct MHD_Response *new_response(struct text *text, enum exposition_format format,
					 bool gzip)
{
	bool packed = gzip && gzip_text(text);
	struct MHD_Response *response;

	response = respond_new(text->data, text->size, MHD_RESPMEM_MUST_FREE,
			       format_content_type(format));
	if (!response)
		return NULL;
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (packed)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return response;
}

static void fill(struct cache *cache, struct cached_response *cached,
		 enum exposition_format format, bool gzip)
{
	uint64_t start = clock_now(), end, took;
	struct text text = { 0 };

	drop(cached);
	if (cache->expose(format, &text, cache->arg)) {
		text_free(&text);
		return;
	}
	cached->response = new_response(&text, format, gzip);
	end = clock_now();
	took = end - start;
	cached->until = end + (took > MIN_CACHE_TIME ? took : MIN_CACHE_TIME);
}

struct MHD_Response *cache_get(struct cache *cache, enum exposition_format format, bool gzip)
{
	struct cached_response *cached = &cache->entry[format][gzip];

	if (!cached->response || clock_now() >= cached->until)
		fill(cache, cached, format, gzip);
	return cached->response;
}
