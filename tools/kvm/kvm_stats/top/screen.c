// SPDX-License-Identifier: GPL-2.0-only
/* Sets the terminal up, and restores it however top ends. Waits, and starts everything else. */
#include "top/screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/array.h"
#include "messages/require.h"
/* Macros of term.h, for capabilities that are not used here */
#undef columns
#undef lines

#define SHORT_INTERVAL	(SECOND / 4)
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

/* Blocks SIGWINCH and the signals that end top, except in wait_for(). */
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

const char *top_errors(char *buf, size_t size)
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

static bool begin(void)
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

static void end(void)
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
	/* What was drawn before the signal arrived can be anywhere. */
	clearok(curscr, TRUE);
}

/* Bits. Curses already uses the new size when wait_for() returns. */
enum event {
	EVENT_KEY = 1,
	EVENT_FD = 2,		/* the other fd is readable */
	EVENT_CLOSED = 4,	/* the terminal is closed, or a signal ends top */
};

static unsigned int pending_events(const struct pollfd *fds)
{
	unsigned int events = 0;

	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		events |= EVENT_CLOSED;
	else if (fds[0].revents & POLLIN)
		events |= EVENT_KEY;
	if (fds[1].revents)
		events |= EVENT_FD;
	return events;
}

/* Waits for a key, for @fd, a signal or @deadline. Returns the events, or-ed together. */
static unsigned int wait_for(int fd, uint64_t deadline)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	struct timespec timeout = clock_until(deadline);
	int n = ppoll(fds, 2, &timeout, &original_mask);
	unsigned int events = n > 0 ? pending_events(fds) : 0;

	if (ended_by)
		events |= EVENT_CLOSED;
	if (size_changed)
		apply_size();
	return events;
}

/* ---- the loop ---- */

static int sample(struct top *top)
{
	int err = model_sample(top);
	/* Rates need two samples. The second one comes soon, also of a new monitor. */
	bool first = !err && !top->monitor->time_before;

	top->sample_now = false;
	top->deadline = clock_now() + (first ? SHORT_INTERVAL : top->interval);
	return err;
}

static int sample_if_due(struct top *top)
{
	if (top->paused || (!top->sample_now && clock_now() < top->deadline))
		return 0;
	return sample(top);
}

static uint64_t next_time(const struct top *top)
{
	uint64_t deadline = top->paused ? clock_now() + 3600 * SECOND : top->deadline;
	uint64_t until = top->message_until;

	return until > clock_now() && until < deadline ? until : deadline;
}

static int handle_events(struct top *top)
{
	unsigned int events = wait_for(monitor_fd(top->monitor), next_time(top));
	int err = 0;

	if (events & EVENT_CLOSED)
		top->quit = true;
	if (events & EVENT_FD)
		err = model_refresh(top);
	if (!err && !top->quit && (events & EVENT_KEY))
		err = input_read(top);
	if (!err && !top->quit)
		err = sample_if_due(top);
	if (!err && !top->quit)
		draw_screen(top);
	return err;
}

static int loop(struct top *top)
{
	int err = sample(top);

	if (!err)
		draw_screen(top);
	while (!err && !top->quit)
		err = handle_events(top);
	return err;
}

/* ---- start and end ---- */

/* Reads the names of columns in --columns. */
static bool set_columns(struct top *top, const char *at)
{
	top->columns = at ? 0 : DEFAULT_COLUMNS;
	while (at && *at) {
		size_t len = strcspn(at, ",");
		int id = column_of_option(at, len);

		if (id < 0) {
			complain("--columns: no column is named '%.*s'. Run 'kvm-stats top --help' "
				 "for the names.", (int)len, at);
			return false;
		}
		top->columns |= COLUMN_BIT(id);
		at += len + (at[len] == ',');
	}
	return true;
}

static bool set_order(struct top *top, const char *name)
{
	int id = name ? column_of_option(name, strlen(name)) : COLUMN_CPU;

	if (id < 0 || !column_types[id].key) {
		complain("--sort: no column that can be sorted is named '%s'. Run 'kvm-stats top "
			 "--help' for the names.", name);
		return false;
	}
	top->order[PAGE_GUESTS].column = (enum column_id)id;
	top->order[PAGE_PARTS].column = COLUMN_NAME;
	top->order[PAGE_STATISTICS].column = COLUMN_RATE;
	top->order[PAGE_EVENTS].column = COLUMN_RATE;
	top->order[PAGE_MEMBERS].column = COLUMN_RATE;
	top->order[PAGE_HISTOGRAM].column = COLUMN_FROM;
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

static int show(struct top *top)
{
	char buf[128];
	int err;

	draw_colors();
	err = loop(top);
	/* ECANCELED: the error was printed. */
	if (err && err != -ECANCELED)
		complain("cannot read the statistics: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	return err ? STATUS_FAILED : STATUS_OK;
}

int top_run(const struct top_options *options)
{
	static struct top top;	/* too large for the stack */
	int status = STATUS_FAILED;

	top = (struct top){
		.filter = options->filter, .sources = options->sources,
		.interval = options->interval, .kvm_stat = options->kvm_stat,
		.counts_growth = options->kvm_stat && !options->include_past,
		.page[0].kind = options->kvm_stat ? PAGE_EVENTS : PAGE_GUESTS,
	};
	setlocale(LC_CTYPE, "");
	top.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!set_columns(&top, options->columns) || !set_order(&top, options->sort))
		return STATUS_USAGE;
	if (prepare(&top) && begin()) {
		status = show(&top);
		end();
	}
	model_free(&top);
	/* Raise the signal again, so that the parent process sees which signal ended top. */
	if (ended_by && ended_by != SIGINT)
		raise(ended_by);
	return status;
}
