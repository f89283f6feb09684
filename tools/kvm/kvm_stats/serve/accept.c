// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "serve/accept.h"

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t");
}

/* Whether the @len bytes at @text are @word, ignoring case and surrounding white space. */
static bool is_word(const char *text, size_t len, const char *word)
{
	const char *start = skip_space(text);

	if ((size_t)(start - text) > len)
		return false;
	len -= start - text;
	while (len && (start[len - 1] == ' ' || start[len - 1] == '\t'))
		len--;
	return len == strlen(word) && !strncasecmp(start, word, len);
}

/* Returns "0.75" as 750, and 1000 if @text is not a valid quality. */
static int parse_quality(const char *text)
{
	int quality, digit = 100;

	if (*text != '0' && *text != '1')
		return 1000;
	quality = (*text++ - '0') * 1000;
	if (*text == '.') {
		for (text++; digit && isdigit((unsigned char)*text); digit /= 10)
			quality += (*text++ - '0') * digit;
	}
	return quality > 1000 ? 1000 : quality;
}

/*
 * Returns the value of the parameter KEY=VALUE at @at, which is @len bytes long, or NULL if its
 * name is not @key.
 */
static const char *parameter(const char *at, size_t len, const char *key)
{
	const char *equals = memchr(at, '=', len);

	if (!equals || !is_word(at, equals - at, key))
		return NULL;
	return skip_space(equals + 1);
}

/*
 * Returns the quality that the media range at @range gives to @type in @version, in thousandths;
 * 0 if it does not include them.
 */
static int quality_of(const char *range, size_t len, const char *type, const char *version)
{
	const char *end = range + len, *at;
	int quality = 1000;
	size_t n;

	n = strcspn(range, ";,");
	if (!is_word(range, n, type))
		return 0;
	for (at = range + n; at < end; at += n) {
		const char *value;

		at++;
		n = strcspn(at, ";,");
		value = parameter(at, n, "version");
		if (value && !is_word(value, n - (value - at), version))
			return 0;
		value = parameter(at, n, "q");
		if (value)
			quality = parse_quality(value);
	}
	return quality;
}

/* Returns the highest quality that any media range of the header gives. */
static int best_quality(const char *accept, const char *type, const char *version)
{
	int highest = 0;

	while (*accept) {
		size_t len = strcspn(accept, ",");
		int quality = quality_of(accept, len, type, version);

		if (quality > highest)
			highest = quality;
		accept += len;
		accept += *accept == ',';
	}
	return highest;
}

static int text_quality(const char *accept)
{
	int plain = best_quality(accept, "text/plain", "0.0.4");
	int text = best_quality(accept, "text/*", "");
	int any = best_quality(accept, "*/*", "");
	int highest = plain > text ? plain : text;

	return highest > any ? highest : any;
}

enum exposition_format accept_format(const char *accept)
{
	int openmetrics = 0;

	if (accept)
		openmetrics = best_quality(accept, "application/openmetrics-text", "1.0.0");
	if (openmetrics && openmetrics >= text_quality(accept))
		return OPENMETRICS_1_0;
	return PROMETHEUS_TEXT_0_0_4;
}

bool accept_gzip(const char *accept)
{
	return accept && best_quality(accept, "gzip", "") > 0;
}

const char *format_content_type(enum exposition_format format)
{
	if (format == OPENMETRICS_1_0)
		return "application/openmetrics-text; version=1.0.0; charset=utf-8";
	return "text/plain; version=0.0.4; charset=utf-8";
}
