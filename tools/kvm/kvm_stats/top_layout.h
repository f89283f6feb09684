/* SPDX-License-Identifier: GPL-2.0-only */
/* Which columns there is room for. */
#ifndef TOP_LAYOUT_H
#define TOP_LAYOUT_H

/* Widths, with the space before each of the numbers; 0: not shown. */
struct top_layout {
	int name;
	int total;
	int share;
	int rate;
};

struct top_layout layout_table(int width);

/* The same of a histogram: name is that of its bounds, and the bar has the rest. */
struct bars_layout {
	int from;
	int to;
	int count;
	int share;
	int bar;
};

struct bars_layout layout_bars(int width);

#endif /* TOP_LAYOUT_H */
