/* SPDX-License-Identifier: GPL-2.0-only */
/* What the user sees of the samples, and has chosen: pages, columns, order, prompts. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"
#include "top/page.h"
#include "top/sampler.h"
#include "top/table.h"

#define PROMPT_SIZE	256

enum prompt_kind {
	PROMPT_NONE,
	/* These show a list in place of the page, without a question. */
	PROMPT_HELP,
	PROMPT_COLUMNS,
	PROMPT_FILTER,
	PROMPT_SEARCH,
	PROMPT_INTERVAL,
};

struct prompt {
	enum prompt_kind kind;
	char text[PROMPT_SIZE];
	bool initial;			/* the first character replaces @text */
	struct message error;		/* why the last answer was rejected, or "" */
	enum column_id column;		/* of the cursor in the list of columns */
	size_t from;			/* where the cursor of the page was before the search */
};

/* A message in the bottom line. */
struct notice {
	char text[MESSAGE_SIZE];
	uint64_t until;
};

#define MAX_PAGES	4	/* guests, vCPUs, statistics, a histogram */

/* Initialize it with zeros. */
struct view {
	struct sampler sampler;
	struct page page[MAX_PAGES];	/* a stack; page[depth] is on the screen */
	size_t depth;
	struct order order[PAGE_KINDS];
	char names[PAGE_KINDS][PROMPT_SIZE];	/* the filters of names; "": none */
	struct table table;
	struct prompt prompt;
	char search[PROMPT_SIZE];	/* the last text searched for */
	struct notice notice;
	uint64_t interval;		/* between samples, in ns */
	uint64_t deadline;		/* of the next sample, in ns of CLOCK_MONOTONIC; 0: now */
	bool paused;
	size_t step;			/* of a recording: samples from one screen to the next */
	bool quit;
	struct message failure;		/* why top ends, or "" */
};

/* Sets the members of @options that top needs. Returns false, with the reason in @why. */
bool view_open(struct view *view, struct monitor_options options, struct message *why);
void view_close(struct view *view);

/* The page on the screen. If @view is const, so is the page. */
#define view_page(view)	(&(view)->page[(view)->depth])

/* Reads a new sample and updates the page. */
void view_sample(struct view *view);
/* Shows the sample of a recording that is view->step before the last one. */
void view_back(struct view *view);
/* Updates the page from the last sample, after the page, the order or a filter has changed. */
void view_update(struct view *view);
/* Counts the values of statistics from the last sample on. */
void view_reset(struct view *view);

/* Opens what the line of the cursor shows, as a page above the current one, and closes it. */
void view_enter(struct view *view);
void view_leave(struct view *view);

void view_notice(struct view *view, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* ---- draw.c, which changes nothing of the view ---- */

/* What of the page is on the screen. */
struct drawn {
	size_t first;		/* the first line */
	int rows;		/* for lines */
};

/*
 * Draws meters, summary, title, times of vCPUs or the summary of a histogram, headings, lines, how
 * many follow, and the bottom line.
 */
struct drawn draw_view(const struct view *view);

/* ---- input.c: keys, and the answers to prompts, which change the view ---- */

/* Handles all keys that have been typed. @rows are those for lines on the screen. */
void input_read(struct view *view, int rows);

/* Opens a prompt with an answer that the user can keep, edit, or replace by typing. */
void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text);
/* @key is a byte or a KEY_ constant of curses. */
void prompt_key(struct prompt *prompt, int key);

#endif /* TOP_VIEW_H */
