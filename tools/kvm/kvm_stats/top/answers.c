// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "options/number.h"
#include "top/answers.h"
#include "top/cursor.h"
#include "top/samples.h"
#include "top/terminal.h"

#define MIN_INTERVAL	0.1

static struct filter_text *filter_of(struct top *top)
{
	return &top->filter[top_page(top)->kind];
}

void answers_ask(struct top *top, enum prompt_kind kind)
{
	char interval[32];

	snprintf(interval, sizeof(interval), "%g", (double)top->options->interval / SECOND);
	switch (kind) {
	case PROMPT_FILTER:
		prompt_begin(&top->prompt, kind, filter_of(top)->text);
		break;
	case PROMPT_INTERVAL:
		prompt_begin(&top->prompt, kind, interval);
		break;
	default:
		top->search_from = top_page(top)->at;
		prompt_begin(&top->prompt, kind, "");
	}
}

/* ---- the filter ---- */

static void drop_filter(struct filter_text *filter)
{
	if (*filter->text)
		regfree(&filter->regex);
	*filter->text = '\0';
}

int answers_clear_filter(struct top *top)
{
	drop_filter(filter_of(top));
	return samples_update_page(top);
}

static int apply_filter(struct top *top)
{
	struct filter_text *filter = filter_of(top);
	const char *text = top->prompt.text;
	regex_t regex;
	int err = *text ? regcomp(&regex, text, REG_EXTENDED | REG_ICASE | REG_NOSUB) : 0;

	if (err) {
		regerror(err, &regex, top->prompt.error, sizeof(top->prompt.error));
		return 0;
	}
	drop_filter(filter);
	if (*text) {
		filter->regex = regex;
		snprintf(filter->text, sizeof(filter->text), "%s", text);
	}
	prompt_end(&top->prompt);
	return samples_update_page(top);
}

/* ---- the interval ---- */

static int apply_interval(struct top *top)
{
	uint64_t interval;

	if (!parse_seconds("The interval", top->prompt.text, MIN_INTERVAL, &interval)) {
		terminal_errors(top->prompt.error, sizeof(top->prompt.error));
		top->prompt.error[strcspn(top->prompt.error, "\n")] = '\0';
		return 0;
	}
	top->options->interval = interval;
	top->deadline = clock_now() + interval;
	prompt_end(&top->prompt);
	return 0;
}

/* ---- the search ---- */

static void search(struct top *top)
{
	snprintf(top->search, sizeof(top->search), "%s", top->prompt.text);
	top_page(top)->at = top->search_from;
	if (*top->search && !cursor_search(top, top->search_from))
		snprintf(top->prompt.error, sizeof(top->prompt.error), "no line contains '%.100s'",
			 top->search);
}

static int apply(struct top *top)
{
	switch (top->prompt.kind) {
	case PROMPT_FILTER:
		return apply_filter(top);
	case PROMPT_INTERVAL:
		return apply_interval(top);
	default:
		prompt_end(&top->prompt);
		return 0;
	}
}

int answers_key(struct top *top, int key)
{
	bool searches = top->prompt.kind == PROMPT_SEARCH;

	switch (prompt_key(&top->prompt, key)) {
	case PROMPT_DONE:
		return apply(top);
	case PROMPT_CANCELLED:
		if (searches)
			top_page(top)->at = top->search_from;
		prompt_end(&top->prompt);
		return 0;
	default:
		if (searches)
			search(top);
		return 0;
	}
}
