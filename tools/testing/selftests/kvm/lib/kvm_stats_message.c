// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "kvm_stats_message.h"

static const char *format_message(const char *prefix, const char *fmt,
				  va_list args)
{
	static char message[STATS_MESSAGE_SIZE];
	char text[STATS_MESSAGE_SIZE];

	/* An argument may be the previous message: do not write to it yet. */
	vsnprintf(text, sizeof(text), fmt, args);
	snprintf(message, sizeof(message), "%.8s%.500s", prefix, text);
	return message;
}

const char *stats_fail(const char *fmt, ...)
{
	const char *message;
	va_list args;

	va_start(args, fmt);
	message = format_message("", fmt, args);
	va_end(args);
	return message;
}

const char *stats_skip(const char *fmt, ...)
{
	const char *message;
	va_list args;

	va_start(args, fmt);
	message = format_message(STATS_SKIP_PREFIX, fmt, args);
	va_end(args);
	return message;
}
