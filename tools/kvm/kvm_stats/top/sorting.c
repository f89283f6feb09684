// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>

#include "top/sorting.h"

#define ESCAPE	27

/* The keys that sort the statistics */
static const char stat_keys[STAT_COLUMNS] = {
	[STAT_NAME] = 'N', [STAT_VALUE] = 'V', [STAT_RATE] = 'R',
};

static bool sort_table(struct top *top, int column)
{
	struct table_order *order = &top->order[top_page(top)->kind];

	if (column < 0 || !column_types[column].key)
		return false;
	order->reversed = order->column == (enum column_id)column && !order->reversed;
	order->column = (enum column_id)column;
	return true;
}

static bool sort_statistics(struct top *top, int column)
{
	struct stat_order *order = &top->stat_order;

	order->reversed = order->column == (enum stat_column)column && !order->reversed;
	order->column = (enum stat_column)column;
	return true;
}

bool sorting_key(struct top *top, int key)
{
	int i;

	if (top_page(top)->kind == PAGE_HISTOGRAM)
		return false;
	if (top_page(top)->kind != PAGE_STATISTICS)
		return sort_table(top, column_of_key(key));
	for (i = 0; i < STAT_COLUMNS; i++) {
		if (stat_keys[i] == key)
			return sort_statistics(top, i);
	}
	return false;
}

/* Returns the next column that can be sorted and that is in the mask @shown. */
static int next_column(unsigned int shown, int column, int by)
{
	int i;

	for (i = 0; i < COLUMNS_OF_TABLE; i++) {
		column = (column + by + COLUMNS_OF_TABLE) % COLUMNS_OF_TABLE;
		if (column_types[column].key && (shown & COLUMN_BIT(column)))
			break;
	}
	return column;
}

bool sorting_move(struct top *top, int by)
{
	enum page_kind kind = top_page(top)->kind;
	int column;

	if (kind == PAGE_HISTOGRAM)
		return false;
	if (kind == PAGE_STATISTICS) {
		column = ((int)top->stat_order.column + by + STAT_COLUMNS) % STAT_COLUMNS;
		return sort_statistics(top, column);
	}
	column = next_column(sorting_columns(top), (int)top->order[kind].column, by);
	return sort_table(top, column);
}

bool sorting_reverse(struct top *top)
{
	enum page_kind kind = top_page(top)->kind;

	if (kind == PAGE_HISTOGRAM)
		return false;
	if (kind == PAGE_STATISTICS)
		return sort_statistics(top, (int)top->stat_order.column);
	return sort_table(top, (int)top->order[kind].column);
}

unsigned int sorting_columns(const struct top *top)
{
	unsigned int columns = top->columns | COLUMN_BIT(COLUMN_NAME);
	bool missing = false;
	size_t i;

	for (i = 0; i < top->table.lines; i++)
		missing |= top->table.line[i].missing || top->table.line[i].lacks_only_vms;
	if (!missing)
		columns &= ~COLUMN_BIT(COLUMN_MISSING);
	/* The lines of a guest are its vCPUs, so they have no PID and one vCPU each. */
	if (top->page[top->depth].kind == PAGE_PARTS)
		columns &= ~(COLUMN_BIT(COLUMN_PID) | COLUMN_BIT(COLUMN_VCPUS));
	return columns;
}

void sorting_choose(struct top *top, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		top->choice -= top->choice > COLUMN_NAME + 1;
		break;
	case KEY_DOWN:
	case 'j':
		top->choice += top->choice + 1 < COLUMNS_OF_TABLE;
		break;
	case ' ':
		top->columns ^= COLUMN_BIT(top->choice);
		top->skipped_columns = 0;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_LEFT:
	case ESCAPE:
	case 'c':
	case 'q':
		top->choosing = false;
		break;
	}
}
