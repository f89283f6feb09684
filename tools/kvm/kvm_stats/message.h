/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages: what happened, to which object, and what to do about it. Functions return them, and
 * only commands print them.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#define MESSAGE_SIZE	720	/* of the text of any message */

struct message {
	char what[256];		/* "it cannot be read: permission denied"; "": no message */
	char object[128];	/* "/run/kvm-stats/host.pin", "PID 4711", or "" */
	char advice[320];	/* "Run as root", or ""; without a full stop */
};

/* Sets @what, and clears the rest. Returns false, for functions that fail with the message. */
bool message_set(struct message *message, const char *what, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Sets the object and the advice. They return false, too. */
bool message_object(struct message *message, const char *object, ...)
	__attribute__((__format__(__printf__, 2, 3)));
bool message_advice(struct message *message, const char *advice, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* The message for memory that is exhausted. Returns false. */
bool message_no_memory(struct message *message);

/* Writes "OBJECT: WHAT. ADVICE." without what is missing to @buf. Returns @buf. */
const char *message_text(const struct message *message, char *buf, size_t size);

/* Prints the text to standard error; nothing if there is no message. For commands only. */
void message_print(const struct message *message);

#endif /* MESSAGE_H */
