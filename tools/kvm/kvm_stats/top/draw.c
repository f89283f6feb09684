// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws the screen: meters, summary, title, times of vCPUs or the summary of a histogram, headings,
 * lines, how many follow, bottom line. All functions clip their output.
 */
#include <curses.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "top/screen.h"
#include "unread.h"
#include "util.h"

/* ---- text ---- */

int draw_fit(char *buf, size_t size, const char *text, int width)
{
	size_t used = 0;
	int sum = 0;

	while (*text) {
		char bytes[MB_LEN_MAX] = "?";
		mbstate_t state = { 0 };
		wchar_t c;
		size_t len = mbrtowc(&c, text, MB_CUR_MAX, &state), n = 1;
		bool valid = len != (size_t)-1 && len != (size_t)-2;
		int cells = valid ? wcwidth(c) : -1;

		if (cells >= 0 && utf8_is_harmless((uint32_t)c)) {
			memcpy(bytes, text, len);
			n = len;
		} else {
			cells = 1;
		}
		if (sum + cells > width || used + n >= size)
			break;
		memcpy(buf + used, bytes, n);
		used += n;
		sum += cells;
		text += valid ? len : 1;
	}
	buf[used] = '\0';
	return sum;
}

/* Returns an attribute for attrset(), or 0 if the terminal has no colors. */
static int draw_color(int color)
{
	return COLORS >= 8 && COLOR_PAIRS >= 8 ? (int)COLOR_PAIR(color) : 0;
}

/* Draws @text in at most @width cells, at the left or right. Returns the number of cells drawn. */
static int draw_text(int y, int x, int width, bool right, int attributes, const char *text)
{
	char buf[1024];
	int cells;

	if (x + width > COLS)
		width = COLS - x;
	if (width <= 0 || y < 0 || y >= LINES)
		return 0;
	cells = draw_fit(buf, sizeof(buf), text, width);
	attrset(attributes);
	mvaddstr(y, right ? x + width - cells : x, buf);
	attrset(A_NORMAL);
	return cells;
}

/* Draws up to the end of the line. Returns the number of cells drawn. */
static int __attribute__((__format__(__printf__, 4, 5)))
draw(int y, int x, int attributes, const char *format, ...)
{
	char buf[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	return draw_text(y, x, COLS - x, false, attributes, buf);
}

/* Draws text of several lines, and breaks long lines between words. Returns the row after it. */
static int __attribute__((__format__(__printf__, 3, 4)))
draw_wrapped(int y, int end, const char *format, ...)
{
	char buf[PROBLEM_SIZE], *text = buf;
	int width = COLS - 1;
	va_list args;

	va_start(args, format);
	vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	while (*text && y < end && width > 0) {
		int len = (int)strcspn(text, "\n");

		if (len > width) {
			len = width;
			while (len && text[len] != ' ')
				len--;
			len = len ? len : width;
		}
		draw(y++, 1, 0, "%.*s", len, text);
		text += len;
		text += *text == ' ' || *text == '\n';
	}
	return y;
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

#define WIDEST_METER	60

/* A part of a meter, in percent, drawn with the first character of its name in its color. */
struct meter_part {
	double percent;
	int color;
	const char *name;
};

/*
 * A stacked bar, like the meters of htop: "CPU [|||||    37.5%]". @text is at its right end.
 * Returns the cell after the meter.
 */
static int draw_meter(int y, int x, int width, const char *name, const struct meter_part *part,
		      size_t parts, const char *text)
{
	int inside = width - (int)strlen(name) - 2, from = 0;
	double sum = 0;
	size_t i;

	if (inside < 2)
		return x;
	x += draw(y, x, A_BOLD, "%s[", name);
	for (i = 0; i < parts; i++) {
		sum += part[i].percent > 0 ? part[i].percent : 0;
		for (; from < inside && from < (int)(sum / 100 * inside + 0.5); from++)
			draw(y, x + from, draw_color(part[i].color) | A_BOLD, "%.1s",
			     part[i].name);
	}
	draw_text(y, x, inside, true, 0, text);
	return x + inside + draw(y, x + inside, A_BOLD, "]");
}

static void draw_meters(const struct top *top, int y)
{
	const struct host *host = &top->host;
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
	x = draw_meter(y, 0, width, "CPU ", cpu, ARRAY_SIZE(cpu), text) + 2;
	number_put(text, UNIT_BYTES, used, 0);
	number_put(size, UNIT_BYTES, (double)host->memory, 0);
	strcat(strcat(text, "/"), size);
	x = draw_meter(y, x, width, "Mem ", memory, 1, text) + 2;
	draw(y, x, 0, "%u CPU%s, load %.1f", host->cpus, plural(host->cpus), host->load);
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
			missing += vmm_has_sums(vmm) ? 0 : vmm->unread.count;
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
	return unreadable || missing ? (int)A_BOLD | draw_color(COLOR_RED) :
				       draw_color(COLOR_YELLOW);
}

static const char *separator(void)
{
	return is_utf8() ? " · " : ", ";
}

static int draw_sources(const struct monitor *monitor, int y, int x)
{
	static const char * const names[] = {
		[ORIGIN_OPENED] = "statistics fds", [ORIGIN_NEXT] = "statistics fds (next)",
		[ORIGIN_OPEN] = "statistics fds (open)", [ORIGIN_QMP] = "QMP",
		[ORIGIN_DEBUGFS] = "debugfs", [ORIGIN_TRACEPOINTS] = "tracepoints",
	};
	unsigned int origins = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		origins |= vmm_origins(monitor->vmm[i]);
	if (origins & 1u << ORIGIN_TAKEN)
		origins |= 1u << ORIGIN_OPENED;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i] && origins & 1u << i)
			x += draw(y, x, 0, "%s%s", separator(), names[i]);
	}
	return x;
}

static void draw_summary(const struct top *top, int y)
{
	const struct monitor *monitor = top->monitor;
	size_t guests = 0, vms = 0, vcpus = 0, i;
	int x, attributes;
	char text[256];

	for (i = 0; i < monitor->vmms; i++) {
		/* The whole machine is not a guest. */
		guests += !!monitor->vmm[i]->kvm;
		vms += monitor->vmm[i]->vms;
		vcpus += monitor->vmm[i]->vcpus;
	}
	x = draw(y, 0, 0, "%zu guest%s, %zu VM%s, %zu vCPU%s", guests, plural(guests), vms,
		 plural(vms), vcpus, plural(vcpus));
	if (top->host.cpus && vcpus)
		x += draw(y, x, 0, " (%.*f per CPU)", vcpus < 10 * (size_t)top->host.cpus,
			  (double)vcpus / top->host.cpus);
	attributes = draw_put_problems(text, sizeof(text), monitor);
	x += draw(y, x, attributes, "%s", text);
	x = draw_sources(monitor, y, x);
	x += draw(y, x, 0, "%severy %g s", separator(), (double)top->interval / SECOND);
	if (monitor->denied)
		draw(y, x + 2, draw_color(COLOR_YELLOW), "no permission to inspect %zu process%s",
		     monitor->denied, monitor->denied == 1 ? "" : "es");
}

/* ---- the title ---- */

static int draw_path(const struct top *top, int y, int x)
{
	const struct page *page = top_page(top);
	const struct filter *filter = top->filter;
	char buf[NAME_SIZE];
	const char *name = buf;

	if (*page->title)
		name = page->title;
	else if (!top->kvm_stat)
		name = page->kind == PAGE_GUESTS ? "Guests" : "All guests";
	/* If only one process or guest is selected, the page is of it. */
	else if (filter->pids == 1 && top->monitor->vmms == 1)
		put_title(buf, sizeof(buf), top->monitor->vmm[0]);
	else if (filter->pids == 1)
		snprintf(buf, sizeof(buf), "PID %d", (int)filter->pid[0]);
	else if (filter->guests == 1)
		sanitize(filter->guest[0], buf, sizeof(buf));
	else
		name = "summary";
	x += draw(y, x, A_BOLD, "%s", name);
	if (*page->scope.label)
		x += draw(y, x, A_BOLD, ", %s", page->scope.label);
	if (*page->stat)
		x += draw(y, x, A_BOLD, ", %s", page->stat);
	return x;
}

static void draw_title(const struct top *top, int y)
{
	const struct page *page = top_page(top);
	bool statistics = page->kind >= PAGE_STATISTICS || top->kvm_stat;
	const char *names = top->names[page->kind];
	int x = top->kvm_stat ? draw(y, 0, A_BOLD, "kvm statistics - ") : 0;

	x = draw_path(top, y, x);
	if (*names)
		x += draw(y, x, A_BOLD, "%sfilter: %s", separator(), names);
	if (statistics && top->filter->has_regex)
		x += draw(y, x, A_BOLD, "%s-f %s", separator(), top->filter->pattern);
	if (statistics && !top->counts_growth)
		x += draw(y, x, A_BOLD, "%ssince VM creation", separator());
	else if (statistics && !top->kvm_stat)
		x += draw(y, x, A_BOLD, "%ssince the reset", separator());
	/* The marks are more important than the end of the title. */
	if (page_has_ended(top, page))
		draw_text(y, 0, COLS - 9, true, A_STANDOUT | draw_color(COLOR_RED), " has ended ");
	if (top->paused)
		draw_text(y, 0, COLS, true, A_STANDOUT | draw_color(COLOR_YELLOW), " paused ");
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
	};
	int x = (int)strlen("Time ");
	size_t i;

	for (i = 0; i < TIME_PARTS; i++)
		part[i].percent = times->sum[TALLY_TIMES + i] / (double)times->known[TALLY_TIMES];
	draw_meter(y++, 0, COLS, "Time ", part, TIME_PARTS, "");
	for (i = 0; i < TIME_PARTS; i++) {
		char percent[NUMBER_SIZE];

		number_put(percent, UNIT_PERCENT, part[i].percent, 0);
		x += draw(y, x, draw_color(part[i].color) | A_BOLD, "%.1s", part[i].name);
		x += draw(y, x, 0, "%s %s%%", part[i].name + 1, percent) + 2;
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
	draw(y, x, attributes, "%-16.16s %*s%7s", name, CLASS_RATE, rate, percent);
	draw_text(y, x, CLASS_BLOCK, true, attributes, mean);
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

/*
 * Draws the times, or the summary of a histogram, in at most half of the rows up to @end. Returns
 * the next row.
 */
static int draw_details(const struct top *top, int y, int end)
{
	const struct page *page = top_page(top);
	int blocks = blocks_of_classes(), rows = (end - y - 1) / 2;
	int classes = ((int)page->classes.kinds + blocks - 1) / blocks;

	if (rows < 1)
		return y;
	if (page->kind == PAGE_HISTOGRAM)
		return y + !!draw(y, 0, 0, "%s", page->summary);
	if (top->kvm_stat || page->kind == PAGE_GUESTS)
		return y;
	if (!page->times.known[TALLY_TIMES] && top->exits_state == EXITS_OFF)
		return y + !!draw(y, 0, A_DIM, "Exit statistics are off. Run 'echo 1 >"
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

/* ---- the table ---- */

/* Text and pictures are at the left, numbers at the right. */
static void draw_cell(int y, const struct column_place *place, int attributes, const char *text)
{
	draw_text(y, place->x, place->width, !column_types[place->id].widest, attributes, text);
}

static void draw_head(const struct top *top, int y)
{
	const struct column_layout *layout = &top->layout;
	enum column_id sorted = top->order[top_page(top)->kind].column;
	size_t i;

	mvhline(y, 0, ' ' | A_STANDOUT, COLS);
	for (i = 0; i < layout->places; i++) {
		const struct column_place *place = &layout->place[i];

		draw_cell(y, place, A_STANDOUT | (place->id == sorted ? A_BOLD | A_UNDERLINE : 0),
			  column_heading(top, place->id));
	}
	if (layout->hidden && COLS > 30)
		draw(y, COLS - 1, A_STANDOUT, ">");
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
		draw(y, place->x + i, attributes | (i < old ? 0 : draw_color(COLOR_CYAN)), "%s",
		     is_utf8() ? "█" : i < old ? "#" : "+");
}

static int color_of_load(double value, double high, double critical)
{
	if (value >= critical)
		return draw_color(COLOR_RED) | A_BOLD;
	return value >= high ? draw_color(COLOR_YELLOW) : 0;
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
		return attributes | draw_color(COLOR_RED);
	if (line->cleared)
		return attributes | A_BOLD | draw_color(COLOR_YELLOW);
	if (line->appeared)
		attributes |= draw_color(COLOR_GREEN);
	/* What does not change is dim. */
	if (!cursor && (line->number[COLUMN_RATE] == 0 ||
			(line->number[COLUMN_BAR] >= 0 && line->number[COLUMN_VALUE] == 0)))
		attributes |= A_DIM;
	return attributes | (line->sum ? A_BOLD : 0);
}

#define WIDE_SCREEN	100

/*
 * Returns the first column that the reason why a guest cannot be read replaces: of its statistics,
 * or of the times of its vCPUs if they are unknown, or if the reason needs the space.
 */
static enum column_id column_of_problem(const struct top *top, const struct line *line)
{
	if (!*line->problem)
		return COLUMNS;
	if (top->kvm_stat)
		return COLUMN_NAME + 1;
	return line->number[COLUMN_GUEST] < 0 || COLS < WIDE_SCREEN ? COLUMN_GUEST : COLUMN_EXITS;
}

static void draw_line(struct top *top, int y, struct line *line, bool cursor, double largest)
{
	const struct column_layout *layout = &top->layout;
	int attributes = line_attributes(line, cursor);
	enum column_id end = column_of_problem(top, line);
	char text[CELL_SIZE];
	size_t i;
	int x = 0;

	if (cursor)
		mvhline(y, 0, ' ' | (chtype)attributes, COLS);
	for (i = 0; i < layout->places && layout->place[i].id < end; i++) {
		const struct column_place *place = &layout->place[i];
		int color = cursor || *line->problem ? 0 : load_color(place->id, line);

		x = place->x + place->width + 1;
		if (place->id == COLUMN_KINDS)
			guests_update_kinds(top, line);
		column_text(text, place->id, line, place->width);
		draw_cell(y, place, attributes | color, text);
		if (place->id == COLUMN_BAR)
			draw_bar(line, y, place, largest, attributes);
	}
	draw(y, x, attributes | A_BOLD, "%s", line->problem);
}

/*
 * Draws why the guest of the page has no statistics, if that is so. Returns the row after it.
 * Standard error is captured, so the explanation can be read back.
 */
static int draw_problem(const struct top *top, int y, int end)
{
	const struct page *page = top_page(top);
	const struct monitor *monitor = top->monitor;
	const struct vmm *vmm = scope_vmm(&page->scope, monitor);
	char why[PROBLEM_SIZE];

	if (!vmm && monitor->vmms)
		vmm = monitor->vmm[0];
	if (!vmm || (page->kind == PAGE_GUESTS && !top->kvm_stat) ||
	    scope_has_targets(&page->scope, monitor))
		return y;
	explain_sources(vmm);
	y = draw_wrapped(y, end, "%s", top_errors(why, sizeof(why)));
	if (!page->scope.vmm && monitor->vmms > 1)
		y = draw_wrapped(y, end, "The statistics of %zu more VMM%s cannot be read.",
				 monitor->vmms - 1, plural(monitor->vmms - 1));
	return y;
}

/* Scrolls, so that the line of the cursor is visible. */
static void draw_lines(struct top *top, int y, int end)
{
	struct page *page = top_page(top);
	int rows = end - y;
	double largest = 0;
	size_t i, last;

	page->at = page->at < page->lines ? page->at : page->lines - 1;
	/* If not all lines fit, the last row says so. */
	if (page->lines > (size_t)rows && rows > 1)
		rows--;
	page->first = draw_first(page->first, page->at, page->lines, rows);
	last = page->first + (size_t)rows < page->lines ? page->first + (size_t)rows : page->lines;
	for (i = 0; i < page->lines; i++) {
		if (page->line[i]->number[COLUMN_VALUE] > largest)
			largest = page->line[i]->number[COLUMN_VALUE];
	}
	for (i = page->first; i < last; i++)
		draw_line(top, y++, page->line[i], i == page->at, largest);
	if (last - page->first < page->lines)
		draw(y, 0, A_DIM, "%zu more above, %zu more below", page->first,
		     page->lines - last);
	/* The reason why the guest of the page cannot be read is below its only line. */
	if (page->lines == 1)
		draw_problem(top, y + 1, end);
}

/* ---- no lines ---- */

static void draw_no_guest(const struct top *top, int y, int end)
{
	const struct filter *filter = top->filter;
	char text[PROBLEM_SIZE];

	if (monitor_has_ended(top->monitor))
		y = draw_wrapped(y, end, "The selected process has ended.");
	else if (filter->guests)
		y = draw_wrapped(y, end,
				 "No guest named '%s'%s is running. Waiting for it to start.",
				 sanitize(filter->guest[0], text, sizeof(text)),
				 filter->guests > 1 ? " (or one of the other names)" : "");
	else if (explain_no_kvm_yet(top->monitor))
		y = draw_wrapped(y, end, "%s", top_errors(text, sizeof(text)));
	else
		y = draw_wrapped(y, end, "No VM is running. Waiting for one to start.");
	if (top->monitor->denied)
		draw_wrapped(y, end, "%s", denied_text(top->monitor));
}

/* Draws why the page has no lines, although it has statistics. */
static void draw_no_line(const struct top *top, int y, int end)
{
	const struct page *page = top_page(top);

	if (*top->names[page->kind])
		draw_wrapped(y, end, "No name matches '%s'. Press 'f' to change it.",
			     top->names[page->kind]);
	else if (page->kind == PAGE_HISTOGRAM)
		draw_wrapped(y, end, "No samples yet.%s", top->counts_growth ?
			     " Press 'i' to include those since VM creation." : "");
	else if (top->kvm_stat && monitor_matches_nothing(top->monitor))
		draw_wrapped(y, end, "No statistic's name matches '%.200s'. The expression must "
			     "match from the start of a name.", top->filter->pattern);
	else
		draw_wrapped(y, end, "%s", top->kvm_stat ?
			     "No matching events reported yet" : "All statistics are 0.");
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
	"          vCPU its statistics, a histogram its bars",
	"Left      go back, as does Esc",
	"",
	"Any other key reads the statistics now.",
};

static void draw_help(bool kvm_stat, int y, int end)
{
	const char * const *help = kvm_stat ? kvm_stat_help : top_help;
	size_t count = kvm_stat ? ARRAY_SIZE(kvm_stat_help) : ARRAY_SIZE(top_help);
	size_t i;

	for (i = 0; i < count && y < end; i++)
		draw(y++, 1, 0, "%s", help[i]);
}

static void draw_columns(const struct top *top, int y, int end)
{
	size_t lines = LAST_CHOICE - FIRST_CHOICE + 1;
	size_t id = FIRST_CHOICE;

	id += draw_first(0, (size_t)top->chosen - FIRST_CHOICE, lines, end - y);
	for (; id <= LAST_CHOICE && y < end; id++) {
		const struct column_type *type = &column_types[id];

		draw(y++, 1, (int)id == top->chosen ? A_REVERSE : 0, "[%c] %c  %-9s %s",
		     top->columns & COLUMN_BIT(id) ? 'x' : ' ', type->key ? type->key : ' ',
		     type->heading, type->meaning);
	}
}

/* Lists the guests that match the answer so far. */
static void draw_guests(const struct top *top, int y, int end)
{
	size_t i, guests = top->choices ? top->choices->vmms : 0;

	draw(y++, 1, A_UNDERLINE, "    PID Guest Name (type a part to narrow the list)");
	if (!guests)
		draw(y, 1, 0, "No VM is running, or kvm-stats has no permission to inspect it.");
	for (i = 0; i < guests && y < end; i++) {
		const struct vmm *vmm = top->choices->vmm[i];
		char line[NAME_SIZE];

		if (strstr(guest_choice(vmm, line, sizeof(line)), top->prompt.text))
			draw(y++, 1, 0, "%s", line);
	}
}

/* ---- prompts and the bottom line ---- */

static void draw_prompt(const struct prompt *prompt, int y)
{
	static const char * const question[] = {
		[PROMPT_FILTER] = "Show only names that match (empty: all): ",
		[PROMPT_SEARCH] = "Search: ",
		[PROMPT_INTERVAL] = "Seconds between readings: ",
		[PROMPT_REGEX] = "Regular expression (empty: all): ",
		[PROMPT_GUEST] = "Guest or PID (empty: all): ",
	};
	int attributes = prompt->initial ? A_REVERSE : 0;
	int x = draw(y, 0, A_BOLD, "%s", question[prompt->kind]);
	size_t width = x + 1 < COLS ? (size_t)(COLS - x - 1) : 0;
	size_t len = strlen(prompt->text);
	const char *from = prompt->text;

	/* Show the end. The number of bytes is at least the number of cells. */
	if (len > width)
		from += len - width;
	while ((*from & 0xc0) == 0x80)
		from++;
	x += draw(y, x, attributes, "%s", from);
	move(y, x < COLS ? x : COLS - 1);
}

static void draw_bottom(const struct top *top, int y)
{
	const struct page *page = top_page(top);
	const char *hint = top->kvm_stat ?
		"q quit  h help  Enter open  Left back  o sort  f filter  g guest  b by guest" :
		"Enter open  Left back  < > sort  / search  f filter  Space pause  h help  q quit";
	char text[MESSAGE_SIZE];

	if (top->prompt.kind == PROMPT_HELP)
		draw(y, 0, A_STANDOUT, "Press any key to close this help");
	else if (top->prompt.kind == PROMPT_COLUMNS)
		draw(y, 0, A_DIM, "Space show or hide  Enter close");
	else if (top->prompt.kind)
		draw_prompt(&top->prompt, y);
	else if (clock_now() < top->message_until)
		draw(y, 0, A_BOLD, "%s", sanitize(top->message, text, sizeof(text)));
	else if (page->selected && *page->selected->meaning)
		draw(y, 0, 0, "%s", page->selected->meaning);
	else
		draw(y, 0, A_DIM, "%s", hint);
}

/* ---- the whole screen ---- */

/* Draws what is between the title and the bottom line. */
static void draw_body(struct top *top, int y, int end)
{
	struct page *page = top_page(top);
	bool list = top->prompt.kind && top->prompt.kind <= PROMPT_GUEST;
	bool has_lines = page->lines && !list;

	if (!list)
		y = draw_details(top, y, end);
	if (has_lines && LINES >= 8 && page->sum.number[COLUMN_VALUE] > 0)
		draw_line(top, --end, &page->sum, false, 0);
	if (has_lines && LINES >= 4)
		draw_head(top, y);
	y += LINES >= 4;
	top->rows = end > y ? end - y : 0;
	if (top->prompt.kind == PROMPT_HELP)
		draw_help(top->kvm_stat, y, end);
	else if (top->prompt.kind == PROMPT_COLUMNS)
		draw_columns(top, y, end);
	else if (top->prompt.kind == PROMPT_GUEST)
		draw_guests(top, y, end);
	else if (page->lines)
		draw_lines(top, y, end);
	else if (!top->monitor->vmms && !page->scope.vmm)
		draw_no_guest(top, y, end);
	else if (draw_problem(top, y, end) == y)
		draw_no_line(top, y, end);
}

void draw_screen(struct top *top)
{
	bool asks = top->prompt.kind >= PROMPT_GUEST;
	int end = LINES >= 3 ? LINES - 1 : LINES, y = 0;

	erase();
	top->layout = table_layout(top);
	if (!top->kvm_stat && LINES >= 10)
		draw_meters(top, y++);
	if (!top->kvm_stat && LINES >= 8)
		draw_summary(top, y++);
	draw_title(top, y++);
	if (top->kvm_stat && LINES >= 6)
		draw_summary(top, y++);
	draw_body(top, y, end);
	if (asks && *top->prompt.error) {
		y = end < LINES ? end - 1 : 0;
		move(y, 0);
		clrtoeol();
		draw(y, 0, A_BOLD | draw_color(COLOR_RED), "%s", top->prompt.error);
	}
	curs_set(asks);
	if (end < LINES)
		draw_bottom(top, end);
	refresh();
}
