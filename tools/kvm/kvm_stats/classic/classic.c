// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/output.h"
#include "classic/classic.h"
#include "classic/keys.h"
#include "classic/screen.h"
#include "classic/state.h"
#include "classic/watch.h"
#include "messages/require.h"
#include "options/status.h"
#include "top/draw.h"
#include "top/terminal.h"
#include "top/text.h"

#define SHORT_INTERVAL		(SECOND / 4)

/* ---- the loop ---- */

/* After a start or a change of the filter, the first rates appear after a short interval. */
static void shorten_interval(struct classic *classic)
{
	if (classic->short_interval)
		classic->deadline = clock_now() + SHORT_INTERVAL;
	classic->short_interval = false;
}

static int sample_if_due(struct classic *classic)
{
	int err;

	shorten_interval(classic);
	if (!classic->sample_now && clock_now() < classic->deadline)
		return 0;
	classic->sample_now = false;
	err = watch_sample(classic);
	classic->deadline = clock_now() + classic->options->delay;
	shorten_interval(classic);
	return err;
}

static uint64_t next_time(const struct classic *classic)
{
	uint64_t until = classic->message_until;

	return until > clock_now() && until < classic->deadline ? until : classic->deadline;
}

static int handle_events(struct classic *classic)
{
	unsigned int events = terminal_wait(monitor_fd(classic->monitor), next_time(classic));
	int err = 0;

	if (events & TERMINAL_CLOSED)
		classic->quit = true;
	if (events & TERMINAL_FD)
		err = watch_ended(classic);
	if (!err && !classic->quit && (events & TERMINAL_KEY))
		err = keys_read(classic);
	if (!err && !classic->quit)
		err = sample_if_due(classic);
	if (!err && !classic->quit)
		screen_draw(classic);
	return err;
}

static int loop(struct classic *classic)
{
	int err = watch_sample(classic);

	classic->deadline = clock_now() + classic->options->delay;
	classic->short_interval = true;
	shorten_interval(classic);
	if (!err)
		screen_draw(classic);
	while (!err && !classic->quit)
		err = handle_events(classic);
	return err;
}

/* ---- start and end ---- */

/* Without a VM, top waits for one. A PID or guest that the user named must exist. */
static bool prepare(struct classic *classic)
{
	const struct filter *filter = &classic->options->filter;

	if (!watch_open(classic))
		return false;
	return !filter_names_vmms(filter) || require_statistics(classic->monitor);
}

static int show(struct classic *classic)
{
	char buf[128];
	int err;

	draw_colors();
	err = loop(classic);
	if (err && err != -ECANCELED)
		complain("cannot read the statistics: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	return err ? STATUS_FAILED : STATUS_OK;
}

static void free_all(struct classic *classic)
{
	watch_close(classic);
	view_free(&classic->view);
	bars_free(&classic->bars);
	guests_free(&classic->guests);
}

int classic_run(struct kvm_stat_options *options)
{
	struct classic classic = { .options = options, .include_past = options->include_past };
	int status = STATUS_FAILED;

	setlocale(LC_CTYPE, "");
	classic.utf8 = text_is_utf8();
	if (prepare(&classic) && terminal_begin()) {
		status = show(&classic);
		terminal_end();
	}
	free_all(&classic);
	/* Raise the signal again, so that the parent process sees which signal ended top. */
	if (terminal_signal() && terminal_signal() != SIGINT)
		raise(terminal_signal());
	return status;
}
