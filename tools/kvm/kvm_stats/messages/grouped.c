// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "messages/grouped.h"
#include "messages/name.h"

/* More VMMs than this with the same message are a group. */
#define MAX_SINGLE	3
#define LIST_COLUMNS	64

static void print_single(const struct grouped_message *message)
{
	char name[VMM_NAME_SIZE];

	complain("%s: %s", vmm_name(message->vmm, name, sizeof(name)), message->text);
}

void grouped_add(struct grouped *grouped, const struct vmm *vmm, const char *format, ...)
{
	struct grouped_message message = { .vmm = vmm };
	struct grouped_message *more;
	va_list args;

	va_start(args, format);
	vsnprintf(message.text, sizeof(message.text), format, args);
	va_end(args);
	more = array_grow(grouped->message, grouped->messages, &grouped->capacity, sizeof(*more));
	if (!more) {
		print_single(&message);
		return;
	}
	grouped->message = more;
	more[grouped->messages++] = message;
}

static size_t count_same(const struct grouped *grouped, const char *text)
{
	size_t same = 0;
	size_t i;

	for (i = 0; i < grouped->messages; i++)
		same += !strcmp(grouped->message[i].text, text);
	return same;
}

/* An entry of a list: 4711 "web" */
static void short_name(const struct vmm *vmm, char *buf, size_t size)
{
	char name[128];

	if (!vmm->pid)
		snprintf(buf, size, "%s", vmm->guest);
	else if (vmm->guest)
		snprintf(buf, size, "%d \"%s\"", (int)vmm->pid,
			 sanitize(vmm->guest, name, sizeof(name)));
	else
		snprintf(buf, size, "%d (%s)", (int)vmm->pid,
			 sanitize(vmm->comm, name, sizeof(name)));
}

/* Adds an entry to the list in @line, and starts a new line if this one is full. */
static void add_to_list(char *line, size_t size, const struct vmm *vmm)
{
	char entry[VMM_NAME_SIZE];

	short_name(vmm, entry, sizeof(entry));
	if (*line && strlen(line) + strlen(entry) > LIST_COLUMNS) {
		complain("    %s,", line);
		*line = '\0';
	}
	snprintf(line + strlen(line), size - strlen(line), "%s%s", *line ? ", " : "", entry);
}

static void print_group(struct grouped *grouped, const char *text, size_t count)
{
	char line[LIST_COLUMNS + VMM_NAME_SIZE] = "";
	size_t i;

	complain("%s. This applies to %zu VMMs:", text, count);
	for (i = 0; i < grouped->messages; i++) {
		struct grouped_message *message = &grouped->message[i];

		if (strcmp(message->text, text))
			continue;
		message->printed = true;
		add_to_list(line, sizeof(line), message->vmm);
	}
	complain("    %s", line);
}

void grouped_print(struct grouped *grouped)
{
	size_t i;

	for (i = 0; i < grouped->messages; i++) {
		struct grouped_message *message = &grouped->message[i];
		size_t same = message->printed ? 0 : count_same(grouped, message->text);

		if (same > MAX_SINGLE)
			print_group(grouped, message->text, same);
		else if (same)
			print_single(message);
	}
	free(grouped->message);
	*grouped = (struct grouped){ 0 };
}
