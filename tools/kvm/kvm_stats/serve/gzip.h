/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SERVE_GZIP_H
#define SERVE_GZIP_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Replaces @text by its compressed form. Returns false and leaves @text unchanged if that fails,
 * or if kvm-stats was built without zlib.
 */
bool gzip_text(struct text *text);

#endif /* SERVE_GZIP_H */
