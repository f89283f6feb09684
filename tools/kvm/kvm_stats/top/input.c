// SPDX-License-Identifier: GPL-2.0-only
/* Keys, and the answers to prompts. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "options/number.h"
#include "top/screen.h"

#define ESCAPE		27
#define CONTROL(c)	((c) & 0x1f)
#define FAR		(1l << 30)

/* ---- the line editor of prompts ---- */

void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text)
{
	*prompt = (struct prompt){ .kind = kind };
	snprintf(prompt->text, sizeof(prompt->text), "%s", text);
	prompt->len = strlen(prompt->text);
	prompt->at = prompt->len;
	prompt->initial = true;
}

/* In UTF-8, all bytes of a character except the first have the form 10xxxxxx. */
static bool continues(char byte)
{
	return (byte & 0xc0) == 0x80;
}

static void move_left(struct prompt *prompt)
{
	while (prompt->at && continues(prompt->text[prompt->at - 1]))
		prompt->at--;
	if (prompt->at)
		prompt->at--;
}

static void move_right(struct prompt *prompt)
{
	if (prompt->at < prompt->len)
		prompt->at++;
	while (prompt->at < prompt->len && continues(prompt->text[prompt->at]))
		prompt->at++;
}

/* Removes the bytes from @from to the cursor. */
static void erase_from(struct prompt *prompt, size_t from)
{
	memmove(prompt->text + from, prompt->text + prompt->at, prompt->len - prompt->at + 1);
	prompt->len -= prompt->at - from;
	prompt->at = from;
}

static void erase_before(struct prompt *prompt)
{
	size_t end = prompt->at;
	size_t from;

	move_left(prompt);
	from = prompt->at;
	prompt->at = end;
	erase_from(prompt, from);
}

static void erase_after(struct prompt *prompt)
{
	size_t from = prompt->at;

	move_right(prompt);
	erase_from(prompt, from);
}

static void erase_word(struct prompt *prompt)
{
	size_t from = prompt->at;

	while (from && prompt->text[from - 1] == ' ')
		from--;
	while (from && prompt->text[from - 1] != ' ')
		from--;
	erase_from(prompt, from);
}

static void insert(struct prompt *prompt, int key)
{
	if (key < ' ' || key > 0xff || key == 0x7f)
		return;
	if (prompt->initial)
		erase_from(prompt, 0);
	if (prompt->len + 1 >= sizeof(prompt->text))
		return;
	memmove(prompt->text + prompt->at + 1, prompt->text + prompt->at,
		prompt->len - prompt->at + 1);
	prompt->text[prompt->at++] = (char)key;
	prompt->len++;
}

enum prompt_result prompt_key(struct prompt *prompt, int key)
{
	prompt->error[0] = '\0';
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		return PROMPT_DONE;
	case ESCAPE:
		return PROMPT_CANCELLED;
	case KEY_BACKSPACE:
	case 0x7f:
	case CONTROL('H'):
		erase_before(prompt);
		break;
	case KEY_DC:
	case CONTROL('D'):
		erase_after(prompt);
		break;
	case CONTROL('U'):
		erase_from(prompt, 0);
		break;
	case CONTROL('W'):
		erase_word(prompt);
		break;
	case KEY_LEFT:
		move_left(prompt);
		break;
	case KEY_RIGHT:
		move_right(prompt);
		break;
	case KEY_HOME:
	case CONTROL('A'):
		prompt->at = 0;
		break;
	case KEY_END:
	case CONTROL('E'):
		prompt->at = prompt->len;
		break;
	default:
		insert(prompt, key);
	}
	prompt->initial = false;
	return PROMPT_PENDING;
}

/* ---- the cursor ---- */

static void select_line(struct top *top, size_t at)
{
	struct page *page = top_page(top);

	page->at = at;
	page->selected = at < page->lines ? page->line[at] : NULL;
}

static void move_cursor(struct top *top, long by)
{
	long lines = (long)top_page(top)->lines;
	long at = (long)top_page(top)->at + by;

	if (at >= lines)
		at = lines - 1;
	select_line(top, at > 0 ? (size_t)at : 0);
}

static bool cursor_key(struct top *top, int key)
{
	long height = top->rows > 1 ? top->rows - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_cursor(top, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		move_cursor(top, 1);
		return true;
	case KEY_PPAGE:
		move_cursor(top, -height);
		return true;
	case KEY_NPAGE:
		move_cursor(top, height);
		return true;
	case KEY_HOME:
		move_cursor(top, -FAR);
		return true;
	case KEY_END:
		move_cursor(top, FAR);
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

static int search_again(struct top *top)
{
	if (!*top->search)
		top_message(top, "Press '/' to search.");
	else if (!search(top, top_page(top)->at + 1))
		top_message(top, "No line contains '%s'", top->search);
	return 0;
}

/* ---- prompts ---- */

static int ask(struct top *top, enum prompt_kind kind)
{
	char text[PROMPT_SIZE] = "";

	if (kind == PROMPT_FILTER)
		snprintf(text, sizeof(text), "%s", top->names[top_page(top)->kind].text);
	if (kind == PROMPT_INTERVAL)
		snprintf(text, sizeof(text), "%g", (double)top->interval / SECOND);
	top->search_from = top_page(top)->at;
	prompt_begin(&top->prompt, kind, text);
	return 0;
}

static void drop_filter(struct filter_text *filter)
{
	if (*filter->text)
		regfree(&filter->regex);
	*filter->text = '\0';
}

static int apply_filter(struct top *top)
{
	struct filter_text *filter = &top->names[top_page(top)->kind];
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
	top->prompt.kind = PROMPT_NONE;
	return model_update(top);
}

static int apply_interval(struct top *top)
{
	uint64_t interval;

	if (!parse_seconds("The interval", top->prompt.text, MIN_INTERVAL, &interval)) {
		top_errors(top->prompt.error, sizeof(top->prompt.error));
		top->prompt.error[strcspn(top->prompt.error, "\n")] = '\0';
		return 0;
	}
	top->interval = interval;
	top->deadline = clock_now() + interval;
	top->prompt.kind = PROMPT_NONE;
	return 0;
}

static int apply(struct top *top)
{
	switch (top->prompt.kind) {
	case PROMPT_FILTER:
		return apply_filter(top);
	case PROMPT_INTERVAL:
		return apply_interval(top);
	case PROMPT_SEARCH:
		top->prompt.kind = PROMPT_NONE;
		return 0;
	default:
		return kvm_stat_answer(top);
	}
}

static int prompted_key(struct top *top, int key)
{
	bool searches = top->prompt.kind == PROMPT_SEARCH;

	switch (prompt_key(&top->prompt, key)) {
	case PROMPT_DONE:
		return apply(top);
	case PROMPT_CANCELLED:
		if (searches)
			select_line(top, top->search_from);
		top->prompt.kind = PROMPT_NONE;
		return 0;
	default:
		if (!searches)
			return 0;
		snprintf(top->search, sizeof(top->search), "%s", top->prompt.text);
		select_line(top, top->search_from);
		if (*top->search && !search(top, top->search_from))
			snprintf(top->prompt.error, sizeof(top->prompt.error),
				 "no line contains '%.100s'", top->search);
		return 0;
	}
}

/* ---- pages ---- */

static int go_back(struct top *top)
{
	if (!top->depth) {
		drop_filter(&top->names[top_page(top)->kind]);
		return model_update(top);
	}
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

/* ---- columns ---- */

static int choose_columns(struct top *top)
{
	top->choosing = top_page(top)->kind < PAGE_STATISTICS;
	top->chosen = COLUMN_NAME + 1;
	if (!top->choosing)
		top_message(top, "The columns of this page cannot be changed.");
	return 0;
}

static void choosing_key(struct top *top, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		top->chosen -= top->chosen > COLUMN_NAME + 1;
		break;
	case KEY_DOWN:
	case 'j':
		top->chosen += top->chosen + 1 < TABLE_COLUMNS;
		break;
	case ' ':
		top->columns ^= COLUMN_BIT(top->chosen);
		top->skipped_columns = 0;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_LEFT:
	case ESCAPE:
	case 'c':
	case 'q':
		top->choosing = false;
		break;
	}
}

/* ---- all keys ---- */

static int count_from_now(struct top *top)
{
	top_message(top, "Values count from now on. Press 'i' for values since VM creation.");
	return model_reset(top);
}

static int count_from_creation(struct top *top)
{
	top_message(top, "Values count since the creation of the VM");
	top->counts_growth = false;
	top->has_baselines = false;
	return model_update(top);
}

static int handle_setting(struct top *top, int key)
{
	switch (key) {
	case '/':
		return ask(top, PROMPT_SEARCH);
	case 'c':
		return choose_columns(top);
	case 'f':
		return ask(top, PROMPT_FILTER);
	case 'i':
		return count_from_creation(top);
	case 'n':
		return search_again(top);
	case 'r':
		return count_from_now(top);
	case '\t':
		top->skipped_columns = column_layout_next(table_columns(top),
							  top->skipped_columns, top->width);
		return 0;
	case ' ':
		top->paused = !top->paused;
		top->sample_now = !top->paused;
		return 0;
	case '<':
	case ',':
		table_sort_by_next(top, -1);
		return model_update(top);
	case '>':
	case '.':
		table_sort_by_next(top, 1);
		return model_update(top);
	case '-':
		table_sort_by(top, top->order[top_page(top)->kind].column);
		return model_update(top);
	}
	if (!table_sort_by_key(top, key))
		top_message(top, "This key has no meaning. Press 'h' for help.");
	return model_update(top);
}

static int handle_key(struct top *top, int key)
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
	case 's':
		return ask(top, PROMPT_INTERVAL);
	case 'q':
		top->quit = true;
		return 0;
	case KEY_RESIZE:
		return 0;
	}
	if (cursor_key(top, key))
		return 0;
	return top->kvm_stat ? kvm_stat_key(top, key) : handle_setting(top, key);
}

int input_read(struct top *top)
{
	int err = 0;
	int key;

	while (!err && !top->quit && (key = getch()) != ERR) {
		if (top->help)
			top->help = false;
		else if (top->prompt.kind)
			err = prompted_key(top, key);
		else if (top->choosing)
			choosing_key(top, key);
		else
			err = handle_key(top, key);
	}
	return err;
}
