// SPDX-License-Identifier: GPL-2.0-only
#include "top/column_layout.h"

#define GAP	1	/* cells between two columns */

static int width_of(enum column_id id, bool wide)
{
	return wide ? column_types[id].wide : column_types[id].width;
}

static bool all_fit(unsigned int chosen, int width)
{
	int id;

	for (id = 0; id < COLUMNS_OF_TABLE; id++) {
		if (chosen & COLUMN_BIT(id))
			width -= width_of(id, true) + GAP;
	}
	return width >= 0;
}

static void add(struct column_layout *layout, enum column_id id, int width)
{
	layout->place[layout->places++] = (struct column_place){ .id = id, .width = width };
}

/* Adds columns as long as they fit. Returns the width that is left. */
static int add_columns(struct column_layout *layout, unsigned int chosen, size_t skipped, int width)
{
	int id;

	for (id = COLUMN_NAME + 1; id < COLUMNS_OF_TABLE; id++) {
		int needed = width_of(id, layout->wide) + GAP;

		if (!(chosen & COLUMN_BIT(id)))
			continue;
		if (skipped || layout->hidden || needed > width) {
			/* A column after one that does not fit is hidden, too. */
			layout->hidden += !skipped;
			skipped -= !!skipped;
			continue;
		}
		add(layout, id, needed - GAP);
		width -= needed;
	}
	return width;
}

static int widen(struct column_place *place, int spare, int widest)
{
	int more = widest - place->width;

	if (more > spare)
		more = spare;
	if (more <= 0)
		return spare;
	place->width += more;
	return spare - more;
}

/*
 * Gives the spare width to the names first, up to a limit. Then each column that can use it gets
 * its part, before one of them gets all that it can use. Long names get what is left.
 */
static void use_spare_width(struct column_layout *layout, int spare, int longest_name)
{
	int widest = column_types[COLUMN_NAME].widest;
	size_t i;

	spare = widen(&layout->place[0], spare, longest_name < widest ? longest_name : widest);
	for (i = 1; i < layout->places; i++) {
		const struct column_type *type = &column_types[layout->place[i].id];

		if (type->widest)
			spare = widen(&layout->place[i], spare, type->wide);
	}
	for (i = 1; i < layout->places; i++)
		spare = widen(&layout->place[i], spare, column_types[layout->place[i].id].widest);
	widen(&layout->place[0], spare, longest_name);
}

static void set_positions(struct column_layout *layout)
{
	size_t i;

	for (i = 1; i < layout->places; i++) {
		const struct column_place *before = &layout->place[i - 1];

		layout->place[i].x = before->x + before->width + GAP;
	}
}

struct column_layout column_layout(unsigned int chosen, size_t skipped, int width,
				   int longest_name)
{
	struct column_layout layout = { .wide = all_fit(chosen | COLUMN_BIT(COLUMN_NAME), width) };
	int name = width_of(COLUMN_NAME, layout.wide);
	int spare;

	if (layout.wide)
		skipped = 0;
	add(&layout, COLUMN_NAME, name < width ? name : width);
	spare = add_columns(&layout, chosen, skipped, width - name - GAP);
	layout.hidden += skipped;
	use_spare_width(&layout, spare, longest_name);
	set_positions(&layout);
	return layout;
}

size_t column_layout_next(unsigned int chosen, size_t skipped, int width)
{
	struct column_layout layout = column_layout(chosen, skipped, width, 0);

	/* Without any further column, skip one, so that all can be reached. */
	if (layout.hidden == skipped || layout.wide)
		return 0;
	return skipped + (layout.places > 1 ? layout.places - 1 : 1);
}
