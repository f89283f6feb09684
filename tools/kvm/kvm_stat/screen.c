// SPDX-License-Identifier: GPL-2.0-only
/* The screen: a table of events or guests, its keys, and prompts. */
#include <curses.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "kvm_stat.h"

#define FIRST_DELAY	0.25	/* in seconds: rates need two readings */
#define TEXT_SIZE	256
#define ESCAPE		27
#define CONTROL(c)	((c) & 0x1f)

/* The columns: a name, and below these headings numbers of 10, 7 and 8 characters */
#define NAME_WIDTH	40
#define NUMBERS_WIDTH	27
#define TABLE_ROW	3
#define MIN_ROWS	6
#define MIN_COLUMNS	40

struct screen {
	struct stats *stats;
	double delay;
	bool by_total;
	bool shows_children;
	bool shows_guests;
	bool dead;			/* the selected process */
	bool quit;
	char guest[TEXT_SIZE];		/* of the selected process, or "" */
	char message[PROBLEM_SIZE];	/* until the next key */
};

static SCREEN *terminal;
static volatile sig_atomic_t ended_by;
static sigset_t original_mask;		/* of signals */

/* ---- text ---- */

/* Copies text. '?' replaces characters that a terminal does not print in a cell of their own. */
static int copy_cells(wchar_t *to, size_t size, const char *from, int width)
{
	int cells = 0;
	size_t used = 0;

	while (*from && used + 1 < size) {
		mbstate_t state = { 0 };
		wchar_t c;
		size_t len = mbrtowc(&c, from, MB_CUR_MAX, &state);
		bool valid = len != (size_t)-1 && len != (size_t)-2;

		if (!valid || !iswprint((wint_t)c) || wcwidth(c) < 1)
			c = L'?';
		if (cells + wcwidth(c) > width)
			break;
		cells += wcwidth(c);
		to[used++] = c;
		from += valid ? len : 1;
	}
	to[used] = L'\0';
	return cells;
}

/* Draws at most @width cells. Returns the number of cells drawn. */
static int draw_text(int y, int x, int width, attr_t attributes, const char *text)
{
	wchar_t wide[512];
	int cells;

	if (width > COLS - x)
		width = COLS - x;
	if (y >= LINES || width <= 0)
		return 0;
	cells = copy_cells(wide, ARRAY_SIZE(wide), text, width);
	attrset((int)attributes);
	mvaddwstr(y, x, wide);
	attrset(A_NORMAL);
	return cells;
}

static int __attribute__((__format__(__printf__, 4, 5)))
draw(int y, int x, attr_t attributes, const char *format, ...)
{
	char text[2 * PROBLEM_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return draw_text(y, x, COLS, attributes, text);
}

/* ---- the table ---- */

static int name_width(void)
{
	int width = COLS - NUMBERS_WIDTH - 2;

	return width < NAME_WIDTH ? width : NAME_WIDTH;
}

/* Draws a line of the table. @percent and @rate are texts, because they can be empty. */
static void draw_line(int y, attr_t attributes, const char *name, int64_t value,
		      const char *percent, const char *rate)
{
	draw_text(y, 1, name_width(), attributes, name);
	draw(y, 1 + name_width(), attributes, " %10" PRId64 "%7s %8s", value, percent, rate);
}

static void draw_headings(const struct screen *screen)
{
	draw(2, 1, A_STANDOUT, "%-*s %10s%7s %8s", name_width(),
	     screen->shows_guests ? "Guest Name" : "Event", "Total", "%Total", "CurAvg/s");
}

static double elapsed(const struct stats *stats)
{
	return (double)(stats->time - stats->time_before) / (double)SECOND;
}

static long rate_of(const struct screen *screen, int64_t growth)
{
	double seconds = elapsed(screen->stats);

	return seconds > 0 ? (long)((double)growth / seconds + (growth < 0 ? -0.5 : 0.5)) : 0;
}

/* The value as a percentage of @whole */
static void draw_statistic(const struct screen *screen, int y, const char *name,
			   const struct statistic *stat, int64_t whole)
{
	double percent = whole > 0 ? 100.0 * (double)stat->value / (double)whole : 0;
	char percent_text[32], rate[32];

	snprintf(percent_text, sizeof(percent_text), "%.1f", percent);
	snprintf(rate, sizeof(rate), "%ld", rate_of(screen, statistic_growth(stat)));
	draw_line(y, A_NORMAL, name, stat->value, percent_text, rate);
}

static void draw_guest(const struct screen *screen, int y, const struct statistic *stat,
		       int64_t total)
{
	char name[TEXT_SIZE];

	if (!guest_name(atoi(stat->name), name, sizeof(name)))
		snprintf(name, sizeof(name), "PID %d", atoi(stat->name));
	draw_statistic(screen, y, name, stat, total);
}

/* ---- order ---- */

static int compare(int64_t a, int64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_value(const void *a, const void *b)
{
	const struct statistic *x = *(const struct statistic * const *)a;
	const struct statistic *y = *(const struct statistic * const *)b;
	int order = compare(x->value, y->value);

	return order ? order : strcmp(x->name, y->name);
}

static int by_growth(const void *a, const void *b)
{
	const struct statistic *x = *(const struct statistic * const *)a;
	const struct statistic *y = *(const struct statistic * const *)b;
	int order = compare(statistic_growth(x), statistic_growth(y));

	return order ? order : by_value(a, b);
}

/* ---- the rows ---- */

struct rows {
	const struct statistic **row;
	size_t count;
	int64_t total;
	int64_t growth;
};

/* Like kvm_stat, the sum of rates does not subtract what a VM that has ended had counted. */
static void add_row(struct rows *rows, const struct statistic *stat)
{
	int64_t growth = statistic_growth(stat);

	rows->total += stat->value;
	rows->growth += growth > 0 ? growth : 0;
	if (!stat->value && !growth)
		return;
	rows->row = resize_array(rows->row, rows->count + 1, sizeof(*rows->row));
	rows->row[rows->count++] = stat;
}

static void sort_rows(const struct screen *screen, struct rows *rows)
{
	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row),
		      screen->by_total ? by_value : by_growth);
}

static struct rows collect_guests(const struct screen *screen)
{
	const struct statistic *vm;
	struct rows rows = { 0 };
	size_t i;

	for (i = 0; (vm = debugfs_vm(screen->stats->debugfs, i)); i++)
		add_row(&rows, vm);
	sort_rows(screen, &rows);
	return rows;
}

static struct rows collect_events(const struct screen *screen)
{
	const struct stats *stats = screen->stats;
	struct rows rows = { 0 };
	size_t i;

	for (i = 0; i < stats->count; i++) {
		if (stats->shown[i]->parent < 0)
			add_row(&rows, stats->shown[i]);
	}
	sort_rows(screen, &rows);
	return rows;
}

/* The selected parts of a statistic */
static struct rows collect_children(const struct screen *screen, const struct statistic *parent)
{
	struct rows rows = { 0 };
	size_t i, j;

	for (i = 0; i < screen->stats->sources; i++) {
		const struct source *source = screen->stats->source[i];

		for (j = 0; j < source->count; j++) {
			const struct statistic *stat = &source->stat[j];

			if (stat->selected && stat->parent >= 0 &&
			    &source->stat[stat->parent] == parent)
				add_row(&rows, stat);
		}
	}
	sort_rows(screen, &rows);
	return rows;
}

/* Draws the children below their parent. Returns the next line. */
static int draw_children(const struct screen *screen, int y, int end,
			 const struct statistic *parent)
{
	struct rows rows = collect_children(screen, parent);
	char name[TEXT_SIZE];
	size_t i;

	for (i = 0; i < rows.count && y < end; i++) {
		snprintf(name, sizeof(name), "  %s", rows.row[i]->name);
		draw_statistic(screen, y++, name, rows.row[i], parent->value);
	}
	free(rows.row);
	return y;
}

static void draw_table(const struct screen *screen)
{
	struct rows rows = screen->shows_guests ? collect_guests(screen) : collect_events(screen);
	int y = TABLE_ROW, end = LINES - 2;
	char rate[32] = "";
	size_t i;

	for (i = 0; i < rows.count && y < end; i++) {
		const struct statistic *stat = rows.row[i];

		if (screen->shows_guests)
			draw_guest(screen, y++, stat, rows.total);
		else
			draw_statistic(screen, y++, stat->name, stat, rows.total);
		if (screen->shows_children && !screen->shows_guests)
			y = draw_children(screen, y, end, stat);
	}
	if (rows.growth)
		snprintf(rate, sizeof(rate), "%ld", rate_of(screen, rows.growth));
	if (y > TABLE_ROW + 1)
		draw_line(y, A_BOLD, "Total", rows.total, "", rate);
	else if (y == TABLE_ROW)
		draw(TABLE_ROW + 1, 1, A_NORMAL, "No matching events reported yet");
	free(rows.row);
}

/* ---- the whole screen ---- */

static void draw_title(const struct screen *screen)
{
	static const char dead[] = "   Guest is DEAD   ";
	const struct stats *stats = screen->stats;
	int x = draw(0, 0, A_BOLD, "kvm statistics - ");

	if (!stats->pid)
		x += draw(0, x, A_BOLD, "summary");
	else if (*screen->guest)
		x += draw(0, x, A_BOLD, "pid %d (%.48s%s)", (int)stats->pid, screen->guest,
			  strlen(screen->guest) > 48 ? "..." : "");
	else
		x += draw(0, x, A_BOLD, "pid %d", (int)stats->pid);
	if (screen->dead)
		draw(0, x + (int)strlen(dead) > COLS ? COLS - (int)strlen(dead) : x,
		     A_BLINK | A_STANDOUT, "%s", dead);
	if (*stats->regex)
		draw(1, 17, A_NORMAL, "regex filter: %.44s%s", stats->regex,
		     strlen(stats->regex) > 44 ? "..." : "");
}

static void draw_screen(const struct screen *screen)
{
	const struct stats *stats = screen->stats;

	erase();
	if (COLS < MIN_COLUMNS || LINES < MIN_ROWS) {
		draw(0, 0, A_NORMAL, "The terminal is too small: it has %dx%d, kvm_stat needs "
		     "%dx%d.", COLS, LINES, MIN_COLUMNS, MIN_ROWS);
		refresh();
		return;
	}
	draw_title(screen);
	draw_headings(screen);
	draw_table(screen);
	if (*screen->message || *stats->problem || *stats->notice)
		draw(LINES - 1, 0, A_BOLD, "%s", *screen->message ? screen->message :
		     *stats->problem ? stats->problem : stats->notice);
	else
		draw(LINES - 1, 0, A_DIM, "h help  q quit");
	refresh();
}

/* ---- keys ---- */

const char screen_keys[] =
	"Keys on the terminal:\n"
	"  b  show events or, with -d alone, guests\n"
	"  c  clear the filters of events and guests\n"
	"  f  filter events by regular expression\n"
	"  g  show one guest, by name or process ID\n"
	"  h  show this help\n"
	"  o  sort by Total, or by CurAvg/s\n"
	"  p  the same as g\n"
	"  q  quit\n"
	"  r  reset: count totals from now on\n"
	"  s  set the seconds between two updates\n"
	"  x  show the parts of events, such as exit reasons, or hide them\n"
	"Any other key updates the values now.\n";

/*
 * Waits for a key until @deadline. Returns ERR at the deadline, or KEY_RESIZE if the size of the
 * terminal has changed. Sets screen->quit if kvm_stat has to end.
 */
static int wait_for_key(struct screen *screen, uint64_t deadline)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND),
	};
	int key = getch();	/* curses may have read several keys at once */

	if (key == ERR) {
		ppoll(&input, 1, deadline == UINT64_MAX ? NULL : &timeout, &original_mask);
		if (!ended_by)
			key = getch();
	}
	if (ended_by || input.revents & (POLLHUP | POLLERR | POLLNVAL))
		screen->quit = true;
	return key;
}

/* ---- prompts ---- */

struct prompt {
	const char *title;
	const char *question;
	char error[PROBLEM_SIZE];
	char answer[TEXT_SIZE];
};

static void draw_guests_to_choose(int y)
{
	size_t count, i;
	struct guest *list = guest_list(&count);

	draw(y++, 1, A_UNDERLINE, "%10s  %s", "PID", "Guest");
	for (i = 0; i < count && y < LINES; i++)
		draw(y++, 1, A_NORMAL, "%10d  %s", (int)list[i].pid, list[i].name);
	if (!count)
		draw(y, 1, A_NORMAL, "No process has a guest with a name (QEMU's option -name).");
	free(list);
}

static void draw_prompt(const struct prompt *prompt, bool lists_guests)
{
	int x;

	erase();
	draw(0, 0, A_BOLD, "%s", prompt->title);
	draw(4, 0, A_BOLD, "%s", prompt->error);
	if (lists_guests)
		draw_guests_to_choose(6);
	x = draw(2, 0, A_NORMAL, "%s: ", prompt->question);
	x += draw(2, x, A_NORMAL, "%s", prompt->answer);
	move(2, x < COLS ? x : COLS - 1);
	refresh();
}

/* The answer is edited at its end only. */
static void edit_answer(char *answer, int key)
{
	size_t len = strlen(answer);

	if (key == KEY_BACKSPACE || key == 0x7f || key == CONTROL('H')) {
		/* In UTF-8, all bytes of a character except the first have the form 10xxxxxx. */
		while (len && (answer[--len] & 0xc0) == 0x80)
			;
	} else if (key == CONTROL('U')) {
		len = 0;
	} else if (key >= ' ' && key <= 0xff && len + 1 < TEXT_SIZE) {
		answer[len++] = (char)key;
	}
	answer[len] = '\0';
}

/* Asks until Enter. Returns false after Escape, or if kvm_stat has to end. */
static bool ask(struct screen *screen, struct prompt *prompt, bool lists_guests)
{
	int key;

	curs_set(1);
	do {
		draw_prompt(prompt, lists_guests);
		key = wait_for_key(screen, UINT64_MAX);
		edit_answer(prompt->answer, key);
	} while (!screen->quit && key != '\n' && key != '\r' && key != KEY_ENTER && key != ESCAPE);
	curs_set(0);
	return !screen->quit && key != ESCAPE;
}

/* Reads the values again, so that the next update has rates. */
static void select_anew(struct screen *screen, const char *regex, pid_t pid)
{
	char *copy = copy_text(regex);

	screen->dead = false;
	*screen->guest = '\0';
	if (pid)
		guest_name(pid, screen->guest, sizeof(screen->guest));
	if (stats_select(screen->stats, copy, pid))
		stats_read(screen->stats);
	else
		snprintf(screen->message, sizeof(screen->message), "%s", screen->stats->problem);
	free(copy);
}

static void ask_for_regex(struct screen *screen)
{
	struct prompt prompt = {
		.title = "Show events whose names start with a match of a regular expression",
		.question = "Expression (empty: all)",
	};
	regex_t pattern;

	snprintf(prompt.answer, sizeof(prompt.answer), "%s", screen->stats->regex);
	while (ask(screen, &prompt, false)) {
		if (!pattern_compile(&pattern, prompt.answer, prompt.error, sizeof(prompt.error)))
			continue;
		regfree(&pattern);
		select_anew(screen, prompt.answer, screen->stats->pid);
		return;
	}
}

static void ask_for_delay(struct screen *screen)
{
	struct prompt prompt = {
		.title = "Set the seconds between two updates",
	};
	char question[64];

	snprintf(question, sizeof(question), "Seconds (now %.1f, empty: %.1f)", screen->delay,
		 DEFAULT_DELAY);
	prompt.question = question;
	while (ask(screen, &prompt, false)) {
		double delay = DEFAULT_DELAY;

		if (*prompt.answer && !parse_delay(prompt.answer, &delay, prompt.error,
						   sizeof(prompt.error)))
			continue;
		screen->delay = delay;
		return;
	}
}

/* Returns false and the reason in @why if @text is neither a process nor a guest. */
static bool choose_process(const char *text, pid_t *pid, char *why, size_t size)
{
	size_t found;

	*pid = 0;
	if (!*text || !strcmp(text, "0"))
		return true;
	if (parse_pid(text, pid)) {
		snprintf(why, size, "no process has the ID %s", text);
		return process_exists(*pid);
	}
	found = guest_find(text, pid);
	if (found)
		snprintf(why, size, "%zu guests are named '%s'; enter a process ID", found, text);
	else
		snprintf(why, size, "no guest is named '%s'", text);
	return found == 1;
}

static void ask_for_guest(struct screen *screen)
{
	struct prompt prompt = {
		.title = "Show one guest or process",
		.question = "Name or process ID (empty: all)",
	};
	pid_t pid;

	while (ask(screen, &prompt, true)) {
		if (!choose_process(prompt.answer, &pid, prompt.error, sizeof(prompt.error)))
			continue;
		select_anew(screen, screen->stats->regex, pid);
		return;
	}
}

static void show_help(struct screen *screen)
{
	int key;

	do {
		erase();
		mvaddstr(0, 0, screen_keys);
		draw(LINES - 1, 0, A_STANDOUT, "Press any key to go back");
		refresh();
		key = wait_for_key(screen, UINT64_MAX);
	} while (!screen->quit && (key == KEY_RESIZE || key == ERR));
}

static void toggle_guests(struct screen *screen)
{
	if (screen->stats->debugfs && screen->stats->sources == 1)
		screen->shows_guests = !screen->shows_guests;
	else
		snprintf(screen->message, sizeof(screen->message),
			 "Only debugfs has values of each guest. Start kvm_stat with -d alone.");
}

static void handle_key(struct screen *screen, int key)
{
	*screen->message = '\0';
	switch (key) {
	case 'b':
		toggle_guests(screen);
		break;
	case 'c':
		select_anew(screen, "", 0);
		break;
	case 'f':
		ask_for_regex(screen);
		break;
	case 'g':
	case 'p':
		ask_for_guest(screen);
		break;
	case 'h':
		show_help(screen);
		break;
	case 'o':
		screen->by_total = !screen->by_total;
		break;
	case 'q':
		screen->quit = true;
		break;
	case 'r':
		stats_reset(screen->stats);
		break;
	case 's':
		ask_for_delay(screen);
		break;
	case 'x':
		screen->shows_children = !screen->shows_children;
		break;
	}
}

/* ---- updates ---- */

/* The selected process has ended. Another one may run its guest, for example after a reboot. */
static void find_guest_again(struct screen *screen)
{
	pid_t pid;

	screen->dead = true;
	if (*screen->guest && guest_find(screen->guest, &pid) == 1)
		select_anew(screen, screen->stats->regex, pid);
}

static void update(struct screen *screen)
{
	const struct stats *stats = screen->stats;

	if (stats->pid && !process_exists(stats->pid))
		find_guest_again(screen);
	/* The last values of a guest that has ended stay. */
	if (!screen->dead)
		stats_read(screen->stats);
}

static void run_screen(struct screen *screen)
{
	while (!screen->quit) {
		bool first = !screen->stats->has_values;
		uint64_t deadline;
		int key;

		update(screen);
		deadline = clock_now() + (uint64_t)((first ? FIRST_DELAY : screen->delay) *
						    (double)SECOND);
		do {
			draw_screen(screen);
			key = wait_for_key(screen, deadline);
		} while (key == KEY_RESIZE && !screen->quit);
		handle_key(screen, key);
	}
}

/* ---- start and end ---- */

static void on_end(int signal)
{
	ended_by = signal;
}

/* Blocks SIGWINCH, which curses handles, and the signals that end kvm_stat, except in ppoll(). */
static void catch_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_end, .sa_flags = (int)SA_RESETHAND };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGWINCH);
	for (i = 0; i < ARRAY_SIZE(ending); i++) {
		sigaction(ending[i], &action, NULL);
		sigaddset(&blocked, ending[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &original_mask);
}

static void screen_end(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
}

static bool begin(void)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		complain("this is not a terminal. Use -1 or -l to print text.");
		return false;
	}
	set_escdelay(50);
	terminal = newterm(NULL, stdout, stdin);
	restore_terminal = screen_end;
	/* Without these capabilities, curses would print lines over each other. */
	if (!terminal || !tigetstr("cup") || !tigetstr("clear")) {
		screen_end();
		complain("the terminal '%s' is unknown, or cannot move its cursor. Set TERM to "
			 "the type of your terminal, such as xterm or linux.", name ? name : "");
		return false;
	}
	catch_signals();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return true;
}

int screen_run(struct stats *stats, double delay)
{
	struct screen screen = { .stats = stats, .delay = delay };

	if (stats->pid)
		guest_name(stats->pid, screen.guest, sizeof(screen.guest));
	if (!begin())
		return 1;
	run_screen(&screen);
	screen_end();
	/* Raise the signal again, so that the parent process sees which signal ended kvm_stat. */
	if (ended_by && ended_by != SIGINT) {
		sigprocmask(SIG_SETMASK, &original_mask, NULL);
		raise(ended_by);
	}
	return 0;
}
