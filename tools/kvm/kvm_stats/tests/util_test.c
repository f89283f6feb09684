// SPDX-License-Identifier: GPL-2.0-only
/* Test which characters of names reach the terminal. */
#include <string.h>

#include "tap.h"
#include "util.h"

static void test_names(void)
{
	static const struct {
		const char *name;
		const char *shown;
		const char *what;
	} cases[] = {
		{ "web", "web", "a name of ASCII characters is unchanged" },
		{ "größe 語 🐧", "größe 語 🐧", "UTF-8 is unchanged" },
		{ "a\x1b[2J\r\n\x7f", "a?[2J???", "C0 control characters and DEL are replaced" },
		{ "a\23331m", "a?31m", "a raw C1 control character is replaced" },
		{ "a\302\23331m", "a?31m", "a C1 control character in UTF-8 is replaced" },
		{ "\xe2\x80\xaemoc\xe2\x80\xac", "?moc?", "a bidi override is replaced" },
		{ "\342\201\246a\342\201\251", "?a?", "a bidi isolate is replaced" },
		{ "\xe2\x80\x8f\xd8\x9c", "??", "bidi marks are replaced" },
		{ "\xe2\x80\xa8", "?", "a line separator is replaced" },
		{ "\xff\xc3", "??", "invalid and incomplete bytes are replaced" },
		{ "\xc1\x9b\xe0\x82\x9b", "?????", "overlong encodings are replaced" },
		{ "\xed\xa0\x80", "???", "surrogates are replaced" },
	};
	char buf[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_text(sanitize(cases[i].name, buf, sizeof(buf)), cases[i].shown, cases[i].what);
}

static void test_sizes(void)
{
	char buf[5];

	tap_text(sanitize("abcdef", buf, sizeof(buf)), "abcd", "a long name is truncated");
	tap_text(sanitize("abcü", buf, sizeof(buf)), "abc",
		 "a name is truncated between characters");
	tap_text(sanitize("ab", buf, 1), "", "a buffer of one byte gets an empty name");
}

int main(void)
{
	test_names();
	test_sizes();
	return tap_end();
}
