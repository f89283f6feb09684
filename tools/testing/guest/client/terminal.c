// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cli/command.h"
#include "../qemu/clock.h"
#include "../qemu/tap.h"
#include "terminal.h"

/* In the emulated host the descriptions of terminals are the build machine's. */
static void describe_terminal(void)
{
	const char *host = getenv("BOOT_HOST") ?: "";
	char path[256];

	snprintf(path, sizeof(path), "%s/lib/terminfo", host);
	setenv("TERMINFO", path, 1);
	setenv("TERM", "vt52", 1);
}

int terminal_start(struct terminal *terminal, uid_t uid, const char *arguments)
{
	const struct winsize size = { .ws_row = VT52_ROWS, .ws_col = VT52_COLUMNS };

	*terminal = TERMINAL_NONE;
	vt52_clear(&terminal->screen);
	fflush(stdout);
	terminal->pid = forkpty(&terminal->master, NULL, NULL, &size);
	if (!terminal->pid) {
		describe_terminal();
		command_exec(uid, arguments);
	}
	if (terminal->pid > 0)
		return 0;
	terminal->pid = 0;
	return -errno;
}

/* What it writes until @deadline; false if that has come, or there is no more. */
static bool read_some(struct terminal *terminal, long long deadline)
{
	struct pollfd poll_fd = { .fd = terminal->master, .events = POLLIN };
	ssize_t n;

	if (poll(&poll_fd, 1, ms_until(deadline)) != 1)
		return false;
	n = read(terminal->master, terminal->output, sizeof(terminal->output));
	terminal->drawn = 0;
	terminal->size = n > 0 ? n : 0;
	return n > 0;
}

/*
 * Up to where the cursor is moved next: what was there for a moment only, while nobody read, is
 * seen as well.
 */
static bool draw_some(struct terminal *terminal, long long deadline)
{
	const char *from, *escape;
	size_t len;

	if (terminal->drawn == terminal->size && !read_some(terminal, deadline))
		return false;
	from = terminal->output + terminal->drawn;
	len = terminal->size - terminal->drawn;
	escape = memchr(from + 1, '\033', len - 1);
	if (escape)
		len = escape - from;
	vt52_write(&terminal->screen, from, len);
	terminal->drawn += len;
	return true;
}

/* In @row, or in any if that is -1. */
static bool matches(const struct terminal *terminal, int wanted, const regex_t *regex)
{
	int row;

	for (row = 0; row < VT52_ROWS; row++) {
		if ((wanted < 0 || wanted == row) &&
		    !regexec(regex, terminal->screen.cell[row], 0, NULL, 0))
			return true;
	}
	return false;
}

static void note_screen(const struct terminal *terminal)
{
	int row;

	for (row = 0; row < VT52_ROWS; row++)
		tap_note("|%s|", terminal->screen.cell[row]);
}

static bool wait_for(struct terminal *terminal, int row, const char *text, bool shown, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	regex_t regex;
	bool found;

	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB)) {
		tap_note("'%s' is no regular expression", text);
		return false;
	}
	do
		found = matches(terminal, row, &regex);
	while (found != shown && draw_some(terminal, deadline));
	regfree(&regex);
	if (found == shown)
		return true;
	tap_note("%s: '%s'", shown ? "expected on the screen" : "not expected there", text);
	note_screen(terminal);
	return false;
}

bool terminal_shows(struct terminal *terminal, const char *regex, int seconds)
{
	return wait_for(terminal, -1, regex, true, seconds);
}

bool terminal_shows_in(struct terminal *terminal, int row, const char *regex, int seconds)
{
	return wait_for(terminal, row, regex, true, seconds);
}

bool terminal_lacks(struct terminal *terminal, const char *regex, int seconds)
{
	return wait_for(terminal, -1, regex, false, seconds);
}

/* The kernel tells the program. */
void terminal_resize(struct terminal *terminal, int rows, int columns)
{
	const struct winsize size = { .ws_row = rows, .ws_col = columns };

	if (ioctl(terminal->master, TIOCSWINSZ, &size))
		tap_note("the terminal keeps its size: %s", strerror(errno));
}

void terminal_type(struct terminal *terminal, const char *keys)
{
	if (write(terminal->master, keys, strlen(keys)) < 0)
		tap_note("the terminal takes no keys: %s", strerror(errno));
}

int terminal_status(struct terminal *terminal, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	int status;

	while (draw_some(terminal, deadline))
		;
	while (waitpid(terminal->pid, &status, WNOHANG) != terminal->pid) {
		if (!ms_until(deadline)) {
			tap_note("it runs on");
			note_screen(terminal);
			return -1;
		}
		ms_sleep(10);
	}
	terminal->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void terminal_close(struct terminal *terminal)
{
	if (terminal->pid) {
		kill(terminal->pid, SIGKILL);
		waitpid(terminal->pid, NULL, 0);
	}
	if (terminal->master >= 0)
		close(terminal->master);
	*terminal = TERMINAL_NONE;
}
