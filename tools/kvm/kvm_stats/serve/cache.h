/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last expositions. Requests within a short time get the same response, which limits the load
 * on the machine.
 */
#ifndef SERVE_CACHE_H
#define SERVE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include <microhttpd.h>

#include "serve/expose.h"

struct cached_response {
	struct MHD_Response *response;
	uint64_t until;
};

struct cache {
	struct cached_response entry[2][2];	/* enum exposition_format, compressed or not */
	expose_fn expose;
	void *arg;
};

/*
 * Returns a response, compressed if @gzip is set. It belongs to the cache. Returns NULL if the
 * statistics cannot be read.
 */
struct MHD_Response *cache_get(struct cache *cache, enum exposition_format format, bool gzip);

void cache_drop(struct cache *cache);

#endif /* SERVE_CACHE_H */
