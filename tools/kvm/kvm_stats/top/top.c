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

int top_run(const struct top_options *options)
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
