// SPDX-License-Identifier: GPL-2.0-only
/* Keys, and the answers to prompts. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "top/screen.h"
#include "util.h"

#define ESCAPE		27
#define CONTROL(c)	((c) & 0x1f)
#define FAR		(1l << 30)

/* ---- the line editor of prompts ---- */

void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text)
{
	*prompt = (struct prompt){ .kind = kind, .initial = true };
	snprintf(prompt->text, sizeof(prompt->text), "%s", text);
	prompt->at = strlen(prompt->text);
}

void prompt_reject(struct prompt *prompt)
{
	top_errors(prompt->error, sizeof(prompt->error));
	prompt->error[strcspn(prompt->error, "\n")] = '\0';
}

/* Returns the start of the previous (@by -1) or next (1) character. */
static size_t character_from(const struct prompt *prompt, int by)
{
	size_t at = prompt->at;

	if (by < 0 ? !at : !prompt->text[at])
		return at;
	/* In UTF-8, all bytes of a character except the first have the form 10xxxxxx. */
	do {
		at += (size_t)by;
	} while (at && (prompt->text[at] & 0xc0) == 0x80);
	return at;
}

static void cut(struct prompt *prompt, size_t from, size_t to)
{
	memmove(prompt->text + from, prompt->text + to, strlen(prompt->text + to) + 1);
	prompt->at = from;
}

static size_t start_of_word(const struct prompt *prompt)
{
	size_t from = prompt->at;

	while (from && prompt->text[from - 1] == ' ')
		from--;
	while (from && prompt->text[from - 1] != ' ')
		from--;
	return from;
}

static void insert(struct prompt *prompt, int key)
{
	size_t len;

	if (key < ' ' || key > 0xff)
		return;
	if (prompt->initial)
		cut(prompt, 0, strlen(prompt->text));
	len = strlen(prompt->text);
	if (len + 1 >= sizeof(prompt->text))
		return;
	memmove(prompt->text + prompt->at + 1, prompt->text + prompt->at, len - prompt->at + 1);
	prompt->text[prompt->at++] = (char)key;
}

void prompt_key(struct prompt *prompt, int key)
{
	prompt->error[0] = '\0';
	switch (key) {
	case KEY_BACKSPACE:
	case 0x7f:
	case CONTROL('H'):
		cut(prompt, character_from(prompt, -1), prompt->at);
		break;
	case KEY_DC:
	case CONTROL('D'):
		cut(prompt, prompt->at, character_from(prompt, 1));
		break;
	case CONTROL('U'):
		cut(prompt, 0, prompt->at);
		break;
	case CONTROL('W'):
		cut(prompt, start_of_word(prompt), prompt->at);
		break;
	case KEY_LEFT:
		prompt->at = character_from(prompt, -1);
		break;
	case KEY_RIGHT:
		prompt->at = character_from(prompt, 1);
		break;
	case KEY_HOME:
	case CONTROL('A'):
		prompt->at = 0;
		break;
	case KEY_END:
	case CONTROL('E'):
		prompt->at = strlen(prompt->text);
		break;
	default:
		insert(prompt, key);
	}
	prompt->initial = false;
}

/* ---- the cursor ---- */

static void select_line(struct top *top, size_t at)
{
	struct page *page = top_page(top);

	page->at = at;
	page->selected = at < page->lines ? page->line[at] : NULL;
}

static bool cursor_key(struct top *top, int key)
{
	const struct page *page = top_page(top);
	long height = top->rows > 1 ? top->rows - 1 : 1;
	const struct {
		int key;
		long by;
	} moves[] = {
		{ KEY_UP, -1 }, { 'k', -1 }, { KEY_DOWN, 1 }, { 'j', 1 }, { KEY_PPAGE, -height },
		{ KEY_NPAGE, height }, { KEY_HOME, -FAR }, { KEY_END, FAR },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		long at = (long)page->at + moves[i].by;

		if (moves[i].key != key)
			continue;
		if (at >= (long)page->lines)
			at = (long)page->lines - 1;
		select_line(top, at > 0 ? (size_t)at : 0);
		return true;
	}
	return false;
}

/*
 * Moves the cursor to the next line whose name contains the text, regardless of case, from line
 * @from on. Returns false if no line does.
 */
static bool search(struct top *top, size_t from)
{
	const struct page *page = top_page(top);
	size_t i;

	for (i = 0; *top->search && i < page->lines; i++) {
		size_t at = (from + i) % page->lines;

		if (strcasestr(page->line[at]->name, top->search)) {
			select_line(top, at);
			return true;
		}
	}
	return false;
}

static void search_again(struct top *top)
{
	if (!*top->search)
		top_message(top, "Press '/' to search.");
	else if (!search(top, top_page(top)->at + 1))
		top_message(top, "No line contains '%s'", top->search);
}

/* ---- prompts ---- */

static void ask(struct top *top, enum prompt_kind kind)
{
	char text[PROMPT_SIZE] = "";

	if (kind == PROMPT_FILTER)
		snprintf(text, sizeof(text), "%s", top->names[top_page(top)->kind]);
	if (kind == PROMPT_INTERVAL)
		snprintf(text, sizeof(text), "%g", (double)top->interval / SECOND);
	top->search_from = top_page(top)->at;
	prompt_begin(&top->prompt, kind, text);
}

static int apply_filter(struct top *top)
{
	struct prompt *prompt = &top->prompt;
	regex_t regex;
	int err = regcomp(&regex, prompt->text, NAME_FILTER);

	if (err) {
		regerror(err, &regex, prompt->error, sizeof(prompt->error));
		return 0;
	}
	regfree(&regex);
	snprintf(top->names[top_page(top)->kind], PROMPT_SIZE, "%s", prompt->text);
	prompt->kind = PROMPT_NONE;
	return model_update(top);
}

static int apply(struct top *top)
{
	switch (top->prompt.kind) {
	case PROMPT_FILTER:
		return apply_filter(top);
	case PROMPT_INTERVAL:
		if (!parse_seconds("The interval", top->prompt.text, MIN_INTERVAL,
				   &top->interval)) {
			prompt_reject(&top->prompt);
			return 0;
		}
		top->deadline = clock_now() + top->interval;
		break;
	case PROMPT_SEARCH:
		break;
	default:
		return kvm_stat_answer(top);
	}
	top->prompt.kind = PROMPT_NONE;
	return 0;
}

static int prompted_key(struct top *top, int key)
{
	bool searches = top->prompt.kind == PROMPT_SEARCH;

	if (key == '\r' || key == '\n' || key == KEY_ENTER)
		return apply(top);
	if (key == ESCAPE)
		top->prompt.kind = PROMPT_NONE;
	else
		prompt_key(&top->prompt, key);
	if (!searches)
		return 0;
	select_line(top, top->search_from);
	if (!top->prompt.kind)
		return 0;
	snprintf(top->search, sizeof(top->search), "%s", top->prompt.text);
	if (*top->search && !search(top, top->search_from))
		snprintf(top->prompt.error, sizeof(top->prompt.error),
			 "no line contains '%.100s'", top->search);
	return 0;
}

/* ---- pages ---- */

static int go_back(struct top *top)
{
	if (!top->depth)
		*top->names[top_page(top)->kind] = '\0';
	else
		model_pop(top);
	/* In kvm_stat's view, pages can be deep. */
	while (top->kvm_stat && top->depth && page_has_ended(top, top_page(top)))
		model_pop(top);
	return model_update(top);
}

static int open_line(struct top *top)
{
	struct page *page = top_page(top);
	const struct line *line = page->at < page->lines ? page->line[page->at] : NULL;
	bool one_guest;

	if (!line || page->kind == PAGE_HISTOGRAM)
		return 0;
	if (top->kvm_stat)
		return kvm_stat_open(top, line);
	if (page->kind == PAGE_STATISTICS) {
		if (line->group == GROUP_HISTOGRAMS)
			return model_push(top, PAGE_HISTOGRAM, &page->scope, line->stat);
		top_message(top, "Only histograms can be opened.");
		return 0;
	}
	/* The machine as a whole has no vCPUs, only tracepoints. */
	one_guest = page->kind == PAGE_GUESTS && !line->sum && line->scope.key;
	return model_push(top, one_guest ? PAGE_PARTS : PAGE_STATISTICS, &line->scope, "");
}

/* ---- keys ---- */

/* In the list of columns */
static int choosing_key(struct top *top, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		top->chosen -= top->chosen > FIRST_CHOICE;
		break;
	case KEY_DOWN:
	case 'j':
		top->chosen += top->chosen < LAST_CHOICE;
		break;
	case ' ':
		top->columns ^= COLUMN_BIT(top->chosen);
		top->skipped_columns = 0;
		return model_update(top);
	default:
		top->choosing = false;
	}
	return 0;
}

static int table_key(struct top *top, int key)
{
	switch (key) {
	case '/':
		ask(top, PROMPT_SEARCH);
		return 0;
	case 'c':
		top->choosing = top_page(top)->kind < PAGE_STATISTICS;
		top->chosen = FIRST_CHOICE;
		if (!top->choosing)
			top_message(top, "The columns of this page cannot be changed.");
		return 0;
	case 'f':
		ask(top, PROMPT_FILTER);
		return 0;
	case 'n':
		search_again(top);
		return 0;
	case '\t':
		top->skipped_columns = column_layout_next(table_columns(top),
							  top->skipped_columns, top->width);
		break;
	case ' ':
		top->paused = !top->paused;
		top->sample_now = !top->paused;
		return 0;
	case '<':
	case ',':
		table_sort_by_next(top, -1);
		break;
	case '>':
	case '.':
		table_sort_by_next(top, 1);
		break;
	case '-':
		table_sort_by(top, top->order[top_page(top)->kind].column);
		break;
	default:
		if (!table_sort_by_key(top, key))
			top_message(top, "This key has no meaning. Press 'h' for help.");
	}
	return model_update(top);
}

static int page_key(struct top *top, int key)
{
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		return open_line(top);
	case KEY_LEFT:
	case KEY_BACKSPACE:
	case 0x7f:
	case ESCAPE:
		return go_back(top);
	case 'h':
	case '?':
		top->help = true;
		return 0;
	case 'i':
		top->counts_growth = top->kvm_stat && !top->counts_growth;
		top_message(top, top->counts_growth ?
			    "Totals since the start of top or the last reset" :
			    "Values since the creation of the VM");
		return model_update(top);
	case 'r':
		top_message(top, "Values count from now on. "
			    "Press 'i' for values since VM creation.");
		return model_reset(top);
	case 's':
		ask(top, PROMPT_INTERVAL);
		return 0;
	case 'q':
		top->quit = true;
		return 0;
	}
	if (cursor_key(top, key))
		return 0;
	return top->kvm_stat ? kvm_stat_key(top, key) : table_key(top, key);
}

/* curses already uses the new size. What was drawn before SIGWINCH can be anywhere. */
static int resize(struct top *top)
{
	clearok(curscr, TRUE);
	top->width = COLS;
	top->skipped_columns = 0;
	return model_update(top);
}

int input_read(struct top *top)
{
	int err = 0;
	int key;

	while (!err && !top->quit && (key = getch()) != ERR) {
		if (key == KEY_RESIZE)
			err = resize(top);
		else if (top->help)
			top->help = false;
		else if (top->prompt.kind)
			err = prompted_key(top, key);
		else if (top->choosing)
			err = choosing_key(top, key);
		else
			err = page_key(top, key);
	}
	if (top->prompt.kind != PROMPT_GUEST) {
		monitor_close(top->choices);
		top->choices = NULL;
	}
	return err;
}
