// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "top/screen.h"
#include "top/view.h"
#include "util.h"

#define ESCAPE		27
#define CONTROL(c)	((c) & 0x1f)

/* ---- the text of prompts: it is edited at its end only ---- */

void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text)
{
	*prompt = (struct prompt){ .kind = kind, .initial = true };
	snprintf(prompt->text, sizeof(prompt->text), "%s", text);
}

void prompt_key(struct prompt *prompt, int key)
{
	char *text = prompt->text;
	size_t len = strlen(text);

	*prompt->error.what = '\0';
	if (key == KEY_BACKSPACE || key == 0x7f || key == CONTROL('H')) {
		/* In UTF-8, all bytes of a character except the first have the form 10xxxxxx. */
		while (len && (text[--len] & 0xc0) == 0x80)
			;
	} else if (key == CONTROL('U')) {
		len = 0;
	} else if (key >= ' ' && key <= 0xff) {
		if (prompt->initial)
			len = 0;
		if (len + 1 < sizeof(prompt->text))
			text[len++] = (char)key;
	}
	text[len] = '\0';
	prompt->initial = false;
}

/* ---- prompts ---- */

static void open_prompt(struct view *view, enum prompt_kind kind)
{
	const struct page *page = view_page(view);
	char text[PROMPT_SIZE] = "";

	if (kind == PROMPT_FILTER)
		snprintf(text, sizeof(text), "%s", view->names[page->kind]);
	if (kind == PROMPT_INTERVAL)
		snprintf(text, sizeof(text), "%g", (double)view->interval / SECOND);
	prompt_begin(&view->prompt, kind, text);
	view->prompt.from = page->at;
}

static bool apply_filter(struct view *view)
{
	struct prompt *prompt = &view->prompt;
	char reason[PROMPT_SIZE];
	regex_t regex;
	int err = regcomp(&regex, prompt->text, NAME_FILTER);

	if (err) {
		regerror(err, &regex, reason, sizeof(reason));
		return message_set(&prompt->error, "%s", reason);
	}
	regfree(&regex);
	snprintf(view->names[view_page(view)->kind], PROMPT_SIZE, "%s", prompt->text);
	view_update(view);
	return true;
}

static bool apply_interval(struct view *view)
{
	if (!parse_seconds("The interval", view->prompt.text, MIN_INTERVAL, &view->interval,
			   &view->prompt.error))
		return false;
	view->deadline = clock_now() + view->interval;
	return true;
}

static void apply_answer(struct view *view)
{
	enum prompt_kind kind = view->prompt.kind;
	bool good = kind == PROMPT_FILTER ? apply_filter(view) :
		    kind == PROMPT_INTERVAL ? apply_interval(view) : true;

	if (good)
		view->prompt.kind = PROMPT_NONE;
}

/* Searches from where the cursor was before the prompt. */
static void search_while_typing(struct view *view)
{
	struct prompt *prompt = &view->prompt;

	snprintf(view->search, sizeof(view->search), "%s", prompt->text);
	if (*view->search && !page_search(view_page(view), view->search, prompt->from))
		message_set(&prompt->error, "no line contains '%.100s'", view->search);
}

static void prompted_key(struct view *view, int key)
{
	struct prompt *prompt = &view->prompt;
	bool searches = prompt->kind == PROMPT_SEARCH;

	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		apply_answer(view);
		return;
	}
	if (key == ESCAPE)
		prompt->kind = PROMPT_NONE;
	else
		prompt_key(prompt, key);
	if (!searches)
		return;
	page_select(view_page(view), (long)prompt->from);
	if (prompt->kind)
		search_while_typing(view);
}

static void search_again(struct view *view)
{
	struct page *page = view_page(view);

	if (!*view->search)
		view_notice(view, "Press '/' to search.");
	else if (!page_search(page, view->search, page->at + 1))
		view_notice(view, "No line contains '%s'", view->search);
}

/* ---- keys ---- */

/* In the list of columns */
static void choosing_key(struct view *view, int key)
{
	enum column_id *column = &view->prompt.column;

	switch (key) {
	case KEY_UP:
		*column -= *column > FIRST_CHOICE;
		break;
	case KEY_DOWN:
		*column += *column < LAST_CHOICE;
		break;
	case ' ':
		view->table.columns ^= COLUMN_BIT(*column);
		view->table.skipped = 0;
		break;
	default:
		view->prompt.kind = PROMPT_NONE;
	}
}

static void order_key(struct view *view, int key)
{
	const struct page *page = view_page(view);
	struct order *order = &view->order[page->kind];

	if (key == '<' || key == '>')
		order_by_next(order, &view->table, page, key == '<' ? -1 : 1);
	else if (key == '-')
		order_by(order, order->column);
	else if (!order_by_key(order, &view->table, page, key))
		view_notice(view, "This key has no meaning. Press 'h' for help.");
	view_update(view);
}

static bool has_new_verdict(const struct page *page)
{
	size_t i;

	for (i = 0; i < page->lines; i++) {
		if (page->line[i]->new_verdict && !*page->line[i]->scope.label)
			return true;
	}
	return false;
}

/* Shows the next sample that has another verdict on a guest. Each key or signal ends the search. */
static void next_verdict(struct view *view)
{
	const struct monitor *monitor = view->sampler.monitor;
	size_t step = view->step;
	int key = ERR;
	uint64_t wall;

	if (view_page(view)->kind >= PAGE_STATISTICS) {
		view_notice(view, "This page has no verdicts. Press Left for one that has.");
		return;
	}
	view->step = 1;
	do {
		wall = monitor->wall;
		view_sample(view);
	} while (!view->quit && monitor->wall != wall && screen_wait(0) &&
		 (key = getch()) == ERR && !has_new_verdict(view_page(view)));
	view->step = step;
	/* The new size of the screen is still to be used. */
	if (key == KEY_RESIZE)
		ungetch(key);
	if (monitor->wall == wall)
		view_notice(view, "No later sample has another verdict.");
}

#define MAX_STEP	4096

/* Most keys are those of mpv. Returns whether the key has a meaning for recordings. */
static bool replay_key(struct view *view, int key)
{
	switch (key) {
	case '.':
		view_sample(view);
		return true;
	case ',':
		view_back(view);
		return true;
	case 'v':
		next_verdict(view);
		return true;
	case ']':
		view->step = view->step < MAX_STEP ? 2 * view->step : MAX_STEP;
		return true;
	case '[':
		view->step = view->step > 1 ? view->step / 2 : 1;
		return true;
	default:
		return false;
	}
}

static void table_key(struct view *view, int key)
{
	switch (key) {
	case '/':
		open_prompt(view, PROMPT_SEARCH);
		break;
	case 'c':
		if (view_page(view)->kind < PAGE_STATISTICS)
			view->prompt = (struct prompt){ PROMPT_COLUMNS, .column = FIRST_CHOICE };
		else
			view_notice(view, "The columns of this page cannot be changed.");
		break;
	case 'f':
		open_prompt(view, PROMPT_FILTER);
		break;
	case 'n':
		search_again(view);
		break;
	case '\t':
		table_skip(&view->table, view_page(view), COLS);
		break;
	case ' ':
		view->paused = !view->paused;
		view->deadline = 0;
		break;
	default:
		if (!view->sampler.monitor->replay || !replay_key(view, key))
			order_key(view, key);
	}
}

/* Returns whether the key moves the cursor. */
static bool cursor_key(struct page *page, int key, int rows)
{
	long at = (long)page->at, height = rows > 1 ? rows - 1 : 1;

	switch (key) {
	case KEY_UP:
		page_select(page, at - 1);
		return true;
	case KEY_DOWN:
		page_select(page, at + 1);
		return true;
	case KEY_PPAGE:
		page_select(page, at - height);
		return true;
	case KEY_NPAGE:
		page_select(page, at + height);
		return true;
	case KEY_HOME:
		page_select(page, 0);
		return true;
	case KEY_END:
		page_select(page, (long)page->lines);
		return true;
	default:
		return false;
	}
}

static void page_key(struct view *view, int key)
{
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		view_enter(view);
		break;
	case KEY_LEFT:
	case KEY_BACKSPACE:
	case 0x7f:
	case ESCAPE:
		view_leave(view);
		break;
	case 'h':
	case '?':
		view->prompt.kind = PROMPT_HELP;
		break;
	case 'i':
		view->sampler.counts_growth = false;
		view_notice(view, "Values since the creation of the VM");
		view_update(view);
		break;
	case 'r':
		view_notice(view, "Values count from now on. "
			    "Press 'i' for values since VM creation.");
		view_reset(view);
		break;
	case 's':
		open_prompt(view, PROMPT_INTERVAL);
		break;
	case 'q':
		view->quit = true;
		break;
	default:
		table_key(view, key);
	}
}

static void pressed_key(struct view *view, int key, int rows)
{
	if (key == KEY_RESIZE) {
		/* curses already uses the new size. What was drawn before is anywhere. */
		clearok(curscr, TRUE);
		view->table.skipped = 0;
	} else if (view->prompt.kind == PROMPT_HELP) {
		view->prompt.kind = PROMPT_NONE;
	} else if (view->prompt.kind == PROMPT_COLUMNS) {
		choosing_key(view, key);
	} else if (view->prompt.kind) {
		prompted_key(view, key);
	} else if (!cursor_key(view_page(view), key, rows)) {
		page_key(view, key);
	}
}

void input_read(struct view *view, int rows)
{
	int key;

	while (!view->quit && (key = getch()) != ERR)
		pressed_key(view, key, rows);
}
