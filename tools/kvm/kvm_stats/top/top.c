// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/output.h"
#include "messages/require.h"
#include "options/status.h"
#include "top/draw.h"
#include "top/keys.h"
#include "top/screen.h"
#include "top/state.h"
#include "top/terminal.h"
#include "top/text.h"
#include "top/top.h"
#include "top/watch.h"

#define SHORT_INTERVAL		(SECOND / 4)

/* ---- the loop ---- */

/* After a start or a change of the filter, the first rates appear after a short interval. */
static void shorten_interval(struct top *top)
{
	if (top->short_interval)
		top->deadline = clock_now() + SHORT_INTERVAL;
	top->short_interval = false;
}

static int sample_if_due(struct top *top)
{
	int err;

	shorten_interval(top);
	if (!top->sample_now && clock_now() < top->deadline)
		return 0;
	top->sample_now = false;
	err = watch_sample(top);
	top->deadline = clock_now() + top->options->delay;
	shorten_interval(top);
	return err;
}

static uint64_t next_time(const struct top *top)
{
	bool message = top->message_until > clock_now() && top->message_until < top->deadline;

	return message ? top->message_until : top->deadline;
}

static int handle_events(struct top *top)
{
	unsigned int events = terminal_wait(monitor_fd(top->monitor), next_time(top));
	int err = 0;

	if (events & TERMINAL_CLOSED)
		top->quit = true;
	if (events & TERMINAL_FD)
		err = watch_ended(top);
	if (!err && !top->quit && (events & TERMINAL_KEY))
		err = keys_read(top);
	if (!err && !top->quit)
		err = sample_if_due(top);
	if (!err && !top->quit)
		screen_draw(top);
	return err;
}

static int loop(struct top *top)
{
	int err = watch_sample(top);

	top->deadline = clock_now() + top->options->delay;
	top->short_interval = true;
	shorten_interval(top);
	if (!err)
		screen_draw(top);
	while (!err && !top->quit)
		err = handle_events(top);
	return err;
}

/* ---- start and end ---- */

/* Without a VM, top waits for one. A PID or guest that the user named must exist. */
static bool prepare(struct top *top)
{
	const struct filter *filter = &top->options->filter;

	if (!watch_open(top))
		return false;
	return !filter_names_vmms(filter) || require_statistics(top->monitor);
}

static int show(struct top *top)
{
	char buf[128];
	int err;

	draw_colors();
	err = loop(top);
	if (err && err != -ECANCELED)
		complain("cannot read the statistics: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	return err ? STATUS_FAILED : STATUS_OK;
}

static void free_all(struct top *top)
{
	watch_close(top);
	view_free(&top->view);
	bars_free(&top->bars);
	guests_free(&top->guests);
}

int top_run(struct kvm_stat_options *options)
{
	struct top top = { .options = options, .include_past = options->include_past };
	int status = STATUS_FAILED;

	setlocale(LC_CTYPE, "");
	top.utf8 = text_is_utf8();
	if (prepare(&top) && terminal_begin()) {
		status = show(&top);
		terminal_end();
	}
	free_all(&top);
	/* Raise the signal again, so that the parent process sees which signal ended top. */
	if (terminal_signal() && terminal_signal() != SIGINT)
		raise(terminal_signal());
	return status;
}
