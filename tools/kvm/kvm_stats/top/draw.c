// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws the screen. From top to bottom: meters, summary, title, times of vCPUs or the summary of a
 * histogram, headings, lines, how many follow, bottom line. kvm_stat's view has no meters, the
 * title above the summary, and the sum below the lines. All functions clip their output.
 */
#include <curses.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/array.h"
#include "base/utf8.h"
#include "messages/search.h"
#include "top/screen.h"

/* ---- text ---- */

/*
 * Returns the character at @text, its length in bytes and its width in cells. Returns '?' for
 * an invalid or unprintable one.
 */
static wchar_t next_character(const char *text, size_t *len, int *cells)
{
	mbstate_t state = { 0 };
	wchar_t c;

	*len = mbrtowc(&c, text, MB_CUR_MAX, &state);
	if (*len == (size_t)-1 || *len == (size_t)-2) {
		*len = 1;
		c = L'?';
	}
	*cells = wcwidth(c);
	if (*cells >= 0 && !iswcntrl(c) && utf8_is_harmless((uint32_t)c))
		return c;
	*cells = 1;
	return L'?';
}

int draw_fit(char *buf, size_t size, const char *text, int width)
{
	size_t used = 0;
	int sum = 0;

	while (*text) {
		char bytes[MB_LEN_MAX];
		mbstate_t state = { 0 };
		size_t len, n;
		int cells;
		wchar_t c = next_character(text, &len, &cells);

		n = wcrtomb(bytes, c, &state);
		if (n == (size_t)-1 || sum + cells > width || used + n >= size)
			break;
		memcpy(buf + used, bytes, n);
		used += n;
		sum += cells;
		text += len;
	}
	buf[used] = '\0';
	return sum;
}

/* ---- the screen ---- */

#define WIDEST_METER	60

enum draw_color {
	DRAW_PLAIN,
	DRAW_CLEARED,
	DRAW_APPEARED,
	DRAW_ERROR,
	DRAW_NEW,	/* the part of a bar that the last interval added */
	DRAW_HIGH,	/* a high load */
	DRAW_CRITICAL,
	DRAW_GUEST,	/* the part of a meter that is time in guests */
	DRAW_USER,
	DRAW_KERNEL,
	DRAW_COLORS,
};

struct area {
	int y;
	int rows;
	int columns;
};

static bool has_pairs;

void draw_colors(void)
{
	has_pairs = has_colors() && COLORS >= 8 && COLOR_PAIRS >= DRAW_COLORS;
	if (!has_pairs)
		return;
	init_pair(DRAW_CLEARED, COLOR_YELLOW, -1);
	init_pair(DRAW_APPEARED, COLOR_GREEN, -1);
	init_pair(DRAW_ERROR, COLOR_RED, -1);
	init_pair(DRAW_NEW, COLOR_CYAN, -1);
	init_pair(DRAW_HIGH, COLOR_YELLOW, -1);
	init_pair(DRAW_CRITICAL, COLOR_RED, -1);
	init_pair(DRAW_GUEST, COLOR_GREEN, -1);
	init_pair(DRAW_USER, COLOR_BLUE, -1);
	init_pair(DRAW_KERNEL, COLOR_RED, -1);
}

/* Returns an attribute for attrset(), or 0 if the terminal has no colors. */
static int draw_color(enum draw_color color)
{
	return has_pairs && color ? (int)COLOR_PAIR(color) : 0;
}

/* Draws at most @width cells of @text. Returns the number of cells drawn. */
static int draw_text(int y, int x, int width, int attributes, const char *text)
{
	char buf[1024];
	int cells;

	if (width <= 0 || y < 0 || y >= LINES || x >= COLS)
		return 0;
	if (x + width > COLS)
		width = COLS - x;
	cells = draw_fit(buf, sizeof(buf), text, width);
	attrset(attributes);
	mvaddstr(y, x, buf);
	attrset(A_NORMAL);
	return cells;
}

/* Aligns the end of @text with @x + @width. */
static void draw_right(int y, int x, int width, int attributes, const char *text)
{
	char buf[256];
	int cells = draw_fit(buf, sizeof(buf), text, width);

	draw_text(y, x + width - cells, cells, attributes, buf);
}

/* Draws text of several lines, and breaks long lines between words. Returns the row after it. */
static int draw_wrapped(int y, struct area area, const char *text)
{
	int width = area.columns - 1;

	while (*text && y < area.y + area.rows && width > 0) {
		size_t len = strcspn(text, "\n");
		char line[512];

		if (len > (size_t)width) {
			size_t space = (size_t)width;

			while (space && text[space] != ' ')
				space--;
			len = space ? space : (size_t)width;
		}
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		draw_text(y++, 1, width, 0, line);
		text += len;
		text += *text == ' ' || *text == '\n';
	}
	return y;
}

static void draw_spaces(int y, int x, int width, int attributes)
{
	for (; width > 0; width--, x++)
		draw_text(y, x, 1, attributes, " ");
}

static void draw_text_lines(struct area area, const char * const *lines, int count)
{
	int i;

	for (i = 0; i < count && i < area.rows; i++)
		draw_text(area.y + i, 1, area.columns - 1, 0, lines[i]);
}

size_t draw_first(size_t first, size_t at, size_t lines, int rows)
{
	size_t shown = rows > 0 ? (size_t)rows : 1;

	if (at < first)
		first = at;
	if (at >= first + shown)
		first = at - shown + 1;
	if (first + shown > lines)
		first = lines > shown ? lines - shown : 0;
	return first;
}

/* ---- meters ---- */

/* A part of a meter: of 100 percent, in its color. */
struct meter_part {
	double percent;
	enum draw_color color;
	const char *cell;	/* the character that fills it */
};

static void draw_parts(int y, int x, int width, const struct meter_part *part, size_t parts)
{
	double sum = 0;
	int from = 0;
	size_t i;

	for (i = 0; i < parts; i++) {
		int to;

		sum += part[i].percent > 0 ? part[i].percent : 0;
		to = (int)(sum / 100 * width + 0.5);
		for (; from < to && from < width; from++)
			draw_text(y, x + from, 1, draw_color(part[i].color) | A_BOLD, part[i].cell);
	}
}

/*
 * A stacked bar, like the meters of htop: "CPU [|||||    37.5%]". @text is at its right end.
 * Returns the cell after the meter.
 */
static int draw_meter(int y, int x, int width, const char *name, const struct meter_part *part,
		      size_t parts, const char *text)
{
	int inside = width - (int)strlen(name) - 2;

	if (inside < 2)
		return x;
	x += draw_text(y, x, width, A_BOLD, name);
	draw_text(y, x, 1, A_BOLD, "[");
	draw_parts(y, x + 1, inside, part, parts);
	draw_right(y, x + 1, inside, 0, text);
	draw_text(y, x + 1 + inside, 1, A_BOLD, "]");
	return x + inside + 2;
}

static void draw_meters(const struct top *top, int y, int columns)
{
	const struct host *host = &top->host;
	double used = (double)(host->memory - host->available);
	struct host_use use = host_use(host);
	const struct meter_part cpu[] = {
		{ use.guest, DRAW_GUEST, "|" },
		{ use.user, DRAW_USER, "|" },
		{ use.kernel, DRAW_KERNEL, "|" },
	};
	const struct meter_part memory[] = {
		{ host->memory ? 100 * used / (double)host->memory : 0, DRAW_GUEST, "|" },
	};
	int width = columns / 3 < WIDEST_METER ? columns / 3 : WIDEST_METER;
	char text[2 * NUMBER_SIZE + 4] = "-", size[NUMBER_SIZE];
	int x;

	if (use.guest >= 0) {
		number_percent(text, use.guest + use.user + use.kernel);
		strcat(text, "%");
	}
	x = draw_meter(y, 0, width, "CPU ", cpu, ARRAY_SIZE(cpu), text) + 2;
	number_bytes(text, used);
	number_bytes(size, (double)host->memory);
	strcat(text, "/");
	strcat(text, size);
	x = draw_meter(y, x, width, "Mem ", memory, 1, text) + 2;
	snprintf(text, sizeof(text), "%u CPU%s, load %.1f", host->cpus, plural(host->cpus),
		 host->load);
	draw_text(y, x, columns - x, 0, text);
}

/* ---- the summary ---- */

int draw_put_problems(char *buf, size_t size, const struct monitor *monitor)
{
	size_t unreadable = 0, missing = 0, no_vm_values = 0, i;
	int len = 0;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (!vmm->targets)
			unreadable++;
		else if (vmm_lacks_only_vm(vmm))
			no_vm_values++;
		else
			missing += vmm_has_sums(vmm) ? 0 : vmm->missing;
	}
	*buf = '\0';
	if (unreadable)
		len = snprintf(buf, size, ", %zu cannot be read", unreadable);
	if (missing)
		len += snprintf(buf + len, size - (size_t)len, ", %zu VM%s or vCPU%s missing",
				missing, plural(missing), plural(missing));
	if (no_vm_values)
		snprintf(buf + len, size - (size_t)len, ", VM values of %zu guest%s missing",
			 no_vm_values, plural(no_vm_values));
	return unreadable || missing ? (int)A_BOLD | draw_color(DRAW_ERROR) : draw_color(DRAW_HIGH);
}

static int put_sources(char *buf, size_t size, const struct monitor *monitor, const char *separator)
{
	static const struct {
		unsigned int origins;
		const char *name;
	} sources[] = {
		{ 1u << ORIGIN_NEXT, "statistics fds (next)" },
		{ 1u << ORIGIN_OPEN, "statistics fds (open)" },
		{ 1u << ORIGIN_OPENED | 1u << ORIGIN_TAKEN, "statistics fds" },
		{ 1u << ORIGIN_QMP, "QMP" },
		{ 1u << ORIGIN_DEBUGFS, "debugfs" },
		{ 1u << ORIGIN_TRACEPOINTS, "tracepoints" },
	};
	unsigned int origins = 0;
	size_t i, j;
	int len = 0;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++)
			origins |= 1u << monitor->vmm[i]->target[j]->origin;
	}
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (origins & sources[i].origins)
			len += snprintf(buf + len, size - (size_t)len, "%s%s", separator,
					sources[i].name);
	}
	return len;
}

static int put_counts(const struct top *top, char *buf, size_t size)
{
	size_t guests = 0, vms = 0, vcpus = 0, i;
	int len;

	for (i = 0; i < top->monitor->vmms; i++) {
		/* The whole machine is not a guest. */
		guests += vmm_key(top->monitor->vmm[i]) != 0;
		vms += top->monitor->vmm[i]->vms;
		vcpus += top->monitor->vmm[i]->vcpus;
	}
	len = snprintf(buf, size, "%zu guest%s, %zu VM%s, %zu vCPU%s", guests, plural(guests), vms,
		       plural(vms), vcpus, plural(vcpus));
	if (top->host.cpus && vcpus)
		len += snprintf(buf + len, size - (size_t)len, " (%.*f per CPU)",
				vcpus < 10 * (size_t)top->host.cpus,
				(double)vcpus / top->host.cpus);
	return len;
}

static void draw_summary(const struct top *top, int y, int columns)
{
	const char *separator = top->utf8 ? " · " : ", ";
	size_t denied = top->monitor->denied;
	char text[256];
	int x, len, attributes;

	put_counts(top, text, sizeof(text));
	x = draw_text(y, 0, columns, 0, text);
	attributes = draw_put_problems(text, sizeof(text), top->monitor);
	x += draw_text(y, x, columns - x, attributes, text);
	len = put_sources(text, sizeof(text), top->monitor, separator);
	snprintf(text + len, sizeof(text) - (size_t)len, "%severy %g s", separator,
		 (double)top->interval / SECOND);
	x += draw_text(y, x, columns - x, 0, text) + 2;
	if (!denied)
		return;
	snprintf(text, sizeof(text), "no permission to inspect %zu process%s", denied,
		 denied == 1 ? "" : "es");
	draw_text(y, x, columns - x, draw_color(DRAW_HIGH), text);
}

/* ---- the title ---- */

static int put_path(const struct top *top, char *buf, size_t size)
{
	const struct page *page = top_page(top);
	const struct filter *filter = top->filter;
	struct top_scope scope = page->scope;
	char name[64];
	int len;

	/* If only one process is selected, the page is of it. */
	if (top->kvm_stat && !scope.one_vmm && filter->pids == 1) {
		scope = (struct top_scope){ .one_vmm = true, .pid = filter->pid[0] };
		if (top->monitor->vmms == 1)
			scope = scope_of_vmm(top->monitor->vmm[0]);
	}
	if (scope.one_vmm && *scope.guest)
		len = snprintf(buf, size, "%s", sanitize(scope.guest, name, sizeof(name)));
	else if (scope.one_vmm)
		len = snprintf(buf, size, "PID %d", (int)scope.pid);
	else if (top->kvm_stat && filter->guests == 1)
		len = snprintf(buf, size, "%s", sanitize(filter->guest[0], name, sizeof(name)));
	else if (page->kind == PAGE_GUESTS)
		len = snprintf(buf, size, "Guests");
	else
		len = snprintf(buf, size, "%s", top->kvm_stat ? "summary" : "All guests");
	if (*scope.guest && scope.pid)
		len += snprintf(buf + len, size - (size_t)len, " (PID %d)", (int)scope.pid);
	if (scope.one_target)
		len += snprintf(buf + len, size - (size_t)len, ", %s", scope.label);
	if (*page->stat)
		len += snprintf(buf + len, size - (size_t)len, ", %s", page->stat);
	return len;
}

static void put_settings(const struct top *top, char *buf, size_t size)
{
	const char *separator = top->utf8 ? " · " : ", ";
	const struct page *page = top_page(top);
	const char *names = top->names[page->kind].text;
	int len = 0;

	*buf = '\0';
	if (*names)
		len += snprintf(buf, size, "%sfilter: %s", separator, names);
	if (page->kind >= PAGE_STATISTICS && top->filter->has_regex)
		len += snprintf(buf + len, size - (size_t)len, "%s-f %.200s", separator,
				top->filter->pattern);
	if (page->kind < PAGE_STATISTICS)
		return;
	if (!top->counts_growth)
		snprintf(buf + len, size - (size_t)len, "%ssince VM creation", separator);
	else if (!top->kvm_stat)
		snprintf(buf + len, size - (size_t)len, "%ssince the reset", separator);
}

static int draw_mark(int y, int x, int columns, int attributes, const char *mark)
{
	int len = (int)strlen(mark);

	/* A mark is more important than the end of the title. */
	x = x + len > columns ? columns - len : x;
	return x + draw_text(y, x > 0 ? x : 0, columns, A_STANDOUT | attributes, mark) + 1;
}

static void draw_title(const struct top *top, int y, int columns)
{
	char text[1024];
	int len = snprintf(text, sizeof(text), "%s", top->kvm_stat ? "kvm statistics - " : "");
	int x;

	len += put_path(top, text + len, sizeof(text) - (size_t)len);
	put_settings(top, text + len, sizeof(text) - (size_t)len);
	x = draw_text(y, 0, columns, A_BOLD, text) + 2;
	if (page_has_ended(top, top_page(top)))
		x = draw_mark(y, x, columns, draw_color(DRAW_ERROR), " has ended ");
	if (top->paused)
		draw_mark(y, x, columns, draw_color(DRAW_HIGH), " paused ");
}

/* ---- where the time of vCPUs goes: a stacked bar ---- */

#define LEGEND		66	/* cells, with the space before it */
#define SHORTEST_BAR	50

static const struct {
	const char *cell;	/* in the bar; the name in the legend begins with it */
	const char *name;
	enum draw_color color;
} part_types[TIME_PARTS] = {
	[TIME_GUEST] = { "G", "Guest", DRAW_GUEST },
	[TIME_EXITS] = { "E", "Exits", DRAW_KERNEL },
	[TIME_VMM] = { "V", "VMM", DRAW_USER },
	[TIME_HALTED] = { "H", "Halted", DRAW_PLAIN },
	[TIME_WAITING] = { "W", "Waiting", DRAW_HIGH },
};

static double mean_time(const struct vcpu_times *times, size_t part)
{
	return times->percent[part] / (double)times->vcpus;
}

/* The legend is below the bar if it does not fit to the right of it. */
static int rows_of_bar(int columns)
{
	return columns < SHORTEST_BAR + LEGEND ? 2 : 1;
}

static void draw_time_bar(const struct vcpu_times *times, int y, int columns)
{
	struct meter_part part[TIME_PARTS];
	bool below = rows_of_bar(columns) > 1;
	size_t i;
	int x;

	for (i = 0; i < TIME_PARTS; i++)
		part[i] = (struct meter_part){
			mean_time(times, i), part_types[i].color, part_types[i].cell };
	x = draw_meter(y, 0, below ? columns : columns - LEGEND, "Time ", part, TIME_PARTS, "");
	x = below ? (int)strlen("Time ") : x + 2;
	for (i = 0; i < TIME_PARTS; i++) {
		char percent[NUMBER_SIZE], text[NUMBER_SIZE + 16];

		number_percent(percent, mean_time(times, i));
		snprintf(text, sizeof(text), "%s %s%%", part_types[i].name + 1, percent);
		x += draw_text(y + below, x, columns - x, draw_color(part_types[i].color) | A_BOLD,
			       part_types[i].cell);
		x += draw_text(y + below, x, columns - x, 0, text) + 2;
	}
}

/* ---- the classes of exits ---- */

#define GAP		2	/* between blocks */
#define NAME		16
#define RATE		9	/* with the space before it */
#define PERCENT		7
#define MEAN		7
#define NUMBERS		(RATE + PERCENT + MEAN)
#define WIDEST_NAME	(NAME + 8)

/* The list of classes is in several blocks next to each other, each of a name and its numbers. */
struct blocks {
	int count;
	int name;	/* width */
	int rows;	/* that all classes need */
};

static struct blocks blocks_of(const struct page *page, int columns)
{
	struct blocks blocks = { .count = (columns + GAP) / (NAME + NUMBERS + GAP) };

	if (!blocks.count)
		blocks.count = 1;
	blocks.name = (columns + GAP) / blocks.count - GAP - NUMBERS;
	if (blocks.name > WIDEST_NAME)
		blocks.name = WIDEST_NAME;
	blocks.rows = ((int)page->classes.kinds + blocks.count - 1) / blocks.count;
	return blocks;
}

static void draw_block(int y, int x, int name, int attributes, const char * const *text)
{
	draw_text(y, x, name, attributes, text[0]);
	x += name;
	draw_right(y, x, RATE, attributes, text[1]);
	draw_right(y, x + RATE, PERCENT, attributes, text[2]);
	draw_right(y, x + RATE + PERCENT, MEAN, attributes, text[3]);
}

static void draw_class(const struct exit_kind *class, size_t vcpus, int y, int x, int name,
		       bool utf8)
{
	char rate[NUMBER_SIZE], percent[NUMBER_SIZE], mean[NUMBER_SIZE] = "-";
	const char *text[] = { class->name, rate, percent, mean };

	number_rate(rate, RATE - 1, class->rate);
	number_percent(percent, 100 * class->ns / SECOND / (double)vcpus);
	if (class->rate > 0)
		number_seconds(mean, class->ns / class->rate / SECOND, utf8);
	draw_block(y, x, name, class->ns > 0 ? 0 : A_DIM, text);
}

/* If not all classes fit, the heading of the first block says so. */
static void draw_classes(const struct top *top, struct area area)
{
	const struct page *page = top_page(top);
	struct blocks blocks = blocks_of(page, area.columns);
	int rows = area.rows - 1, shown = rows * blocks.count, i;
	char exits[64] = "Exits";
	const char *head[] = { exits, "Per s", "Time %", "Mean" };

	if (shown >= (int)page->classes.kinds)
		shown = (int)page->classes.kinds;
	else
		snprintf(exits, sizeof(exits), "Exits, %d of %zu", shown, page->classes.kinds);
	for (i = 0; i < shown; i++) {
		int x = i / rows * (blocks.name + NUMBERS + GAP);

		if (i % rows == 0)
			draw_block(area.y, x, blocks.name, A_BOLD, head);
		head[0] = "Exits";
		draw_class(&page->classes.kind[i], page->times.vcpus, area.y + 1 + i % rows, x,
			   blocks.name, top->utf8);
	}
}

/* ---- both, or the summary of a histogram: what is between the title and the headings ---- */

static bool shows_off(const struct top *top)
{
	return !top_page(top)->times.vcpus && top->exits_state == EXITS_OFF;
}

/* Returns how many of @rows are needed. 0: the page has no such times, or they do not fit. */
static int details_rows(const struct top *top, int rows, int columns)
{
	const struct page *page = top_page(top);
	int bar = rows_of_bar(columns);
	int classes = blocks_of(page, columns).rows;

	if (page->kind == PAGE_HISTOGRAM)
		return *page->summary && rows ? 1 : 0;
	if ((page->kind != PAGE_PARTS && page->kind != PAGE_STATISTICS) || bar > rows)
		return 0;
	if (!page->times.vcpus)
		return shows_off(top);
	if (!classes || bar + 2 > rows)
		return bar;
	return bar + 1 + classes < rows ? bar + 1 + classes : rows;
}

static void draw_details(const struct top *top, struct area area)
{
	const struct page *page = top_page(top);
	int bar = rows_of_bar(area.columns);

	if (!area.rows)
		return;
	if (page->kind == PAGE_HISTOGRAM) {
		draw_text(area.y, 0, area.columns, 0, page->summary);
	} else if (shows_off(top)) {
		draw_text(area.y, 0, area.columns, A_DIM, "Exit statistics are off. Run 'echo 1 >"
			  EXIT_STATS_PARAMETER "'.");
	} else {
		draw_time_bar(&page->times, area.y, area.columns);
		area.y += bar;
		area.rows -= bar;
		if (area.rows > 1)
			draw_classes(top, area);
	}
}

/* ---- headings ---- */

static struct column_layout layout_of(const struct top *top, int columns)
{
	const struct page *page = top_page(top);
	int longest = (int)strlen(column_heading(top, COLUMN_NAME, false));
	char buf[CELL_SIZE];
	size_t i;

	for (i = 0; i < page->lines; i++) {
		int cells = draw_fit(buf, sizeof(buf), page->line[i]->name, CELL_SIZE) +
			    (page->line[i]->child ? 2 : 0);

		longest = cells > longest ? cells : longest;
	}
	return column_layout(table_columns(top), top->skipped_columns, columns, longest);
}

static void draw_cell(int y, const struct column_place *place, int attributes, const char *text)
{
	if (column_types[place->id].left)
		draw_text(y, place->x, place->width, attributes, text);
	else
		draw_right(y, place->x, place->width, attributes, text);
}

static void draw_head(const struct top *top, const struct column_layout *layout, int y, int columns)
{
	enum column_id sorted = top->order[top_page(top)->kind].column;
	size_t i;

	draw_spaces(y, 0, columns, A_STANDOUT);
	for (i = 0; i < layout->places; i++) {
		const struct column_place *place = &layout->place[i];
		int mark = place->id == sorted && place->id != COLUMN_FROM ?
			   A_BOLD | A_UNDERLINE : 0;

		draw_cell(y, place, A_STANDOUT | mark,
			  column_heading(top, place->id, layout->wide));
	}
	if (layout->hidden && columns > 30)
		draw_right(y, columns - 1, 1, A_STANDOUT, ">");
}

/* ---- bars ---- */

unsigned int draw_eighths(double count, double largest, int width)
{
	unsigned int eighths;

	if (count <= 0 || largest <= 0 || width <= 0)
		return 0;
	eighths = (unsigned int)(count / largest * width * 8 + 0.5);
	return eighths ? eighths : 1;
}

/* The color changes only between two cells. In ASCII, the cells of the last interval are "+". */
static void draw_bar(const struct top *top, const struct line *line, int y,
		     const struct column_place *place, double largest, int attributes)
{
	static const char * const part[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	double samples = line->number[COLUMN_SAMPLES];
	int all = (int)draw_eighths(samples, largest, place->width - 1);
	int old = (int)draw_eighths(samples - line->added, largest, place->width - 1);
	int full = top->utf8 ? all / 8 : (all + 7) / 8;
	int border = all == old ? full : old / 8;
	int i;

	for (i = 0; i < full; i++)
		draw_text(y, place->x + i, 1,
			  attributes | (i < border ? 0 : draw_color(DRAW_NEW)),
			  top->utf8 ? "█" : i < border ? "#" : "+");
	if (top->utf8)
		draw_text(y, place->x + full, 1,
			  attributes | (all > old ? draw_color(DRAW_NEW) : 0), part[all % 8]);
}

/* ---- lines ---- */

#define SHORTEST_PROBLEM	30

static int color_of_load(double value, double high, double critical)
{
	if (value >= critical)
		return draw_color(DRAW_CRITICAL) | A_BOLD;
	return value >= high ? draw_color(DRAW_HIGH) : 0;
}

static int load_color(enum column_id id, const struct line *line)
{
	double number = line->number[id], vcpus = line->number[COLUMN_VCPUS];

	if (id == COLUMN_CPU && vcpus > 0 && !line->sum)
		return color_of_load(number / vcpus, 60, 90);
	if (id == COLUMN_WAITING)
		return color_of_load(number, 5, 20);
	if (id == COLUMN_MISSING)
		return color_of_load(number, 1, line->lacks_only_vms ? INT_MAX : 1);
	return 0;
}

static int line_attributes(const struct line *line, bool cursor)
{
	int attributes = cursor ? A_REVERSE : 0;

	if (*line->problem)
		return attributes | draw_color(DRAW_ERROR);
	if (line->cleared)
		return attributes | A_BOLD | draw_color(DRAW_CLEARED);
	if (line->appeared)
		attributes |= draw_color(DRAW_APPEARED);
	/* What does not change is dim. */
	if (!cursor && (line->number[COLUMN_RATE] == 0 || line->number[COLUMN_SAMPLES] == 0))
		attributes |= A_DIM;
	return attributes | (line->sum ? A_BOLD : 0);
}

static void draw_line_cell(struct top *top, struct line *line, int y,
			   const struct column_place *place, double largest, int attributes)
{
	char text[CELL_SIZE];

	if (place->id == COLUMN_KINDS)
		stats_update_kinds(top, line);
	column_text(text, place->id, line, place->width, top->monitor->time, top->utf8);
	if (!(attributes & A_REVERSE) && !*line->problem)
		attributes |= load_color(place->id, line);
	draw_cell(y, place, attributes, text);
	if (place->id == COLUMN_BAR)
		draw_bar(top, line, y, place, largest, attributes);
}

/* The columns of KVM's statistics. Times of vCPUs and memory come from /proc. */
static bool needs_statistics(enum column_id id)
{
	return id >= COLUMN_EXITS && id != COLUMN_MEMORY;
}

/*
 * Returns where the reason why a guest cannot be read starts: at the first of these columns, and of
 * the times of vCPUs if @times is set. Without any of them, it is next to the name.
 */
static int start_of_problem(const struct column_layout *layout, bool times)
{
	size_t i;

	for (i = 1; i < layout->places; i++) {
		enum column_id id = layout->place[i].id;

		if (needs_statistics(id) || (times && id >= COLUMN_GUEST))
			return layout->place[i].x;
	}
	return layout->place[0].width + 1;
}

/*
 * The reason also replaces the times of the vCPUs if they are unknown, or if it needs the space,
 * and the columns up to its end.
 */
static void draw_line_problem(struct top *top, const struct column_layout *layout, int y,
			      struct line *line, int columns, int attributes)
{
	bool times = line->number[COLUMN_GUEST] < 0 ||
		     columns - start_of_problem(layout, false) < SHORTEST_PROBLEM;
	int x = start_of_problem(layout, times);
	int end = x + (int)strlen(line->problem);
	size_t i;

	for (i = 0; i < layout->places; i++) {
		const struct column_place *at = &layout->place[i];

		if (at->x < x || (at->x > end && !needs_statistics(at->id)))
			draw_line_cell(top, line, y, at, 0, attributes);
	}
	draw_text(y, x, columns - x, attributes | A_BOLD, line->problem);
}

static void draw_line(struct top *top, const struct column_layout *layout, int y,
		      struct line *line, bool cursor, int columns, double largest)
{
	int attributes = line_attributes(line, cursor);
	size_t i;

	draw_spaces(y, 0, cursor ? columns : 0, attributes);
	if (*line->problem) {
		draw_line_problem(top, layout, y, line, columns, attributes);
		return;
	}
	for (i = 0; i < layout->places; i++)
		draw_line_cell(top, line, y, &layout->place[i], largest, attributes);
}

static void draw_how_many_follow(const struct page *page, int y, int columns, size_t shown)
{
	size_t below = page->lines - page->first - shown;
	char text[80];
	int len = 0;

	if (page->first)
		len = snprintf(text, sizeof(text), "%zu more above%s", page->first,
			       below ? ", " : "");
	if (below)
		snprintf(text + len, sizeof(text) - (size_t)len, "%zu more below", below);
	draw_text(y, 0, columns, A_DIM, text);
}

/* Scrolls, so that the line of the cursor is visible. Returns the rows for lines. */
static int scroll_lines(struct page *page, int rows)
{
	if (page->at >= page->lines)
		page->at = page->lines ? page->lines - 1 : 0;
	if (page->lines > (size_t)rows && rows > 1)
		rows--;
	page->first = draw_first(page->first, page->at, page->lines, rows);
	return rows;
}

static void draw_lines(struct top *top, const struct column_layout *layout, struct area area)
{
	struct page *page = top_page(top);
	int rows = scroll_lines(page, area.rows);
	double largest = 0;
	size_t i;
	int y;

	for (i = 0; i < page->lines; i++) {
		if (page->line[i]->number[COLUMN_SAMPLES] > largest)
			largest = page->line[i]->number[COLUMN_SAMPLES];
	}
	for (i = page->first, y = area.y; y < area.y + rows && i < page->lines; i++, y++)
		draw_line(top, layout, y, page->line[i], i == page->at, area.columns, largest);
	if (rows < area.rows)
		draw_how_many_follow(page, area.y + rows, area.columns, (size_t)rows);
	/* The reason why the guest of the page cannot be read is below its only line. */
	area.rows -= y + 1 - area.y;
	area.y = y + 1;
	if (*page->problem && page->lines == 1 && area.rows > 0)
		draw_wrapped(area.y, area, page->problem);
}

/* ---- no lines ---- */

static void draw_no_guest(const struct top *top, struct area area)
{
	const struct filter *filter = top->filter;
	char text[512], name[NAME_SIZE];

	if (monitor_has_ended(top->monitor))
		snprintf(text, sizeof(text), "The selected process has ended.");
	else if (filter->guests)
		snprintf(text, sizeof(text), "No guest named '%s'%s is running. Waiting for it to "
			 "start.", sanitize(filter->guest[0], name, sizeof(name)),
			 filter->guests > 1 ? " (or one of the other names)" : "");
	else if (explain_no_kvm_yet(top->monitor))
		top_errors(text, sizeof(text));
	else
		snprintf(text, sizeof(text), "No VM is running. Waiting for one to start.");
	area.y = draw_wrapped(area.y, area, text);
	if (top->monitor->denied)
		draw_wrapped(area.y, area, denied_text(top->monitor, text, sizeof(text)));
}

static void draw_nothing(const struct top *top, struct area area)
{
	const struct page *page = top_page(top);
	const char *names = top->names[page->kind].text;
	char text[PROMPT_SIZE + 128];

	if (*page->problem)
		snprintf(text, sizeof(text), "%s", page->problem);
	else if (*names)
		snprintf(text, sizeof(text), "No name matches '%s'. Press 'f' to change it.",
			 names);
	else if (page->kind == PAGE_HISTOGRAM)
		snprintf(text, sizeof(text), "No samples yet.%s", top->counts_growth ?
			 " Press 'i' to include those since VM creation." : "");
	else if (top->kvm_stat && stat_sets_match_nothing(&top->monitor->context.sets))
		snprintf(text, sizeof(text), "No statistic's name matches '%.200s'. The expression "
			 "must match from the start of a name.", top->filter->pattern);
	else
		snprintf(text, sizeof(text), "%s", top->kvm_stat ?
			 "No matching events reported yet" : "All statistics are 0.");
	if (!top->monitor->vmms && !page->scope.one_vmm)
		draw_no_guest(top, area);
	else
		draw_wrapped(area.y, area, *page->problem ? page->problem : text);
}

/* ---- lists in place of the page ---- */

static const char * const top_help[] = {
	"Enter, Right  open the line: a guest shows its vCPUs, a vCPU its",
	"              statistics, a histogram its bars",
	"Left, Esc     go back",
	"Up, Down      move the cursor, as do PgUp, PgDn, Home and End",
	"<  >          sort by the previous or next column; - reverses the order",
	"N P E M ...   sort by a column, for example name, CPU, exits, memory;",
	"              c shows the letters of all columns",
	"Tab           show the columns that do not fit on the screen",
	"c             choose columns",
	"/  n          search for a name; next match",
	"f             show only names that match a regular expression",
	"Space         pause and continue",
	"s             set the seconds between two readings",
	"r  i          count values of statistics from now on; since VM creation",
	"h  q          show this help; quit",
	"",
	"Guest, kernel, VMM, halted and waiting are parts of the time of the vCPUs.",
	"While exit statistics are on, the bar \"Time\" shows them, and the classes of",
	("exits. To switch them on: echo 1 >" EXIT_STATS_PARAMETER),
	"CPU is that of the whole process; 100 % is one CPU.",
};

static const char * const kvm_stat_help[] = {
	"b         switch between statistics and guests (or VMs and vCPUs)",
	"c         clear the filters",
	"f         filter by regular expression, matched from the start of names",
	"g, p      show one guest, by name or PID",
	"h         show this help",
	"i         switch between totals since VM creation and since the start",
	"o         switch between sorting by CurAvg/s and by Total",
	"q         quit",
	"r         reset: count totals from now on",
	"s         set the seconds between readings",
	"x         show or hide the exit reasons of tracepoints",
	"",
	"Up, Down  move the cursor, as do PgUp, PgDn, Home and End",
	"Enter     open the line: a guest shows its VMs and vCPUs, a VM or",
	"          vCPU its statistics, a histogram its bars, another",
	"          statistic its value for each guest, then VM or vCPU",
	"Left      go back, as does Esc",
	"",
	"Any other key reads the statistics now.",
};

static void draw_choices(const struct top *top, struct area area)
{
	size_t first = draw_first(0, (size_t)top->chosen - 1, TABLE_COLUMNS - 1, area.rows) + 1;
	int i;

	for (i = 0; i < area.rows && first + (size_t)i < TABLE_COLUMNS; i++) {
		int id = (int)first + i;
		const struct column_type *type = &column_types[id];
		char text[160];

		snprintf(text, sizeof(text), "[%c] %c  %-9s %s",
			 top->columns & COLUMN_BIT(id) ? 'x' : ' ', type->key ? type->key : ' ',
			 type->heading, type->meaning);
		draw_text(area.y + i, 1, area.columns - 1, id == top->chosen ? A_REVERSE : 0,
			  text);
	}
}

/* Lists the guests that match the answer so far. */
static void draw_guests(const struct top *top, struct area area)
{
	int y = area.y + 1, end = area.y + area.rows;
	bool more = false;
	size_t i;

	draw_text(area.y, 1, area.columns - 1, A_UNDERLINE, "    PID Guest Name");
	for (i = 0; i < top->choices; i++) {
		const struct guest_choice *guest = &top->choice[i];
		char line[NAME_SIZE + 32], name[NAME_SIZE], pid[16] = "-";

		sanitize(guest->name, name, sizeof(name));
		if (guest->pid)
			snprintf(pid, sizeof(pid), "%d", (int)guest->pid);
		snprintf(line, sizeof(line), "%7s %s%s%s", pid, guest->named ? "" : "(", name,
			 guest->named ? "" : ")");
		if (!strstr(line, top->prompt.text))
			continue;
		if (y < end)
			draw_text(y++, 1, area.columns - 1, 0, line);
		else
			more = true;
	}
	if (more)
		draw_text(end - 1, 1, area.columns - 1, 0,
			  "    ... and others. Type part of a name to narrow the list.");
	if (!top->choices)
		draw_text(y, 1, area.columns - 1, 0,
			  "No VM is running, or kvm-stats has no permission to inspect it.");
}

/* ---- prompts and the bottom line ---- */

static void draw_prompt(const struct prompt *prompt, int y, int columns)
{
	static const char * const question[] = {
		[PROMPT_FILTER] = "Show only names that match (empty: all): ",
		[PROMPT_SEARCH] = "Search: ",
		[PROMPT_INTERVAL] = "Seconds between readings: ",
		[PROMPT_REGEX] = "Regular expression (empty: all): ",
		[PROMPT_GUEST] = "Guest or PID (empty: all): ",
	};
	int attributes = prompt->initial ? A_REVERSE : 0;
	int x = draw_text(y, 0, columns, A_BOLD, question[prompt->kind]);
	int width = columns - x - 1, cells;
	char before[PROMPT_SIZE];
	size_t from = 0;

	/* Show the part before the cursor. The number of bytes is at least the number of cells. */
	if (width > 0 && prompt->at > (size_t)width)
		from = prompt->at - (size_t)width;
	while (from && from < prompt->at && (prompt->text[from] & 0xc0) == 0x80)
		from++;
	draw_text(y, x, columns - x, attributes, prompt->text + from);
	snprintf(before, sizeof(before), "%.*s", (int)(prompt->at - from), prompt->text + from);
	cells = draw_text(y, x, columns - x, attributes, before);
	move(y, x + cells < columns ? x + cells : columns - 1);
}

static const char *hint(const struct top *top)
{
	const struct page *page = top_page(top);
	bool histogram = page->at < page->lines &&
			 page->line[page->at]->group == GROUP_HISTOGRAMS;

	if (top->choosing)
		return "Space show or hide  Enter close";
	switch (page->kind) {
	case PAGE_GUESTS:
		return "Enter open  < > sort  / search  f filter  c columns  Space pause  h help  "
		       "q quit";
	case PAGE_PARTS:
		return "Enter statistics  Left back  < > sort  / search  c columns  h help  q quit";
	case PAGE_STATISTICS:
		return "Enter bars of a histogram  Left back  < > sort  / search  f filter  h help";
	case PAGE_HISTOGRAM:
		return "Left back  Up/Down scroll  r count from now on  i since VM creation  "
		       "h help";
	case PAGE_MEMBERS:
		return "q quit  h help  Left back  Enter open  b statistics  o sort";
	default:
		if (page->selected)
			return histogram ? "q quit  h help  Left back  Enter bars" :
					   "q quit  h help  Left back  Enter by guest";
		return "q quit  h help  o sort  f filter  g guest  b by guest  r reset  s delay";
	}
}

/* The meaning of the statistic that the cursor is on, for screens without a column for it */
static const char *selected_meaning(const struct page *page)
{
	return page->kind == PAGE_STATISTICS && page->selected ? page->selected->meaning : "";
}

static void draw_bottom(const struct top *top, int y, int columns)
{
	char text[MESSAGE_SIZE];

	if (top->help)
		draw_text(y, 0, columns, A_STANDOUT, "Press any key to close this help");
	else if (top->prompt.kind)
		draw_prompt(&top->prompt, y, columns);
	else if (clock_now() < top->message_until)
		draw_text(y, 0, columns, A_BOLD, sanitize(top->message, text, sizeof(text)));
	else if (*selected_meaning(top_page(top)))
		draw_text(y, 0, columns, 0, selected_meaning(top_page(top)));
	else
		draw_text(y, 0, columns, A_DIM, hint(top));
}

/* ---- the whole screen ---- */

/* Rows of the screen; -1: the part is left out, because the screen is too small. */
struct frame {
	int meters;
	int summary;
	int title;
	struct area details;
	int head;
	struct area body;
	int sum;
	int bottom;
};

static struct frame frame_of(const struct top *top, int rows, int columns)
{
	struct frame frame = { .meters = -1, .summary = -1, .head = -1, .sum = -1, .bottom = -1 };
	bool listing = top->help || top->choosing;
	int end = rows, y = 0, details;

	if (!top->kvm_stat && rows >= 10)
		frame.meters = y++;
	if (!top->kvm_stat && rows >= 8)
		frame.summary = y++;
	frame.title = y++;
	if (top->kvm_stat && rows >= 6)
		frame.summary = y++;
	if (rows >= 3)
		frame.bottom = --end;
	/* Times of vCPUs get at most half of the rows of lines. */
	details = listing ? 0 : details_rows(top, (end - y - 1) / 2, columns);
	frame.details = (struct area){ y, details, columns };
	y += details;
	if (rows >= 4)
		frame.head = y++;
	if (rows >= 8 && top_page(top)->sum.number[COLUMN_VALUE] > 0)
		frame.sum = --end;
	frame.body = (struct area){ y, end > y ? end - y : 0, columns };
	return frame;
}

static void draw_body(struct top *top, const struct frame *frame)
{
	struct column_layout layout = layout_of(top, frame->body.columns);
	struct page *page = top_page(top);

	if (top->help && top->kvm_stat) {
		draw_text_lines(frame->body, kvm_stat_help, ARRAY_SIZE(kvm_stat_help));
	} else if (top->help) {
		draw_text_lines(frame->body, top_help, ARRAY_SIZE(top_help));
	} else if (top->choosing) {
		draw_choices(top, frame->body);
	} else if (top->prompt.kind == PROMPT_GUEST) {
		draw_guests(top, frame->body);
	} else if (!page->lines) {
		draw_nothing(top, frame->body);
	} else {
		if (frame->head >= 0)
			draw_head(top, &layout, frame->head, frame->body.columns);
		draw_lines(top, &layout, frame->body);
		if (frame->sum >= 0)
			draw_line(top, &layout, frame->sum, &page->sum, false,
				  frame->body.columns, 0);
	}
}

/* Draws the error of a prompt above it. */
static void draw_error(const struct top *top, const struct frame *frame, int columns)
{
	int y = frame->bottom > 0 ? frame->bottom - 1 : frame->title;

	if (!top->prompt.kind || !*top->prompt.error)
		return;
	move(y, 0);
	clrtoeol();
	draw_text(y, 0, columns, A_BOLD | draw_color(DRAW_ERROR), top->prompt.error);
}

void draw_now(const char *text)
{
	if (!stdscr || LINES < 3)
		return;
	move(LINES - 1, 0);
	clrtoeol();
	draw_text(LINES - 1, 0, COLS, A_BOLD, text);
	curs_set(0);
	refresh();
}

void draw_screen(struct top *top)
{
	int columns = COLS;
	struct frame frame = frame_of(top, LINES, columns);

	if (top->width != columns)
		top->skipped_columns = 0;
	top->rows = frame.body.rows;
	top->width = columns;
	erase();
	if (frame.meters >= 0)
		draw_meters(top, frame.meters, columns);
	if (frame.summary >= 0)
		draw_summary(top, frame.summary, columns);
	draw_title(top, frame.title, columns);
	draw_details(top, frame.details);
	draw_body(top, &frame);
	draw_error(top, &frame, columns);
	curs_set(top->prompt.kind ? 1 : 0);
	if (frame.bottom >= 0)
		draw_bottom(top, frame.bottom, columns);
	refresh();
}
