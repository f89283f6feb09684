// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>

#include "openmetrics/label.h"

#define REPLACEMENT	"\xef\xbf\xbd"

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Returns the length of the character at @s in bytes, or 0 if it is not valid UTF-8. */
static size_t utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return continues(s[1]) ? 2 : 0;
	if ((s[0] & 0xf0) == 0xe0) {
		bool overlong = s[0] == 0xe0 && s[1] < 0xa0;
		bool surrogate = s[0] == 0xed && s[1] >= 0xa0;

		return continues(s[1]) && continues(s[2]) && !overlong && !surrogate ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		bool overlong = s[0] == 0xf0 && s[1] < 0x90;
		bool too_large = s[0] == 0xf4 && s[1] >= 0x90;

		return continues(s[1]) && continues(s[2]) && continues(s[3]) && !overlong &&
		       !too_large ? 4 : 0;
	}
	return 0;
}

static void put_escaped(struct text *text, const char *value)
{
	while (*value) {
		size_t len = utf8_length((const unsigned char *)value);

		if (!len)
			text_puts(text, REPLACEMENT);
		else if (*value == '\n')
			text_puts(text, "\\n");
		else if (*value == '"' || *value == '\\')
			text_printf(text, "\\%c", *value);
		else
			text_add(text, value, len);
		value += len ? len : 1;
	}
}

void put_label(struct text *text, const char *name, const char *value)
{
	char last = text->size ? text->data[text->size - 1] : '\0';

	if (last == '"')
		text_puts(text, ",");
	text_puts(text, name);
	text_puts(text, "=\"");
	put_escaped(text, value);
	text_puts(text, "\"");
}
