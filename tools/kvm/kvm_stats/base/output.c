// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/utf8.h"

/* All that is printed between two calls of flush_output() fits, so errno is that of fflush(). */
#define OUTPUT_BUFFER	262144

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

void start_output(void)
{
	static char buffer[OUTPUT_BUFFER];

	/* write() then returns EPIPE, which flush_output() handles like other errors. */
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
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
	/* The reader of a pipe has all that it wanted: head(1), for example. */
	if (err != EPIPE)
		complain("cannot write the output: %s",
			 err ? strerror(err) : "an earlier write failed");
	return false;
}

const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

const char *sanitize(const char *text, char *buf, size_t size)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		uint32_t character;
		size_t len = utf8_decode(text, &character);

		if (!len || !utf8_is_harmless(character)) {
			buf[used++] = '?';
		} else if (used + len < size) {
			memcpy(buf + used, text, len);
			used += len;
		} else {
			break;
		}
		text += len ? len : 1;
	}
	buf[used] = '\0';
	return buf;
}
