// SPDX-License-Identifier: GPL-2.0-only
#include "top/layout.h"

#define TOTAL		14
#define SHARE		8
#define RATE		10
#define SHORTEST_NAME	16
#define LONGEST_NAME	56

#define BOUND		9
#define COUNT		11
#define SHORTEST_BAR	12

struct top_layout layout_table(int width)
{
	struct top_layout layout = { .name = width };

	if (width >= SHORTEST_NAME + RATE) {
		layout.rate = RATE;
		layout.name -= RATE;
	}
	if (layout.name >= SHORTEST_NAME + TOTAL) {
		layout.total = TOTAL;
		layout.name -= TOTAL;
	}
	if (layout.total && layout.name >= SHORTEST_NAME + SHARE) {
		layout.share = SHARE;
		layout.name -= SHARE;
	}
	if (layout.name > LONGEST_NAME)
		layout.name = LONGEST_NAME;
	return layout;
}

struct bars_layout layout_bars(int width)
{
	struct bars_layout layout = { .from = width < BOUND ? width : BOUND };
	int left = width - layout.from;

	if (left >= COUNT) {
		layout.count = COUNT;
		left -= COUNT;
	}
	if (layout.count && left >= BOUND + SHORTEST_BAR) {
		layout.to = BOUND;
		left -= BOUND;
	}
	if (layout.to && left >= SHARE + SHORTEST_BAR) {
		layout.share = SHARE;
		left -= SHARE;
	}
	layout.bar = left > 2 ? left : 0;
	return layout;
}
