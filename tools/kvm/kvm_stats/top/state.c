// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "top/state.h"

#define MESSAGE_TIME	(6 * SECOND)

const regex_t *top_filter(const struct top *top)
{
	const struct filter_text *filter = &top->filter[top->page[top->depth].kind];

	return *filter->text ? &filter->regex : NULL;
}

bool top_has_ended(const struct top *top)
{
	const struct top_scope *scope = &top->page[top->depth].scope;

	if (!scope->one_vmm)
		return false;
	return !scope_vmm(scope, top->monitor) ||
	       (scope->one_target && !scope_has_targets(scope, top->monitor));
}

size_t top_lines(const struct top *top)
{
	switch (top->page[top->depth].kind) {
	case PAGE_STATISTICS:
		return top->stats.lines;
	case PAGE_HISTOGRAM:
		return top->bars.bars;
	default:
		return top->table.lines;
	}
}

const char *top_line_name(const struct top *top, size_t i)
{
	switch (top->page[top->depth].kind) {
	case PAGE_STATISTICS:
		return top->stats.line[i].view.name;
	case PAGE_HISTOGRAM:
		return "";
	default:
		return top->table.line[i].name;
	}
}

void top_message(struct top *top, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(top->message, sizeof(top->message), format, args);
	va_end(args);
	top->message_until = clock_now() + MESSAGE_TIME;
}
