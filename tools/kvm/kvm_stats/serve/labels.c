// SPDX-License-Identifier: GPL-2.0-only
/* The values of labels, which other users can choose: see names.h. */
#include <string.h>

#include "serve/names.h"
#include "util.h"

#define REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD */

void label_text(const char *text, char *buf)
{
	size_t used = 0;

	while (*text) {
		uint32_t character;
		size_t len = utf8_decode(text, &character);
		bool good = len && utf8_is_harmless(character);
		size_t size = good ? len : strlen(REPLACEMENT);

		if (used + size >= LABEL_TEXT_SIZE)
			break;
		memcpy(buf + used, good ? text : REPLACEMENT, size);
		used += size;
		text += len ? len : 1;
	}
	buf[used] = '\0';
}

void put_label(FILE *to, char before, const char *name, const char *value)
{
	char text[LABEL_TEXT_SIZE];
	const char *at;

	label_text(value, text);
	fprintf(to, "%c%s=\"", before, name);
	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', to);
		fputc(*at, to);
	}
	fputc('"', to);
}
