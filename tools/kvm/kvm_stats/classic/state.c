// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "classic/state.h"

#define MESSAGE_TIME	(6 * SECOND)

void classic_message(struct classic *classic, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(classic->message, sizeof(classic->message), format, args);
	va_end(args);
	classic->message_until = clock_now() + MESSAGE_TIME;
}
