// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include <zlib.h>

#include "serve/gzip.h"

#define GZIP_FORMAT	16	/* added to the logarithm of the window size */
#define MEMORY_LEVEL	8	/* zlib's default */

bool gzip_text(struct text *text)
{
	z_stream stream = { 0 };
	uLong size;
	Bytef *packed;
	int result;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	size = deflateBound(&stream, text->size);
	packed = malloc(size);
	if (!packed) {
		deflateEnd(&stream);
		return false;
	}
	stream.next_in = (Bytef *)text->data;
	stream.avail_in = (uInt)text->size;
	stream.next_out = packed;
	stream.avail_out = (uInt)size;
	result = deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	if (result != Z_STREAM_END) {
		free(packed);
		return false;
	}
	text_free(text);
	*text = (struct text){ (char *)packed, stream.total_out, size, false };
	return true;
}
