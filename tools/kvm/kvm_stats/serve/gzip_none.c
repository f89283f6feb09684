// SPDX-License-Identifier: GPL-2.0-only
/* Replaces gzip.c if zlib is not available. */
#include "serve/gzip.h"

bool gzip_text(struct text *text)
{
	(void)text;
	return false;
}
