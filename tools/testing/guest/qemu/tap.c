// SPDX-License-Identifier: GPL-2.0-only
/* TAP 13: a table of points, judged in order and printed as they are. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static char reason[160];
static FILE *notes;		/* of the point being judged; printed after it */

void tap_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", notes);
	vfprintf(notes, fmt, ap);
	fputc('\n', notes);
	va_end(ap);
}

enum verdict tap_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return SKIP;
}

size_t tap_run(const struct point *points, size_t count, void *ctx)
{
	char *text = NULL;
	size_t length;
	size_t failed = 0;
	size_t i;

	printf("TAP version 13\n1..%zu\n", count);
	for (i = 0; i < count; i++) {
		enum verdict verdict;

		notes = open_memstream(&text, &length);
		if (!notes) {
			printf("Bail out! out of memory\n");
			return count - i;
		}
		verdict = points[i].check(ctx);
		fclose(notes);

		printf("%s %zu - %s", verdict == FAIL ? "not ok" : "ok", i + 1, points[i].what);
		if (verdict == SKIP)
			printf(" # SKIP %s", reason);
		printf("\n%s", text);
		free(text);
		fflush(stdout);
		failed += verdict == FAIL;
	}
	return failed;
}
