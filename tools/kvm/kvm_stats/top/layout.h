/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the columns that fit into the width of the screen. */
#ifndef TOP_LAYOUT_H
#define TOP_LAYOUT_H

/* Widths including the space before each column of numbers; 0: the column is not shown. */
struct top_layout {
	int name;
	int total;
	int share;
	int rate;
};

struct top_layout layout_table(int width);

/* The same for the bars of a histogram. The bar gets the remaining width. */
struct bars_layout {
	int from;
	int to;
	int count;
	int share;
	int bar;
};

struct bars_layout layout_bars(int width);

#endif /* TOP_LAYOUT_H */
