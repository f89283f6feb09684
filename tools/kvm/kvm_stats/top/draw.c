// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "notice.h"
#include "top/screen.h"
#include "top/view.h"
#include "util.h"

static const char *separator(void)
{
	return is_utf8() ? " · " : ", ";
}

/* ---- the host ---- */

#define WIDEST_METER	60

static void draw_meters(const struct host *host, int y)
{
	double used = (double)(host->memory - host->available);
	struct host_use use = host_use(host);
	const struct meter_part cpu[] = {
		{ use.guest, COLOR_GREEN, "|" }, { use.user, COLOR_BLUE, "|" },
		{ use.kernel, COLOR_RED, "|" },
	};
	const struct meter_part memory[] = {
		{ host->memory ? 100 * used / (double)host->memory : 0, COLOR_GREEN, "|" },
	};
	int width = COLS / 3 < WIDEST_METER ? COLS / 3 : WIDEST_METER;
	char text[2 * NUMBER_SIZE] = "-", size[NUMBER_SIZE];
	int x;

	if (use.guest >= 0) {
		number_put(text, UNIT_PERCENT, use.guest + use.user + use.kernel, 0);
		strcat(text, "%");
	}
	x = screen_meter(y, 0, width, "CPU ", cpu, ARRAY_SIZE(cpu), text) + 2;
	number_put(text, UNIT_BYTES, used, 0);
	number_put(size, UNIT_BYTES, (double)host->memory, 0);
	strcat(strcat(text, "/"), size);
	x = screen_meter(y, x, width, "Mem ", memory, 1, text) + 2;
	screen_print(y, x, 0, "%u CPU%s, load %.1f", host->cpus, plural(host->cpus), host->load);
}

static void draw_summary(const struct view *view, int y)
{
	const struct monitor *monitor = view->sampler.monitor;
	unsigned int cpus = view->sampler.host.cpus;
	size_t vms = 0, vcpus = 0, i;
	int x;

	for (i = 0; i < monitor->vmms; i++) {
		vms += monitor->vmm[i]->vms;
		vcpus += monitor->vmm[i]->vcpus;
	}
	x = screen_print(y, 0, 0, "%zu guest%s, %zu VM%s, %zu vCPU%s", monitor->vmms,
			 plural(monitor->vmms), vms, plural(vms), vcpus, plural(vcpus));
	if (cpus && vcpus)
		x += screen_print(y, x, 0, " (%.*f per CPU)", vcpus < 10 * (size_t)cpus,
				  (double)vcpus / cpus);
	screen_print(y, x, 0, "%s%s%severy %g s", separator(),
		     monitor->replay ? "recording" :
		     origin_text(kvmstats_host_origin(monitor->host)), separator(),
		     (double)view->interval / SECOND);
}

/* ---- the title ---- */

static int draw_path(const struct page *page, int y)
{
	const char *name = page->kind == PAGE_GUESTS ? "Guests" : "All guests";
	int x = screen_print(y, 0, A_BOLD, "%s", *page->title ? page->title : name);

	if (*page->scope.label)
		x += screen_print(y, x, A_BOLD, ", %s", page->scope.label);
	if (*page->stat)
		x += screen_print(y, x, A_BOLD, ", %s", page->stat);
	return x;
}

static int draw_waiting(const struct target *target, int y, int x)
{
	char text[NUMBER_SIZE];

	if (!target || !target->waiting)
		return 0;
	number_put(text, UNIT_SECONDS, (double)target->waiting / SECOND, 0);
	return screen_print(y, x, A_BOLD | screen_color(COLOR_YELLOW),
			    "%swaits for a CPU for %s", separator(), text);
}

/* At the right: that the screen does not change, or a recording's time. Returns its width. */
static int draw_mark(const struct view *view, int y)
{
	const struct monitor *monitor = view->sampler.monitor;
	char stamp[STAMP_SIZE], text[STAMP_SIZE + 48] = " paused ";

	if (monitor->replay)
		snprintf(text, sizeof(text), " %s, %zu sample%s/step%s ",
			 monitor_stamp(monitor, stamp), view->step, plural(view->step),
			 view->paused ? "" : ", playing");
	if (!view->paused && !monitor->replay)
		return 0;
	return screen_text(y, 0, COLS, true, A_STANDOUT | screen_color(COLOR_YELLOW), text);
}

static void draw_page_title(const struct view *view, int y)
{
	const struct monitor *monitor = view->sampler.monitor;
	const struct filter *filter = monitor->options.filter;
	const struct page *page = view_page(view);
	bool statistics = page->kind >= PAGE_STATISTICS;
	const char *names = view->names[page->kind];
	int x = draw_path(page, y);

	x += draw_waiting(scope_target(&page->scope, monitor), y, x);
	if (*names)
		x += screen_print(y, x, A_BOLD, "%sfilter: %s", separator(), names);
	if (statistics && filter->has_regex)
		x += screen_print(y, x, A_BOLD, "%s-f %s", separator(), filter->pattern);
	if (statistics)
		screen_print(y, x, A_BOLD, "%ssince %s", separator(),
			     view->sampler.counts_growth ? "the reset" : "VM creation");
	/* The marks are more important than the end of the title. */
	x = COLS - draw_mark(view, y);
	if (scope_has_ended(&page->scope, monitor))
		screen_text(y, 0, x - 1, true, A_STANDOUT | screen_color(COLOR_RED),
			    " has ended ");
}

/* ---- where the time of vCPUs goes: a stacked bar, and the classes of exits ---- */

#define TIME_ROWS	2	/* the bar, and below it the legend */

static void draw_time_bar(const struct tally *times, int y)
{
	struct meter_part part[TIME_PARTS] = {
		[TIME_GUEST] = { 0, COLOR_GREEN, "Guest" },
		[TIME_EXITS] = { 0, COLOR_RED, "Exits" },
		[TIME_VMM] = { 0, COLOR_BLUE, "VMM" },
		[TIME_HALTED] = { 0, 0, "Halted" },
		[TIME_WAITING] = { 0, COLOR_YELLOW, "Waiting" },
		[TIME_THROTTLED] = { 0, COLOR_MAGENTA, "Throttled" },
	};
	int x = (int)strlen("Time ");
	size_t parts, i;

	for (i = 0; i < TIME_PARTS; i++)
		part[i].percent = times->sum[TALLY_TIMES + i] / (double)times->known[TALLY_TIMES];
	screen_meter(y++, 0, COLS, "Time ", part, TIME_PARTS, "");
	/* Only guests with a limit are throttled. All parts need most of 80 columns. */
	parts = part[TIME_THROTTLED].percent > 0 ? TIME_PARTS : TIME_THROTTLED;
	for (i = 0; i < parts; i++) {
		char percent[NUMBER_SIZE];

		number_put(percent, UNIT_PERCENT, part[i].percent, 0);
		x += screen_print(y, x, screen_color(part[i].color) | A_BOLD, "%.1s",
				  part[i].name);
		x += screen_print(y, x, 0, "%s %s%%", part[i].name + 1, percent) +
		     (parts == TIME_PARTS ? 1 : 2);
	}
}

/* The classes are in several blocks next to each other. */
#define CLASS_BLOCK	39
#define CLASS_RATE	8
#define CLASS_GAP	2

static int blocks_of_classes(void)
{
	int blocks = (COLS + CLASS_GAP) / (CLASS_BLOCK + CLASS_GAP);

	return blocks ? blocks : 1;
}

/* Only @mean can have characters of several bytes. */
static void draw_class(int y, int x, int attributes, const char *name, const char *rate,
		       const char *percent, const char *mean)
{
	screen_print(y, x, attributes, "%-16.16s %*s%7s", name, CLASS_RATE, rate, percent);
	screen_text(y, x, CLASS_BLOCK, true, attributes, mean);
}

/* If not all classes fit, the heading of the first block says so. */
static void draw_classes(const struct page *page, int y, int rows)
{
	int classes = (int)page->classes.kinds, shown = rows * blocks_of_classes(), i;
	double vcpus = (double)page->times.known[TALLY_TIMES];
	char exits[64] = "Exits";

	if (shown < classes)
		snprintf(exits, sizeof(exits), "Exits, %d of %d", shown, classes);
	for (i = 0; i < shown && i < classes; i++) {
		const struct exit_kind *class = &page->classes.kind[i];
		char rate[NUMBER_SIZE], percent[NUMBER_SIZE], mean[NUMBER_SIZE] = "-";
		int x = i / rows * (CLASS_BLOCK + CLASS_GAP);

		if (i % rows == 0)
			draw_class(y, x, A_BOLD, i ? "Exits" : exits, "Per s", "Time %", "Mean");
		number_put(rate, UNIT_RATE, class->rate, CLASS_RATE);
		number_put(percent, UNIT_PERCENT, 100 * class->ns / SECOND / vcpus, 0);
		if (class->rate > 0)
			number_put(mean, UNIT_SECONDS, class->ns / class->rate / SECOND, 0);
		draw_class(y + 1 + i % rows, x, class->ns > 0 ? 0 : A_DIM, class->name, rate,
			   percent, mean);
	}
}

/* Draws in at most as many rows as @rows. Returns the next one. */
static int draw_times(const struct page *page, enum exits_state state, int y, int rows)
{
	int blocks = blocks_of_classes();
	int classes = ((int)page->classes.kinds + blocks - 1) / blocks;

	if (rows > 0 && !page->times.known[TALLY_TIMES] && state == EXITS_OFF)
		return y + !!screen_print(y, 0, A_DIM, "Exit statistics are off. Run 'echo 1 >"
					  EXIT_STATS_PARAMETER "'.");
	if (!page->times.known[TALLY_TIMES] || rows < TIME_ROWS)
		return y;
	draw_time_bar(&page->times, y);
	y += TIME_ROWS;
	rows -= TIME_ROWS;
	if (!classes || rows < 2)
		return y;
	classes = classes < rows ? classes : rows - 1;
	draw_classes(page, y, classes);
	return y + 1 + classes;
}

/* The limit that throttles the guest of the page. Returns the next row. */
static int draw_limit(const struct view *view, int y)
{
	const struct vmm *vmm = scope_vmm(&view_page(view)->scope, view->sampler.monitor);
	const struct process *process = vmm ? &vmm->process : NULL;
	char cgroup[NAME_SIZE];

	if (!process || process->limit.cpus <= 0)
		return y;
	return y + !!screen_print(y, 0, process->limit.binds ? screen_color(COLOR_MAGENTA) : 0,
				  "Limited to %.3g CPU%s by the cgroup %s", process->limit.cpus,
				  process->limit.cpus == 1 ? "" : "s",
				  sanitize(process->limit.cgroup, cgroup, sizeof(cgroup)));
}

/* The verdict on the guest of the page, its evidence, and what to do. Returns the next row. */
static int draw_verdict(const struct verdict *verdict, int y, int last)
{
	bool finding = verdict_is_finding(verdict);
	char text[224], since[32];

	if (!*verdict->text)
		return y;
	y = screen_paragraph(y, last, finding ? screen_color(COLOR_YELLOW) : 0,
			     finding ? "Why: %s; %s; %s, since %s" : "Why: %s; %s",
			     verdict_text(text, sizeof(text), verdict), verdict->evidence,
			     strength_name(verdict->strength),
			     verdict_since(since, sizeof(since), verdict));
	if (finding)
		y = screen_paragraph(y, last, 0, "To do: %s", verdict->remedy);
	return y;
}

#define PROBLEM_ROWS	3

/*
 * Draws why there are no statistics, the limit and the times of a guest, or the summary of a
 * histogram, in at most half of the rows up to @end. Returns the next row.
 */
static int draw_details(const struct view *view, int y, int end)
{
	const struct message *problem = &view->sampler.monitor->problem;
	const struct page *page = view_page(view);
	int last = y + (end - y - 1) / 2;
	char text[MESSAGE_SIZE];

	y = screen_paragraph(y, last < y + PROBLEM_ROWS ? last : y + PROBLEM_ROWS,
			     screen_color(COLOR_YELLOW), "%s",
			     message_text(problem, text, sizeof(text)));
	if (page->kind == PAGE_HISTOGRAM && y < last)
		return y + !!screen_print(y, 0, 0, "%s", page->summary);
	if (page->kind == PAGE_TARGETS)
		y = draw_verdict(&page->verdict, y, last);
	if (page->kind == PAGE_TARGETS && y + 1 < last)
		y = draw_limit(view, y);
	if (page->kind == PAGE_TARGETS || page->kind == PAGE_STATISTICS)
		y = draw_times(page, view->sampler.exits.state, y, last - y);
	return y;
}

/* ---- the table ---- */

/* Text and pictures are at the left, numbers at the right. */
static void draw_cell(int y, const struct column_place *place, int attributes, const char *text)
{
	screen_text(y, place->x, place->width, !column_types[place->id].widest, attributes, text);
}

static void draw_head(const struct column_layout *layout, enum page_kind kind,
		      enum column_id sorted, int y)
{
	size_t i;

	mvhline(y, 0, ' ' | A_STANDOUT, COLS);
	for (i = 0; i < layout->places; i++) {
		const struct column_place *place = &layout->place[i];

		draw_cell(y, place, A_STANDOUT | (place->id == sorted ? A_BOLD | A_UNDERLINE : 0),
			  column_heading(place->id, kind));
	}
	if (layout->hidden && COLS > NARROW)
		screen_print(y, COLS - 1, A_STANDOUT, ">");
}

/* Returns the length of a bar in cells. One that is not empty has at least one. */
static int length_of(double count, double largest, int width)
{
	int cells;

	if (count <= 0)
		return 0;
	cells = (int)(count / largest * width + 0.5);
	return cells ? cells : 1;
}

/* What the last interval has added has another color, in ASCII another character. */
static void draw_bar(const struct line *line, int y, const struct column_place *place,
		     double largest, int attributes)
{
	double samples = line->number[COLUMN_VALUE];
	int all = length_of(samples, largest, place->width);
	int old = length_of(samples - line->added, largest, place->width);
	int i;

	if (line->added > 0 && old == all)
		old--;
	for (i = 0; i < all; i++)
		screen_print(y, place->x + i, attributes | (i < old ? 0 : screen_color(COLOR_CYAN)),
			     "%s", is_utf8() ? "█" : i < old ? "#" : "+");
}

static int color_of_load(double value, double high, double critical)
{
	if (value >= critical)
		return screen_color(COLOR_RED) | A_BOLD;
	return value >= high ? screen_color(COLOR_YELLOW) : 0;
}

static int load_color(enum column_id id, const struct line *line)
{
	double number = line->number[id], vcpus = line->number[COLUMN_VCPUS];

	if (id == COLUMN_CPU && vcpus > 0 && !line->sum)
		return color_of_load(number / vcpus, 60, 90);
	if (id == COLUMN_WAITING || id == COLUMN_THROTTLED)
		return color_of_load(number, 5, 20);
	if (id == COLUMN_STATE && *line->meaning)
		return screen_color(COLOR_RED) | A_BOLD;
	if (id == COLUMN_STATE && !strcmp(line->state, "waiting"))
		return screen_color(COLOR_YELLOW);
	return 0;
}

static int line_attributes(const struct line *line, bool cursor)
{
	int attributes = cursor ? A_REVERSE : 0;

	if (line->cleared)
		return attributes | A_BOLD | screen_color(COLOR_YELLOW);
	if (line->appeared)
		attributes |= screen_color(COLOR_GREEN);
	/* What does not change is dim. */
	if (!cursor && (line->number[COLUMN_RATE] == 0 ||
			(line->number[COLUMN_BAR] >= 0 && line->number[COLUMN_VALUE] == 0)))
		attributes |= A_DIM;
	return attributes | (line->sum ? A_BOLD : 0);
}

static void draw_row(const struct column_layout *layout, int y, const struct line *line,
		     bool cursor, double largest)
{
	int attributes = line_attributes(line, cursor);
	char text[CELL_SIZE];
	size_t i;

	if (cursor)
		mvhline(y, 0, ' ' | (chtype)attributes, COLS);
	for (i = 0; i < layout->places; i++) {
		const struct column_place *place = &layout->place[i];
		int color = 0;

		column_text(text, place->id, line, place->width);
		if (!cursor || place->id == COLUMN_STATE)
			color = load_color(place->id, line);
		draw_cell(y, place, attributes | color, text);
		if (place->id == COLUMN_BAR)
			draw_bar(line, y, place, largest, attributes);
	}
}

/* Draws what the states mean that are on the screen, each once. */
static void draw_notes(const struct page *page, size_t first, size_t last, int y, int end)
{
	size_t i, j;

	for (i = first; i < last && y < end; i++) {
		const char *meaning = page->line[i]->meaning;

		for (j = first; j < i && page->line[j]->meaning != meaning; j++)
			;
		if (*meaning && j == i)
			screen_print(y++, 1, A_DIM, "%s", meaning);
	}
}

/* Scrolls, so that the line of the cursor is visible. Returns the first line. */
static size_t draw_lines(const struct page *page, const struct column_layout *layout, int y,
			 int end)
{
	size_t first, last, i;
	int rows = end - y;
	double largest = 0;

	/* If not all lines fit, the last row says so. */
	if (page->lines > (size_t)rows && rows > 1)
		rows--;
	first = first_of_rows(page->first, page->at, page->lines, rows);
	last = first + (size_t)rows < page->lines ? first + (size_t)rows : page->lines;
	for (i = 0; i < page->lines; i++) {
		if (page->line[i]->number[COLUMN_VALUE] > largest)
			largest = page->line[i]->number[COLUMN_VALUE];
	}
	for (i = first; i < last; i++)
		draw_row(layout, y++, page->line[i], i == page->at, largest);
	if (last - first < page->lines && y < end)
		screen_print(y, 0, A_DIM, "%zu more above, %zu more below", first,
			     page->lines - last);
	else if (last - first == page->lines && page->kind <= PAGE_TARGETS)
		draw_notes(page, first, last, y + 1, end);
	return first;
}

/* ---- no lines ---- */

/* Draws why the page has no lines. */
static void draw_no_line(const struct view *view, int y, int end)
{
	const struct monitor *monitor = view->sampler.monitor;
	const struct page *page = view_page(view);

	if (!monitor->vmms && !page->scope.vmm)
		screen_paragraph(y, end, 0, "%s is running. Waiting for one to start.",
				 filter_names_vmms(monitor->options.filter) ?
				 "No selected guest" : "No VM");
	else if (*view->names[page->kind])
		screen_paragraph(y, end, 0, "No name matches '%s'. Press 'f' to change it.",
				 view->names[page->kind]);
	else if (page->kind == PAGE_HISTOGRAM)
		screen_paragraph(y, end, 0, "No samples yet.%s", view->sampler.counts_growth ?
				 " Press 'i' to include those since VM creation." : "");
	else
		screen_paragraph(y, end, 0, view->table.has_values ? "All statistics are 0." :
				 "There are no statistics.");
}

/* ---- lists in place of the page ---- */

static const char * const help[] = {
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
	".  ,  ]  [    of a recording: the next or previous sample; twice or half",
	"              as many samples in a step",
	"v             of a recording: the next sample with another verdict",
	"s             set the seconds between two readings",
	"r  i          count values of statistics from now on; since VM creation",
	"h  q          show this help; quit",
	"",
	"Guest, kernel, VMM, halted, waiting and throttled are parts of the time of",
	"the vCPUs. While exit statistics are on, the bar \"Time\" shows them, and the",
	("classes of exits. To switch them on: echo 1 >" EXIT_STATS_PARAMETER),
	"CPU is that of the whole process; 100 % is one CPU.",
};

static void draw_help(int y, int end)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(help) && y < end; i++)
		screen_print(y++, 1, 0, "%s", help[i]);
}

static void draw_columns(const struct view *view, int y, int end)
{
	size_t at = view->prompt.column, id = FIRST_CHOICE;

	id += first_of_rows(0, at - FIRST_CHOICE, LAST_CHOICE - FIRST_CHOICE + 1, end - y);
	for (; id <= LAST_CHOICE && y < end; id++) {
		const struct column_type *type = &column_types[id];

		screen_print(y++, 1, id == at ? A_REVERSE : 0, "[%c] %c  %-9s %s",
			     view->table.columns & COLUMN_BIT(id) ? 'x' : ' ',
			     type->key ? type->key : ' ', type->heading, type->meaning);
	}
}

/* ---- prompts and the bottom line ---- */

static void draw_question(const struct prompt *prompt, int y)
{
	static const char * const question[] = {
		[PROMPT_FILTER] = "Show only names that match (empty: all): ",
		[PROMPT_SEARCH] = "Search: ",
		[PROMPT_INTERVAL] = "Seconds between readings: ",
	};
	int attributes = prompt->initial ? A_REVERSE : 0;
	int x = screen_print(y, 0, A_BOLD, "%s", question[prompt->kind]);
	size_t width = x + 1 < COLS ? (size_t)(COLS - x - 1) : 0;
	size_t len = strlen(prompt->text);
	const char *from = prompt->text;

	/* Show the end. The number of bytes is at least the number of cells. */
	if (len > width)
		from += len - width;
	while ((*from & 0xc0) == 0x80)
		from++;
	x += screen_print(y, x, attributes, "%s", from);
	move(y, x < COLS ? x : COLS - 1);
}

static void draw_error(const struct message *error, int y)
{
	char text[MESSAGE_SIZE];

	if (!*error->what)
		return;
	move(y, 0);
	clrtoeol();
	screen_print(y, 0, A_BOLD | screen_color(COLOR_RED), "%s",
		     message_text(error, text, sizeof(text)));
}

static void draw_bottom(const struct view *view, int y)
{
	static const char hint[] =
		"Enter open  Left back  < > sort  / search  f filter  Space pause  h help  q quit";
	const struct line *selected = view_page(view)->selected;
	char text[MESSAGE_SIZE];

	if (view->prompt.kind == PROMPT_HELP)
		screen_print(y, 0, A_STANDOUT, "Press any key to close this help");
	else if (view->prompt.kind == PROMPT_COLUMNS)
		screen_print(y, 0, A_DIM, "Space show or hide  Enter close");
	else if (view->prompt.kind)
		draw_question(&view->prompt, y);
	else if (clock_now() < view->notice.until)
		screen_print(y, 0, A_BOLD, "%s", sanitize(view->notice.text, text, sizeof(text)));
	else if (selected && *selected->meaning)
		screen_print(y, 0, 0, "%s", selected->meaning);
	else
		screen_print(y, 0, A_DIM, "%s", hint);
}

/* ---- the whole screen ---- */

/* Draws what is between the title and the bottom line. */
static struct drawn draw_body(const struct view *view, int y, int end)
{
	const struct page *page = view_page(view);
	struct column_layout layout = table_layout(&view->table, page, COLS);
	bool list = view->prompt.kind == PROMPT_HELP || view->prompt.kind == PROMPT_COLUMNS;
	struct drawn drawn = { .first = page->first };

	if (!list)
		y = draw_details(view, y, end);
	if (page->lines && !list && LINES >= 4)
		draw_head(&layout, page->kind, view->order[page->kind].column, y);
	y += LINES >= 4;
	drawn.rows = end > y ? end - y : 0;
	if (view->prompt.kind == PROMPT_HELP)
		draw_help(y, end);
	else if (list)
		draw_columns(view, y, end);
	else if (page->lines)
		drawn.first = draw_lines(page, &layout, y, end);
	else
		draw_no_line(view, y, end);
	return drawn;
}

struct drawn draw_view(const struct view *view)
{
	bool asks = view->prompt.kind > PROMPT_COLUMNS;
	int end = LINES >= 3 ? LINES - 1 : LINES, y = 0;
	struct drawn drawn;

	erase();
	if (LINES >= 10)
		draw_meters(&view->sampler.host, y++);
	if (LINES >= 8)
		draw_summary(view, y++);
	draw_page_title(view, y++);
	drawn = draw_body(view, y, end);
	if (asks)
		draw_error(&view->prompt.error, end < LINES ? end - 1 : 0);
	curs_set(asks);
	if (end < LINES)
		draw_bottom(view, end);
	refresh();
	return drawn;
}
