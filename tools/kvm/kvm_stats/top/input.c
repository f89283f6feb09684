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

	prompt->error[0] = '\0';
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

/* ---- the cursor ---- */

static void select_line(struct top *top, long at)
{
	struct page *page = top_page(top);

	if (at >= (long)page->lines)
		at = (long)page->lines - 1;
	page->at = at > 0 ? (size_t)at : 0;
	page->selected = page->lines ? page->line[page->at] : NULL;
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
			select_line(top, (long)at);
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

static bool apply_filter(struct top *top)
{
	struct prompt *prompt = &top->prompt;
	regex_t regex;
	int err = regcomp(&regex, prompt->text, NAME_FILTER);

	if (err) {
		regerror(err, &regex, prompt->error, sizeof(prompt->error));
		return false;
	}
	regfree(&regex);
	snprintf(top->names[top_page(top)->kind], PROMPT_SIZE, "%s", prompt->text);
	model_update(top);
	return true;
}

static bool apply_interval(struct top *top)
{
	if (!parse_seconds("The interval", top->prompt.text, MIN_INTERVAL, &top->interval))
		return false;
	top->deadline = clock_now() + top->interval;
	return true;
}

static void apply(struct top *top)
{
	struct prompt *prompt = &top->prompt;
	bool good = prompt->kind == PROMPT_SEARCH ||
		    (prompt->kind == PROMPT_FILTER ? apply_filter(top) :
		     prompt->kind == PROMPT_INTERVAL ? apply_interval(top) : kvm_stat_apply(top));

	if (good)
		prompt->kind = PROMPT_NONE;
	else if (!*prompt->error)
		top_errors(prompt->error, sizeof(prompt->error));
	prompt->error[strcspn(prompt->error, "\n")] = '\0';
}

static void prompted_key(struct top *top, int key)
{
	struct prompt *prompt = &top->prompt;
	bool searches = prompt->kind == PROMPT_SEARCH;

	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		apply(top);
		return;
	}
	if (key == ESCAPE)
		prompt->kind = PROMPT_NONE;
	else
		prompt_key(prompt, key);
	if (!searches)
		return;
	select_line(top, (long)top->search_from);
	if (!prompt->kind)
		return;
	snprintf(top->search, sizeof(top->search), "%s", prompt->text);
	if (*top->search && !search(top, top->search_from))
		snprintf(prompt->error, sizeof(prompt->error), "no line contains '%.100s'",
			 top->search);
}

/* ---- pages ---- */

static void go_back(struct top *top)
{
	if (!top->depth)
		*top->names[top_page(top)->kind] = '\0';
	else
		model_pop(top);
	model_update(top);
}

static void open_line(struct top *top)
{
	struct page *page = top_page(top);
	const struct line *line = page->at < page->lines ? page->line[page->at] : NULL;
	const struct vmm *vmm;

	if (!line || page->kind == PAGE_HISTOGRAM)
		return;
	vmm = scope_vmm(&line->scope, top->monitor);
	if (page->kind == PAGE_STATISTICS && line->group == GROUP_HISTOGRAMS)
		model_push(top, PAGE_HISTOGRAM, &page->scope, line->stat);
	else if (page->kind == PAGE_STATISTICS)
		top_message(top, "Only histograms can be opened.");
	/* The machine as a whole has no vCPUs, only tracepoints. */
	else if (page->kind == PAGE_GUESTS && vmm && vmm->kvm)
		model_push(top, PAGE_TARGETS, &line->scope, "");
	else
		model_push(top, PAGE_STATISTICS, &line->scope, "");
}

/* ---- keys ---- */

/* In the list of columns */
static void choosing_key(struct top *top, int key)
{
	switch (key) {
	case KEY_UP:
		top->chosen -= top->chosen > FIRST_CHOICE;
		break;
	case KEY_DOWN:
		top->chosen += top->chosen < LAST_CHOICE;
		break;
	case ' ':
		top->columns ^= COLUMN_BIT(top->chosen);
		top->skipped_columns = 0;
		model_update(top);
		break;
	default:
		top->prompt.kind = PROMPT_NONE;
	}
}

static void table_key(struct top *top, int key)
{
	switch (key) {
	case '/':
		ask(top, PROMPT_SEARCH);
		break;
	case 'c':
		top->chosen = FIRST_CHOICE;
		if (top_page(top)->kind < PAGE_STATISTICS)
			top->prompt.kind = PROMPT_COLUMNS;
		else
			top_message(top, "The columns of this page cannot be changed.");
		break;
	case 'f':
		ask(top, PROMPT_FILTER);
		break;
	case 'n':
		search_again(top);
		break;
	case '\t':
		top->skipped_columns = column_layout_next(table_columns(top),
							  top->skipped_columns, COLS);
		break;
	case ' ':
		top->paused = !top->paused;
		top->deadline = 0;
		break;
	case '<':
		table_sort_by_next(top, -1);
		break;
	case '>':
		table_sort_by_next(top, 1);
		break;
	case '-':
		table_sort_by(top, top->order[top_page(top)->kind].column);
		break;
	default:
		if (!table_sort_by_key(top, key))
			top_message(top, "This key has no meaning. Press 'h' for help.");
	}
}

static void page_key(struct top *top, int key)
{
	long at = (long)top_page(top)->at, lines = (long)top_page(top)->lines;
	long height = top->rows > 1 ? top->rows - 1 : 1;

	switch (key) {
	case KEY_UP:
		select_line(top, at - 1);
		break;
	case KEY_DOWN:
		select_line(top, at + 1);
		break;
	case KEY_PPAGE:
		select_line(top, at - height);
		break;
	case KEY_NPAGE:
		select_line(top, at + height);
		break;
	case KEY_HOME:
		select_line(top, 0);
		break;
	case KEY_END:
		select_line(top, lines);
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		open_line(top);
		break;
	case KEY_LEFT:
	case KEY_BACKSPACE:
	case 0x7f:
	case ESCAPE:
		go_back(top);
		break;
	case 'h':
	case '?':
		top->prompt.kind = PROMPT_HELP;
		break;
	case 'i':
		top->counts_growth = top->kvm_stat && !top->counts_growth;
		top_message(top, top->counts_growth ?
			    "Totals since the start of top or the last reset" :
			    "Values since the creation of the VM");
		model_update(top);
		break;
	case 'r':
		top_message(top, "Values count from now on. "
			    "Press 'i' for values since VM creation.");
		model_reset(top);
		break;
	case 's':
		ask(top, PROMPT_INTERVAL);
		break;
	case 'q':
		top->quit = true;
		break;
	default:
		if (top->kvm_stat)
			kvm_stat_key(top, key);
		else
			table_key(top, key);
	}
}

void input_read(struct top *top)
{
	int key;

	while (!top->quit && (key = getch()) != ERR) {
		if (key == KEY_RESIZE) {
			/* curses already uses the new size. What was drawn before is anywhere. */
			clearok(curscr, TRUE);
			top->skipped_columns = 0;
		} else if (top->prompt.kind == PROMPT_HELP) {
			top->prompt.kind = PROMPT_NONE;
		} else if (top->prompt.kind == PROMPT_COLUMNS) {
			choosing_key(top, key);
		} else if (top->prompt.kind) {
			prompted_key(top, key);
		} else {
			page_key(top, key);
		}
	}
	if (top->prompt.kind != PROMPT_GUEST) {
		monitor_close(top->choices);
		top->choices = NULL;
	}
}
