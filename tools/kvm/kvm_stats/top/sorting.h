/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes the order of the lines, and the columns. */
#ifndef TOP_SORTING_H
#define TOP_SORTING_H

#include "top/state.h"

/*
 * Each returns whether the order of the lines has changed. sorting_key() takes the key of a
 * column, and sorting_move() the next (1) or previous (-1) column that is on the screen.
 */
bool sorting_key(struct top *top, int key);
bool sorting_move(struct top *top, int by);
bool sorting_reverse(struct top *top);

/* Returns the columns to show: the chosen ones, without those that have no values. */
unsigned int sorting_columns(const struct top *top);

/* Handles a key while the list of columns is on the screen. */
void sorting_choose(struct top *top, int key);

#endif /* TOP_SORTING_H */
