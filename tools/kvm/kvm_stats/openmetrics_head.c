// SPDX-License-Identifier: GPL-2.0-only
#include "openmetrics_head.h"

static const struct {
	const char *openmetrics;
	const char *prometheus;
	const char *suffix;	/* of the samples; in the text format of the name as well */
} types[] = {
	[FAMILY_COUNTER] = { "counter", "counter", "_total" },
	[FAMILY_GAUGE] = { "gauge", "gauge", "" },
	[FAMILY_HISTOGRAM] = { "histogram", "histogram", "" },
	[FAMILY_INFO] = { "info", "gauge", "_info" },
	[FAMILY_UNKNOWN] = { "unknown", "untyped", "" },
};

static void put_line(const struct head_writer *to, const char *what, const struct head *head,
		     const char *value)
{
	bool old = to->format == PROMETHEUS_TEXT_0_0_4;

	text_printf(to->text, "# %s %s%s %s\n", what, head->name,
		    old ? types[head->type].suffix : "", value);
}

void put_head(const struct head_writer *to, const struct head *head)
{
	bool old = to->format == PROMETHEUS_TEXT_0_0_4;

	put_line(to, "HELP", head, head->help);
	put_line(to, "TYPE", head, old ? types[head->type].prometheus :
		 types[head->type].openmetrics);
	if (head->unit && !old)
		put_line(to, "UNIT", head, head->unit);
}
