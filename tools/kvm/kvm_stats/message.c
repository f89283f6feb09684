// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "message.h"
#include "util.h"

/* What other programs chose can be in a message, such as the name of a guest. */
static void put_member(char *member, size_t size, const char *format, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	sanitize(text, member, size);
}

bool message_set(struct message *message, const char *what, ...)
{
	va_list args;

	*message = (struct message){ 0 };
	va_start(args, what);
	put_member(message->what, sizeof(message->what), what, args);
	va_end(args);
	return false;
}

bool message_object(struct message *message, const char *object, ...)
{
	va_list args;

	va_start(args, object);
	put_member(message->object, sizeof(message->object), object, args);
	va_end(args);
	return false;
}

bool message_advice(struct message *message, const char *advice, ...)
{
	va_list args;

	va_start(args, advice);
	put_member(message->advice, sizeof(message->advice), advice, args);
	va_end(args);
	return false;
}

bool message_no_memory(struct message *message)
{
	return message_set(message, "out of memory");
}

const char *message_text(const struct message *message, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s%s%s", message->object, *message->object ? ": " : "",
		 message->what, *message->advice ? ". " : "", message->advice,
		 *message->advice ? "." : "");
	return buf;
}

void message_print(const struct message *message)
{
	char text[MESSAGE_SIZE];

	if (*message->what)
		complain("%s", message_text(message, text, sizeof(text)));
}
