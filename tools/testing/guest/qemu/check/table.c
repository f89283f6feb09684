// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdlib.h>

#include "qemu/check/table.h"
#include "tap.h"

static char skip_reason[160];
static FILE *notes;		/* of the running check */

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", notes);
	vfprintf(notes, fmt, ap);
	fputc('\n', notes);
	va_end(ap);
}

enum verdict skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(skip_reason, sizeof(skip_reason), fmt, ap);
	va_end(ap);
	return SKIP;
}

static void report(const struct check *check, enum verdict verdict, const char *text)
{
	if (verdict == SKIP)
		tap_report(TAP_SKIP, "", check->name, skip_reason);
	else
		tap_ok(verdict == PASS, "%s", check->name);
	fputs(text, stdout);
	fflush(stdout);
}

int run_checks(const struct check *checks, size_t count, void *ctx)
{
	char *text = NULL;
	size_t length, i;

	tap_plan(count);
	for (i = 0; i < count; i++) {
		enum verdict verdict;

		notes = open_memstream(&text, &length);
		if (!notes) {
			printf("Bail out! out of memory\n");
			return 1;
		}
		verdict = checks[i].run(ctx);
		fclose(notes);
		report(&checks[i], verdict, text);
		free(text);
	}
	return tap_end();
}
