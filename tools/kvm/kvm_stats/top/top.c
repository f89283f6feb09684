// SPDX-License-Identifier: GPL-2.0-only
/* The loop of top: samples, draws, waits, and handles keys. */
#include <locale.h>

#include "notice.h"
#include "top/screen.h"
#include "top/top.h"
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

/* The options --columns and --sort. Returns false with a message. */
static bool choose(struct view *view, const char *columns, const char *sort, struct message *why)
{
	view->order[PAGE_STATISTICS].column = COLUMN_RATE;
	view->order[PAGE_HISTOGRAM].column = COLUMN_BAR;
	return table_choose(&view->table, columns, why) &&
	       order_parse(&view->order[PAGE_GUESTS], sort ? sort : "cpu", why);
}

/* Without a VM, top waits for one. A PID or guest that the user named must exist. */
static bool start(struct view *view, const struct top_options *options, struct message *why)
{
	const struct monitor_options monitor = {
		.filter = options->filter, .exits = options->exits,
		.switches = options->switches, .from = options->from, .replay = options->replay,
	};

	return view_open(view, &monitor, why) &&
	       check_selected(view->sampler.monitor, why) && screen_open(why);
}

int top_run(const struct top_options *options)
{
	static struct view view;	/* too large for the stack */
	struct message why = { 0 };

	if (!choose(&view, options->columns, options->sort, &why)) {
		message_print(&why);
		return STATUS_USAGE;
	}
	setlocale(LC_CTYPE, "");
	view.interval = options->interval;
	if (start(&view, options, &view.failure))
		run_until_quit(&view);
	screen_close();
	message_print(&view.failure);
	view_close(&view);
	screen_raise();
	return *view.failure.what ? STATUS_FAILED : STATUS_OK;
}
