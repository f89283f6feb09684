// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
#include "messages/require.h"
#include "options/status.h"
#include "top/draw.h"
#include "top/keys.h"
#include "top/samples.h"
#include "top/screen.h"
#include "top/state.h"
#include "top/terminal.h"
#include "top/text.h"
#include "top/top.h"

#define SHORT_INTERVAL	(SECOND / 4)

/* ---- the loop ---- */

static int sample(struct top *top)
{
	bool first = !top->monitor->time;
	int err = samples_read(top);

	top->sample_now = false;
	/* Rates need two samples. The second one comes soon. */
	top->deadline = clock_now() + (first ? SHORT_INTERVAL : top->options->interval);
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
	unsigned int events = terminal_wait(monitor_fd(top->monitor), next_time(top));
	int err = 0;

	if (events & TERMINAL_CLOSED)
		top->quit = true;
	if (events & TERMINAL_FD)
		err = samples_refresh(top);
	if (!err && !top->quit && (events & TERMINAL_KEY))
		err = top_read_keys(top);
	if (!err && !top->quit)
		err = sample_if_due(top);
	if (!err && !top->quit)
		top_draw(top);
	return err;
}

static int loop(struct top *top)
{
	int err = sample(top);

	if (!err)
		top_draw(top);
	while (!err && !top->quit)
		err = handle_events(top);
	return err;
}

/* ---- start and end ---- */

/* Reads the names of columns in --columns. */
static bool set_columns(struct top *top)
{
	const char *at = top->options->columns;

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

static bool set_order(struct top *top)
{
	const char *name = top->options->sort;
	int id = name ? column_of_option(name, strlen(name)) : COLUMN_CPU;

	if (id < 0 || !column_types[id].key) {
		complain("--sort: no column that can be sorted is named '%s'. Run 'kvm-stats top "
			 "--help' for the names.", name);
		return false;
	}
	top->order[PAGE_GUESTS].column = (enum column_id)id;
	top->order[PAGE_PARTS].column = COLUMN_NAME;
	top->stat_order.column = STAT_RATE;
	return true;
}

/* Without a VM, top waits for one. A PID or guest that the user named must exist. */
static bool prepare(struct top *top)
{
	if (!samples_open(top))
		return false;
	return !filter_names_vmms(&top->options->filter) || require_vmms(top->monitor);
}

static int show(struct top *top)
{
	char buf[128];
	int err;

	draw_colors();
	err = loop(top);
	if (err)
		complain("cannot read the statistics: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	return err ? STATUS_FAILED : STATUS_OK;
}

static void free_all(struct top *top)
{
	size_t i;

	activities_free(&top->activities);
	samples_close(top);
	table_free(&top->table);
	stat_lines_free(&top->stats);
	bars_free(&top->bars);
	for (i = 0; i < PAGES; i++) {
		if (*top->filter[i].text)
			regfree(&top->filter[i].regex);
	}
}

static int run(struct top *top)
{
	int status = STATUS_FAILED;

	if (prepare(top) && terminal_begin()) {
		status = show(top);
		terminal_end();
	}
	free_all(top);
	/* Raise the signal again, so that the parent process sees which signal ended top. */
	if (terminal_signal() && terminal_signal() != SIGINT)
		raise(terminal_signal());
	return status;
}

int top_run(struct top_options *options)
{
	struct top top = { .options = options };

	setlocale(LC_CTYPE, "");
	top.utf8 = text_is_utf8();
	if (!set_columns(&top) || !set_order(&top))
		return STATUS_USAGE;
	return run(&top);
}
