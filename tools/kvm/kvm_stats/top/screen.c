// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "top/number.h"
#include "top/screen.h"
#include "util.h"

static volatile sig_atomic_t ended_by;
static sigset_t original_mask;	/* of signals */
static SCREEN *screen;

/* ---- the terminal ---- */

static void on_ending_signal(int signal)
{
	ended_by = signal;
}

/* Blocks SIGWINCH, which curses handles, and the signals that end top, except in ppoll(). */
static void block_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_ending_signal, .sa_flags = (int)SA_RESETHAND };
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

static void use_colors(void)
{
	const char *no_color = getenv("NO_COLOR");
	short color;

	if (!has_colors() || (no_color && *no_color))
		return;
	start_color();
	use_default_colors();
	for (color = 1; color < 8; color++)
		init_pair(color, color, -1);
}

bool screen_open(struct message *why)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		message_set(why, "top needs a terminal");
		return message_advice(why, "Use 'kvm-stats log' or 'kvm-stats read' to write to "
				      "files and pipes");
	}
	set_escdelay(50);
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		message_set(why, "unknown terminal '%s'", name ? name : "");
		return message_advice(why, "Set TERM to a known one, such as xterm, vt100 or "
				      "linux");
	}
	/* Without these capabilities, curses would print lines over each other. */
	if (!tigetstr("cup") || !tigetstr("clear")) {
		screen_close();
		message_set(why, "the terminal '%s' cannot move its cursor", name ? name : "");
		return message_advice(why, "Set TERM to the type of your terminal, such as xterm, "
				      "vt100 or linux, or use 'kvm-stats log'");
	}
	block_signals();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	use_colors();
	return true;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

bool screen_wait(uint64_t deadline)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec timeout = clock_until(deadline);

	ppoll(&input, 1, &timeout, &original_mask);
	return !ended_by && !(input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

void screen_raise(void)
{
	if (!ended_by || ended_by == SIGINT)
		return;
	sigprocmask(SIG_SETMASK, &original_mask, NULL);
	raise(ended_by);
}

/* ---- text ---- */

int screen_color(int color)
{
	return COLORS >= 8 && COLOR_PAIRS >= 8 ? (int)COLOR_PAIR(color) : 0;
}

/*
 * Writes the first character of *@text to @bytes, or '?' if it cannot be shown, and moves to the
 * next one. Returns the number of cells.
 */
static int next_character(const char **text, char *bytes)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t len = mbrtowc(&c, *text, MB_CUR_MAX, &state);
	bool valid = len != (size_t)-1 && len != (size_t)-2;
	int cells = valid ? wcwidth(c) : -1;

	memset(bytes, 0, MB_LEN_MAX + 1);
	if (cells >= 0 && utf8_is_harmless((uint32_t)c)) {
		memcpy(bytes, *text, len);
	} else {
		*bytes = '?';
		cells = 1;
	}
	*text += valid ? len : 1;
	return cells;
}

int screen_fit(char *buf, size_t size, const char *text, int width)
{
	const char *ellipsis = is_utf8() ? "…" : "+";
	size_t used = 0, cut = 0;	/* @cut: where the ellipsis fits */
	int sum = 0, cut_sum = 0;

	while (*text) {
		char bytes[MB_LEN_MAX + 1];
		int cells = next_character(&text, bytes);

		if (sum + cells > width || used + strlen(bytes) >= size) {
			if (width < 1 || cut + strlen(ellipsis) >= size)
				break;
			strcpy(buf + cut, ellipsis);
			return cut_sum + 1;
		}
		used = (size_t)(stpcpy(buf + used, bytes) - buf);
		sum += cells;
		if (sum < width) {
			cut = used;
			cut_sum = sum;
		}
	}
	buf[used] = '\0';
	return sum;
}

int screen_text(int y, int x, int width, bool right, int attributes, const char *text)
{
	char buf[1024];
	int cells;

	if (x + width > COLS)
		width = COLS - x;
	if (width <= 0 || y < 0 || y >= LINES)
		return 0;
	cells = screen_fit(buf, sizeof(buf), text, width);
	attrset(attributes);
	mvaddstr(y, right ? x + width - cells : x, buf);
	attrset(A_NORMAL);
	return cells;
}

int screen_print(int y, int x, int attributes, const char *format, ...)
{
	char buf[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	return screen_text(y, x, COLS - x, false, attributes, buf);
}

int screen_paragraph(int y, int end, int attributes, const char *format, ...)
{
	char buf[MESSAGE_SIZE], *text = buf;
	int width = COLS - 1;
	va_list args;

	va_start(args, format);
	vsnprintf(buf, sizeof(buf), format, args);
	va_end(args);
	while (*text && y < end && width > 0) {
		int len = (int)strlen(text);

		if (len > width) {
			len = width;
			while (len && text[len] != ' ')
				len--;
			len = len ? len : width;
		}
		screen_print(y++, 1, attributes, "%.*s", len, text);
		text += len;
		text += *text == ' ';
	}
	return y;
}

int screen_meter(int y, int x, int width, const char *name, const struct meter_part *part,
		 size_t parts, const char *text)
{
	int inside = width - (int)strlen(name) - 2, from = 0;
	double sum = 0;
	size_t i;

	if (inside < 2)
		return x;
	x += screen_print(y, x, A_BOLD, "%s[", name);
	for (i = 0; i < parts; i++) {
		sum += part[i].percent > 0 ? part[i].percent : 0;
		for (; from < inside && from < (int)(sum / 100 * inside + 0.5); from++)
			screen_print(y, x + from, screen_color(part[i].color) | A_BOLD, "%.1s",
				     part[i].name);
	}
	screen_text(y, x, inside, true, 0, text);
	return x + inside + screen_print(y, x + inside, A_BOLD, "]");
}
