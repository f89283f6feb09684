/* SPDX-License-Identifier: GPL-2.0-only */
/* The cursor in the lines of a page, and the search for a line. */
#ifndef TOP_CURSOR_H
#define TOP_CURSOR_H

#include "top/state.h"

/* Returns whether @key moves the cursor. */
bool cursor_key(struct top *top, int key);

/*
 * Moves the cursor to the next line whose name contains top->search, regardless of case, from
 * line @from on. Returns false if no line does.
 */
bool cursor_search(struct top *top, size_t from);

#endif /* TOP_CURSOR_H */
