// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "monitor/monitor.h"
#include "top/terminal.h"

#define PREFIX	"kvm-stats: "

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
static const int fatal[] = { SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static volatile sig_atomic_t size_changed;
static volatile sig_atomic_t ended_by;
static sigset_t original_mask;	/* of signals */

static struct termios original_termios;
static char restore[256];	/* escape sequences that restore the screen, for signal handlers */
static size_t restore_len;
static SCREEN *screen;
static int original_stderr = -1;	/* -1: standard error is not captured */

/* ---- signals ---- */

static void on_size(int signal)
{
	(void)signal;
	size_changed = 1;
}

static void on_end(int signal)
{
	ended_by = signal;
}

/*
 * Calls async-signal-safe functions only. SA_RESETHAND has restored the default action, so
 * raise() ends the process.
 */
static void on_fatal(int signal)
{
	ssize_t n = write(STDOUT_FILENO, restore, restore_len);

	(void)n;
	tcsetattr(STDIN_FILENO, TCSANOW, &original_termios);
	raise(signal);
}

/* Blocks SIGWINCH and the signals that end top, except in terminal_wait(). */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_end };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	for (i = 0; i < ARRAY_SIZE(ending); i++) {
		sigaction(ending[i], &action, NULL);
		sigaddset(&blocked, ending[i]);
	}
	action.sa_handler = on_size;
	sigaction(SIGWINCH, &action, NULL);
	sigaddset(&blocked, SIGWINCH);
	action = (struct sigaction){
		.sa_handler = on_fatal,
		.sa_flags = SA_RESETHAND | SA_NODEFER,
	};
	for (i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &action, NULL);
	action = (struct sigaction){ .sa_handler = SIG_IGN };
	sigaction(SIGPIPE, &action, NULL);
	sigprocmask(SIG_BLOCK, &blocked, &original_mask);
}

static void release_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &action, NULL);
	for (i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &action, NULL);
	sigprocmask(SIG_SETMASK, &original_mask, NULL);
}

int terminal_signal(void)
{
	return ended_by;
}

/* ---- standard error ---- */

static void capture_stderr(void)
{
	int kept = memfd_create("stderr", MFD_CLOEXEC);

	fflush(stderr);
	if (kept < 0)
		return;
	original_stderr = dup(STDERR_FILENO);
	if (original_stderr >= 0)
		dup2(kept, STDERR_FILENO);
	close(kept);
}

const char *terminal_errors(char *buf, size_t size)
{
	ssize_t n = 0;
	char *at;

	if (original_stderr >= 0)
		n = pread(STDERR_FILENO, buf, size - 1, 0);
	buf[n > 0 ? n : 0] = '\0';
	if (n > 0 && !ftruncate(STDERR_FILENO, 0))
		lseek(STDERR_FILENO, 0, SEEK_SET);
	while ((at = strstr(buf, PREFIX)))
		memmove(at, at + strlen(PREFIX), strlen(at + strlen(PREFIX)) + 1);
	return buf;
}

static void release_stderr(void)
{
	char buf[4096];
	ssize_t n;

	if (original_stderr < 0)
		return;
	n = pread(STDERR_FILENO, buf, sizeof(buf), 0);
	dup2(original_stderr, STDERR_FILENO);
	close(original_stderr);
	original_stderr = -1;
	if (n > 0)
		fwrite(buf, 1, n, stderr);
}

/* ---- start and end ---- */

/* Skips the delays "$<2>" for old terminals, because a signal handler cannot call tputs(). */
static void add_restore(const char *capability)
{
	const char *text = tigetstr(capability);

	if (!text || text == (char *)-1)
		return;
	while (*text && restore_len < sizeof(restore)) {
		size_t delay = strncmp(text, "$<", 2) ? 0 : strcspn(text, ">");

		if (delay && text[delay])
			text += delay + 1;
		else
			restore[restore_len++] = *text++;
	}
}

static bool require_terminal(void)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return true;
	complain("top needs a terminal. Use 'kvm-stats log' or 'kvm-stats read' to write to files "
		 "and pipes.");
	return false;
}

static void set_colors(void)
{
	const char *no_color = getenv("NO_COLOR");

	if (!has_colors() || (no_color && *no_color))
		return;
	start_color();
	use_default_colors();
}

/* Without these capabilities of the terminal, curses would print lines over each other. */
static bool can_draw(const char *name)
{
	const char *move = tigetstr("cup");
	const char *clear = tigetstr("clear");

	if (move && move != (char *)-1 && clear && clear != (char *)-1)
		return true;
	complain("the terminal '%s' cannot move its cursor. Set TERM to the type of your terminal, "
		 "such as xterm, vt100 or linux, or use 'kvm-stats log'.", name ? name : "");
	return false;
}

static bool open_screen(void)
{
	const char *name = getenv("TERM");
	int err;

	if (setupterm(name, STDOUT_FILENO, &err) == OK) {
		bool good = can_draw(name);

		del_curterm(cur_term);
		if (!good)
			return false;
	}
	set_escdelay(50);
	screen = newterm(NULL, stdout, stdin);
	if (screen)
		return true;
	complain("unknown terminal '%s'. Set TERM to a known one, such as xterm, vt100 or linux.",
		 name ? name : "");
	return false;
}

bool terminal_begin(void)
{
	if (!require_terminal())
		return false;
	if (tcgetattr(STDIN_FILENO, &original_termios)) {
		complain("cannot get the settings of the terminal: %s", strerror(errno));
		return false;
	}
	if (!open_screen())
		return false;
	restore_len = 0;
	add_restore("sgr0");
	add_restore("cnorm");
	add_restore("rmcup");
	add_restore("rmkx");
	catch_signals();
	capture_stderr();
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_colors();
	return true;
}

void terminal_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	release_signals();
	release_stderr();
}

/* ---- waiting ---- */

static void apply_size(void)
{
	struct winsize size;

	size_changed = 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	resizeterm(size.ws_row, size.ws_col);
}

static unsigned int pending_events(const struct pollfd *fds)
{
	unsigned int events = 0;

	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		events |= TERMINAL_CLOSED;
	else if (fds[0].revents & POLLIN)
		events |= TERMINAL_KEY;
	if (fds[1].revents)
		events |= TERMINAL_FD;
	return events;
}

unsigned int terminal_wait(int fd, uint64_t deadline)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	struct timespec timeout = clock_until(deadline);
	int n = ppoll(fds, 2, &timeout, &original_mask);
	unsigned int events = n > 0 ? pending_events(fds) : n ? 0 : TERMINAL_TIMEOUT;

	if (ended_by)
		events |= TERMINAL_CLOSED;
	if (size_changed) {
		apply_size();
		events |= TERMINAL_RESIZED;
	}
	return events;
}
