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

#include "cli/command.h"
#include "client/terminal.h"
#include "lib/clock.h"
#include "qemu/check/table.h"

#define ROWS		24
#define QUIET_MS	200	/* without output, after the screen was drawn */
#define CLEAR		"\033[H\033[J"
#define TITLE		"kvm statistics"

/*
 * The test machine uses the terminal descriptions of the build host. Debian 12 has them in
 * /lib, Debian 13 in /usr/share.
 */
static void set_environment(void)
{
	const char *host = getenv("BOOT_HOST") ?: "";
	char path[512];

	snprintf(path, sizeof(path), "%s/lib/terminfo:%s/usr/share/terminfo", host, host);
	unsetenv("TERMINFO");
	setenv("TERMINFO_DIRS", path, 1);
	setenv("TERM", "vt100", 1);
	setenv("LC_ALL", "C", 1);
}

int terminal_start(struct terminal *terminal, uid_t uid, const char *arguments)
{
	const struct winsize size = { .ws_row = ROWS, .ws_col = TERMINAL_COLUMNS };

	*terminal = TERMINAL_NONE;
	terminal->rows = ROWS;
	terminal->columns = TERMINAL_COLUMNS;
	fflush(stdout);
	terminal->pid = forkpty(&terminal->master, NULL, NULL, &size);
	if (!terminal->pid) {
		set_environment();
		command_exec(uid, arguments);
	}
	if (terminal->pid > 0)
		return 0;
	terminal->pid = 0;
	return -errno;
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

/* After a change of the size, curses clears the screen and draws all of it. */
static void redraw(struct terminal *terminal)
{
	struct winsize size = { .ws_col = terminal->columns };

	terminal->rows = terminal->rows == ROWS ? ROWS - 1 : ROWS;
	size.ws_row = terminal->rows;
	terminal->size = 0;
	if (ioctl(terminal->master, TIOCSWINSZ, &size))
		note("cannot change the size of the terminal: %s", strerror(errno));
}

void terminal_set_columns(struct terminal *terminal, int columns)
{
	terminal->columns = columns;
	redraw(terminal);
}

void terminal_type(struct terminal *terminal, const char *keys)
{
	if (write(terminal->master, keys, strlen(keys)) < 0)
		note("cannot write to the terminal: %s", strerror(errno));
}

/* Returns false if there is no output until @deadline, or if the program has ended. */
static bool read_some(struct terminal *terminal, long long deadline)
{
	struct pollfd poll_fd = { .fd = terminal->master, .events = POLLIN };
	ssize_t n;

	if (terminal->size == MAX_OUTPUT)
		terminal->size = 0;
	if (poll(&poll_fd, 1, ms_until(deadline)) != 1)
		return false;
	n = read(terminal->master, terminal->raw + terminal->size,
		 MAX_OUTPUT - terminal->size);
	terminal->size += n > 0 ? n : 0;
	return n > 0;
}

/* Returns the end of the escape sequence at @at. */
static const char *skip_sequence(const char *at, const char *end)
{
	if (++at < end && (*at == '(' || *at == ')'))
		return at + 2;
	if (at < end && *at == '[')
		for (at++; at < end && (*at < '@' || *at > '~'); at++)
			;
	return at + 1;
}

/* Returns the output after the last time that the program cleared the screen. */
static const char *last_screen(const struct terminal *terminal)
{
	const char *at = terminal->raw, *end = at + terminal->size, *clear;

	while ((clear = memmem(at, end - at, CLEAR, strlen(CLEAR))))
		at = clear + strlen(CLEAR);
	return at;
}

/* Copies the output from @at to its end, as text, to @text. */
static void strip(const struct terminal *terminal, const char *at, char *text)
{
	const char *end = terminal->raw + terminal->size;
	size_t len = 0;

	text[len++] = ' ';
	while (at < end) {
		char c = *at;

		if (c == '\033') {
			at = skip_sequence(at, end);
			c = at[-1] == 'm' ? '\0' : ' ';	/* 'm' ends a change of colors */
		} else {
			at++;
		}
		if (c == '\t' || c == '\n' || c == '\r' || c == '\b')
			c = ' ';
		if ((unsigned char)c > ' ' || (c == ' ' && text[len - 1] != ' '))
			text[len++] = c;
	}
	text[len] = '\0';
}

static char text[MAX_OUTPUT + 2];

static bool compile(regex_t *regex, const char *pattern)
{
	if (!regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB))
		return true;
	note("'%s' is not a regular expression", pattern);
	return false;
}

/* A screen that lacks the title is not drawn completely yet. */
static bool matches(const regex_t *regex, bool shown)
{
	return strstr(text, TITLE) && !regexec(regex, text, 0, NULL, 0) == shown;
}

static bool wait_for(struct terminal *terminal, const char *pattern, bool shown, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	regex_t regex;
	bool ok;

	if (!compile(&regex, pattern))
		return false;
	do {
		redraw(terminal);
		while (read_some(terminal, ms_now() + QUIET_MS))
			;
		strip(terminal, last_screen(terminal), text);
		ok = matches(&regex, shown);
		if (!ok)
			ms_sleep(QUIET_MS);
	} while (!ok && ms_until(deadline));
	regfree(&regex);
	if (!ok)
		note("'%s' %sexpected, found '%s'", pattern, shown ? "" : "not ", text);
	return ok;
}

bool terminal_shows(struct terminal *terminal, const char *regex, int seconds)
{
	return wait_for(terminal, regex, true, seconds);
}

bool terminal_lacks(struct terminal *terminal, const char *regex, int seconds)
{
	return wait_for(terminal, regex, false, seconds);
}

bool terminal_reports(struct terminal *terminal, const char *pattern, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	regex_t regex;
	bool ok;

	if (!compile(&regex, pattern))
		return false;
	do {
		strip(terminal, terminal->raw, text);
		ok = !regexec(&regex, text, 0, NULL, 0);
	} while (!ok && read_some(terminal, deadline));
	regfree(&regex);
	if (!ok)
		note("'%s' expected, found '%s'", pattern, text);
	return ok;
}

int terminal_status(struct terminal *terminal, int seconds)
{
	long long deadline = ms_now() + seconds * 1000LL;
	int status;

	while (read_some(terminal, deadline))
		;
	while (waitpid(terminal->pid, &status, WNOHANG) != terminal->pid) {
		if (!ms_until(deadline)) {
			note("the program did not end within %d s", seconds);
			return -1;
		}
		ms_sleep(10);
	}
	terminal->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
