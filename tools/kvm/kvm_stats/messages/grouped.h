/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages about several VMMs. If many VMMs have the same message, it is printed once, with their
 * process IDs and guests.
 */
#ifndef MESSAGES_GROUPED_H
#define MESSAGES_GROUPED_H

#include <stdbool.h>
#include <stddef.h>

#include "targets/vmm.h"

#define GROUPED_TEXT_SIZE	256

struct grouped_message {
	const struct vmm *vmm;
	char text[GROUPED_TEXT_SIZE];
	bool printed;
};

/* Initialize it with zeros. */
struct grouped {
	struct grouped_message *message;
	size_t messages;
	size_t capacity;
};

/* Adds a message. The VMM must remain until grouped_print(). */
void grouped_add(struct grouped *grouped, const struct vmm *vmm, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/* Prints the messages in the order in which they were added, and removes them. */
void grouped_print(struct grouped *grouped);

#endif /* MESSAGES_GROUPED_H */
