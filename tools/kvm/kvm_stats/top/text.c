// SPDX-License-Identifier: GPL-2.0-only
#include <langinfo.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/utf8.h"
#include "top/text.h"

/*
 * Returns the character at @text, its length in bytes and its width in cells. Returns '?' for
 * an invalid or unprintable one.
 */
static wchar_t next_character(const char *text, size_t *len, int *cells)
{
	mbstate_t state = { 0 };
	wchar_t c;

	*len = mbrtowc(&c, text, MB_CUR_MAX, &state);
	if (*len == (size_t)-1 || *len == (size_t)-2) {
		*len = 1;
		c = L'?';
	}
	*cells = wcwidth(c);
	if (*cells >= 0 && !iswcntrl(c) && utf8_is_harmless((uint32_t)c))
		return c;
	*cells = 1;
	return L'?';
}

int text_fit(char *buf, size_t size, const char *text, int width)
{
	size_t used = 0;
	int sum = 0;

	while (*text) {
		char bytes[MB_LEN_MAX];
		mbstate_t state = { 0 };
		size_t len, n;
		int cells;
		wchar_t c = next_character(text, &len, &cells);

		n = wcrtomb(bytes, c, &state);
		if (n == (size_t)-1 || sum + cells > width || used + n >= size)
			break;
		memcpy(buf + used, bytes, n);
		used += n;
		sum += cells;
		text += len;
	}
	buf[used] = '\0';
	return sum;
}

bool text_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
