// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats top: its options, and the loop, which samples, draws, waits, and handles keys. */
#include <locale.h>
#include <stddef.h>

#include "model.h"
#include "notice.h"
#include "options.h"
#include "top/top.h"
#include "util.h"

struct top_options {
	struct monitor_options monitor;	/* what the user has selected */
	uint64_t interval;	/* in ns */
	const char *columns;	/* names of columns, separated by commas; NULL: the usual ones */
	const char *sort;	/* name of a column */
};

#ifdef HAVE_CURSES
#include "top/screen.h"
#include "top/view.h"

static uint64_t next_time(const struct view *view)
{
	uint64_t deadline = view->paused ? clock_now() + 3600 * SECOND : view->deadline;
	uint64_t until = view->notice.until;

	return until > clock_now() && until < deadline ? until : deadline;
}

static void run_until_quit(struct view *view)
{
	while (!view->quit) {
		struct drawn drawn = draw_view(view);

		view_page(view)->first = drawn.first;
		if (!screen_wait(next_time(view)))
			return;
		/* After SIGWINCH, curses returns a key. */
		input_read(view, drawn.rows);
		if (!view->quit && !view->paused && clock_now() >= view->deadline)
			view_sample(view);
	}
}

static int run(const struct top_options *options)
{
	/* It is too large for the stack. */
	static struct view view = {
		.order[PAGE_STATISTICS].column = COLUMN_RATE,
		.order[PAGE_HISTOGRAM].column = COLUMN_BAR,
	};
	struct message *why = &view.failure;

	if (!table_choose(&view.table, options->columns, why) ||
	    !order_parse(&view.order[PAGE_GUESTS], options->sort, why)) {
		message_print(why);
		return STATUS_USAGE;
	}
	setlocale(LC_CTYPE, "");
	view.interval = options->interval;
	/* Without a VM, top waits for one. A PID or guest that the user named must exist. */
	if (view_open(&view, options->monitor, why) &&
	    check_selected(view.sampler.monitor, why) && screen_open(why))
		run_until_quit(&view);
	screen_close();
	message_print(why);
	view_close(&view);
	screen_raise();
	return *why->what ? STATUS_FAILED : STATUS_OK;
}
#else
static int run(const struct top_options *options)
{
	complain("top is not available: this kvm-stats was built without ncurses. Use 'kvm-stats "
		 "log', or build kvm-stats again with ncurses (Debian: libncurses-dev).");
	return STATUS_FAILED;
}
#endif

/* ---- the command ---- */

enum {
	OPTION_COLUMNS = FIRST_LONG_OPTION,
	OPTION_SORT,
};

static const char usage[] =
	"Usage: kvm-stats top [OPTION]...\n"
	"\n"
	"Shows what the guests of this host do: a line for each guest, with its use of\n"
	"CPUs, exits, page faults and memory. Press 'h' there for a list of the keys.\n"
	"\n";

#define MEMBER(member)	offsetof(struct top_options, member)

static const struct command_option table[] = {
	{ 'i', "interval", "SEC", "interval in seconds (default: 3)",
	  .kind = OPTION_SECONDS, .member = MEMBER(interval), .min = MIN_INTERVAL },
	EXITS_OPTION(MEMBER(monitor.exits)), SWITCHES_OPTION(MEMBER(monitor.switches)),
	FROM_OPTION(MEMBER(monitor.from)),
	AT_OPTION(MEMBER(monitor.replay)), SINCE_OPTION(MEMBER(monitor.replay)),
	UNTIL_OPTION(MEMBER(monitor.replay)), DIR_OPTION(MEMBER(monitor.replay)),
	{ OPTION_SORT, "sort", "COLUMN", "sort the guests by this column (default: cpu)",
	  .kind = OPTION_TEXT, .member = MEMBER(sort) },
	{ OPTION_COLUMNS, "columns", "LIST",
	  "show only these columns, for example cpu,exits: pid,\n"
	  "vcpus, state, cpu, guest, kernel, vmm, halted, waiting,\n"
	  "throttled, exits, verdict, history, kinds, polls, faults,\n"
	  "memory",
	  .kind = OPTION_TEXT, .member = MEMBER(columns) },
	{ 0 },
};

int command_top(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "top", .usage = usage, .table = table,
	};
	struct filter filter = { 0 };
	struct top_options options = {
		.monitor.filter = &filter, .interval = 3 * SECOND, .sort = "cpu",
	};
	int status = options_parse(argc, argv, &accepted, &options, &filter);

	if (status < 0)
		status = run(&options);
	filter_free(&filter);
	return status;
}
