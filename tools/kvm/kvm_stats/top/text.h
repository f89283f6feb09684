/* SPDX-License-Identifier: GPL-2.0-only */
/* Fits text into the cells of a terminal, in the encoding of the locale. */
#ifndef TOP_TEXT_H
#define TOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies as much of @text as fits into @width cells. Replaces what cannot be shown by '?'.
 * Returns the number of cells used.
 */
int text_fit(char *buf, size_t size, const char *text, int width);

/* Whether the locale's encoding is UTF-8. */
bool text_is_utf8(void);

#endif /* TOP_TEXT_H */
