// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("kvm-stats: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

bool flush_output(void)
{
	static bool failed;
	int err;

	if (failed)
		return false;
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	err = errno;
	failed = true;
	complain("cannot write the output: %s", err ? strerror(err) : "an earlier write failed");
	return false;
}

const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

const char *sanitize(const char *text, char *buf, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && text[i]; i++) {
		unsigned char c = text[i];

		/* Keeps UTF-8, except the control characters U+0080 to U+009F. */
		if (c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0))
			c = '?';
		buf[i] = (char)c;
	}
	buf[i] = '\0';
	return buf;
}
