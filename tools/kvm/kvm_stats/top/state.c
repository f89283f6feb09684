// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "top/state.h"

#define MESSAGE_TIME	(6 * SECOND)

void top_message(struct top *top, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(top->message, sizeof(top->message), format, args);
	va_end(args);
	top->message_until = clock_now() + MESSAGE_TIME;
}
