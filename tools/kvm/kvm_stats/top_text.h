/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in the cells of a terminal, in the encoding of the locale. */
#ifndef TOP_TEXT_H
#define TOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * As much of @text as fits into @width cells, what cannot be shown as '?': the number of cells
 * that it takes.
 */
int text_fit(char *buf, size_t size, const char *text, int width);

/* Whether the locale's encoding is UTF-8. */
bool text_is_utf8(void);

#endif /* TOP_TEXT_H */
