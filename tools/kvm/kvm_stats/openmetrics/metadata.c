// SPDX-License-Identifier: GPL-2.0-only
#include "openmetrics/metadata.h"

static const struct {
	const char *openmetrics;
	const char *prometheus;
	const char *suffix;	/* in sample names; in the text format, also in the family name */
} types[] = {
	[FAMILY_COUNTER] = { "counter", "counter", "_total" },
	[FAMILY_GAUGE] = { "gauge", "gauge", "" },
	[FAMILY_HISTOGRAM] = { "histogram", "histogram", "" },
	[FAMILY_INFO] = { "info", "gauge", "_info" },
	[FAMILY_UNKNOWN] = { "unknown", "untyped", "" },
};

static void put_line(const struct exposition *out, const char *keyword,
		     const struct metadata *metadata, const char *value)
{
	bool old = out->format == PROMETHEUS_TEXT_0_0_4;

	text_printf(out->text, "# %s %s%s %s\n", keyword, metadata->name,
		    old ? types[metadata->type].suffix : "", value);
}

void put_metadata(const struct exposition *out, const struct metadata *metadata)
{
	bool old = out->format == PROMETHEUS_TEXT_0_0_4;

	put_line(out, "HELP", metadata, metadata->help);
	put_line(out, "TYPE", metadata, old ? types[metadata->type].prometheus :
		 types[metadata->type].openmetrics);
	if (metadata->unit && !old)
		put_line(out, "UNIT", metadata, metadata->unit);
}
