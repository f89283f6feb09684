// SPDX-License-Identifier: GPL-2.0-only
/* Sets the terminal up, and restores it however top ends. Waits, and starts everything else. */
#include "top/screen.h"

#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notice.h"
#include "util.h"

#define SHORT_INTERVAL	(SECOND / 4)
#define PREFIX	"kvm-stats: "

static volatile sig_atomic_t ended_by;
static sigset_t original_mask;	/* of signals */
static SCREEN *screen;
static FILE *original_stderr;	/* NULL: standard error is not captured */
static char errors[4096];

/* ---- signals ---- */

static void on_end(int signal)
{
	ended_by = signal;
}

/* Blocks SIGWINCH, which curses handles, and the signals that end top, except in ppoll(). */
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

/* ---- standard error ---- */

static void capture_stderr(void)
{
	FILE *memory = fmemopen(errors, sizeof(errors), "w");

	if (!memory)
		return;
	original_stderr = stderr;
	stderr = memory;
}

const char *top_errors(char *buf, size_t size)
{
	char *at;

	*buf = '\0';
	if (!original_stderr)
		return buf;
	fflush(stderr);
	snprintf(buf, size, "%s", errors);
	memset(errors, 0, sizeof(errors));
	rewind(stderr);
	while ((at = strstr(buf, PREFIX)))
		memmove(at, at + strlen(PREFIX), strlen(at + strlen(PREFIX)) + 1);
	return buf;
}

static void release_stderr(void)
{
	FILE *memory = stderr;

	if (!original_stderr)
		return;
	fflush(memory);
	stderr = original_stderr;
	original_stderr = NULL;
	fputs(errors, stderr);
	fclose(memory);
}

/* ---- start and end ---- */

static void end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	release_stderr();
}

void top_fail(int err)
{
	end();
	if (err)
		complain("cannot read the statistics: %s", error_text(err));
	exit(STATUS_FAILED);
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

static bool begin(void)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		complain("top needs a terminal. Use 'kvm-stats log' or 'kvm-stats read' to write "
			 "to files and pipes.");
		return false;
	}
	set_escdelay(50);
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		complain("unknown terminal '%s'. Set TERM to a known one, such as xterm, vt100 or "
			 "linux.", name ? name : "");
		return false;
	}
	/* Without these capabilities, curses would print lines over each other. */
	if (!tigetstr("cup") || !tigetstr("clear")) {
		end();
		complain("the terminal '%s' cannot move its cursor. Set TERM to the type of your "
			 "terminal, such as xterm, vt100 or linux, or use 'kvm-stats log'.",
			 name ? name : "");
		return false;
	}
	catch_signals();
	capture_stderr();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	use_colors();
	return true;
}

/* ---- the loop ---- */

static void sample(struct top *top)
{
	model_sample(top);
	/* Rates need two samples. The second one comes soon, also of a new monitor. */
	top->deadline = clock_now() +
			(top->monitor->time_before ? top->interval : SHORT_INTERVAL);
}

static uint64_t next_time(const struct top *top)
{
	uint64_t deadline = top->paused ? clock_now() + 3600 * SECOND : top->deadline;
	uint64_t until = top->message_until;

	return until > clock_now() && until < deadline ? until : deadline;
}

/* Waits for a key, the end of a VMM, a signal, or the next sample. */
static void handle_events(struct top *top)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = kvmstats_monitor_fd(top->monitor->library), .events = POLLIN },
	};
	struct timespec timeout = clock_until(next_time(top));

	ppoll(fds, ARRAY_SIZE(fds), &timeout, &original_mask);
	top->quit = ended_by || (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL));
	if (fds[1].revents)
		model_refresh(top);
	/* After SIGWINCH, curses returns a key. */
	if (!top->quit)
		input_read(top);
	if (!top->quit && !top->paused && clock_now() >= top->deadline)
		sample(top);
}

/* @list is the argument of --columns, or NULL. */
static bool set_columns(struct top *top, const char *list)
{
	char *at = list ? strdupa(list) : NULL, *name;

	top->columns = list ? 0 : DEFAULT_COLUMNS;
	while ((name = strsep(&at, ","))) {
		int id = column_of_option(name);

		if (id < 0) {
			complain("--columns: no column is named '%s'. Run 'kvm-stats top --help' "
				 "for the names.", name);
			return false;
		}
		top->columns |= COLUMN_BIT(id);
	}
	return true;
}

/* @name is the argument of --sort. */
static bool set_order(struct top *top, const char *name)
{
	int id = column_of_option(name);

	if (id < 0 || !column_types[id].key) {
		complain("--sort: no column that can be sorted is named '%s'. Run 'kvm-stats top "
			 "--help' for the names.", name);
		return false;
	}
	top->order[PAGE_GUESTS].column = top->kvm_stat ? COLUMN_RATE : (enum column_id)id;
	top->order[PAGE_TARGETS].column = top->kvm_stat ? COLUMN_RATE : COLUMN_NAME;
	top->order[PAGE_STATISTICS].column = COLUMN_RATE;
	top->order[PAGE_HISTOGRAM].column = COLUMN_BAR;
	return true;
}

/* Without a VM, top waits for one. A PID or guest that the user named must exist. */
static bool prepare(struct top *top)
{
	if (!model_open(top))
		return false;
	if (!filter_names_vmms(top->filter))
		return true;
	return top->kvm_stat ? require_statistics(top->monitor) : require_vmms(top->monitor);
}

int top_run(const struct top_options *options)
{
	static struct top top;	/* too large for the stack */
	bool good;

	top = (struct top){
		.filter = options->filter, .sources = options->sources,
		.interval = options->interval, .kvm_stat = options->kvm_stat,
		.counts_growth = options->kvm_stat && !options->include_past,
	};
	top.page[0].kind = options->kvm_stat ? PAGE_STATISTICS : PAGE_GUESTS;
	setlocale(LC_CTYPE, "");
	if (!set_columns(&top, options->columns) ||
	    !set_order(&top, options->sort ? options->sort : "cpu"))
		return STATUS_USAGE;
	good = prepare(&top) && begin();
	if (good)
		sample(&top);
	while (good && !top.quit) {
		draw_screen(&top);
		handle_events(&top);
	}
	end();
	model_free(&top);
	/* Raise the signal again, so that the parent process sees which signal ended top. */
	if (ended_by && ended_by != SIGINT) {
		sigprocmask(SIG_SETMASK, &original_mask, NULL);
		raise(ended_by);
	}
	return good ? STATUS_OK : STATUS_FAILED;
}
