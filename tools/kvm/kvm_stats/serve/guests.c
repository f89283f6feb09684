// SPDX-License-Identifier: GPL-2.0-only
/* The guests in an exposition, and the values of labels: see names.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/names.h"
#include "util.h"

/* ---- labels, whose values other users can choose ---- */

#define REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD */

void label_text(const char *text, char *buf)
{
	size_t used = 0;

	while (*text) {
		uint32_t character;
		size_t len = utf8_decode(text, &character);
		bool good = len && utf8_is_harmless(character);
		size_t size = good ? len : strlen(REPLACEMENT);

		if (used + size >= LABEL_TEXT_SIZE)
			break;
		memcpy(buf + used, good ? text : REPLACEMENT, size);
		used += size;
		text += len ? len : 1;
	}
	buf[used] = '\0';
}

void put_label(FILE *to, char before, const char *name, const char *value)
{
	char text[LABEL_TEXT_SIZE];
	const char *at;

	label_text(value, text);
	fprintf(to, "%c%s=\"", before, name);
	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', to);
		fputc(*at, to);
	}
	fputc('"', to);
}

/* ---- names ---- */

static bool is_named(const struct vmm *vmm)
{
	return vmm->guest && *vmm->guest;
}

static void set_name(struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;

	if (is_named(vmm))
		label_text(vmm->guest, guest->name);
	else
		label_text(vmm->cgroup ? vmm->cgroup : "", guest->name);
}

static const char *uuid_of(const struct guest *guest)
{
	return guest->vmm->uuid ? guest->vmm->uuid : "";
}

/* Names are compared as they are exposed, so that no two series are the same. */
static void mark_ambiguous(const struct guest_list *guests)
{
	struct guest *end = guests->guest + guests->count, *a, *b;

	for (a = guests->guest; a < end; a++) {
		a->ambiguous |= !*a->name && !*uuid_of(a);
		for (b = a + 1; b < end; b++) {
			if (strcmp(a->name, b->name) || strcmp(uuid_of(a), uuid_of(b)))
				continue;
			a->ambiguous = true;
			b->ambiguous = true;
		}
	}
}

/* Other guests can have the name that replaces one. */
static void replace_ambiguous_names(const struct guest_list *guests)
{
	bool replaced = false;
	size_t i;

	mark_ambiguous(guests);
	for (i = 0; i < guests->count; i++) {
		struct guest *guest = &guests->guest[i];

		if (!guest->ambiguous || is_named(guest->vmm))
			continue;
		snprintf(guest->name, sizeof(guest->name), "pid %d", (int)guest->vmm->pid);
		replaced = true;
	}
	if (replaced)
		mark_ambiguous(guests);
}

void put_guest(FILE *to, const struct guest *guest)
{
	put_label(to, '{', "guest", guest->name);
	put_label(to, ',', "uuid", uuid_of(guest));
}

/* Each metric of the guest has these labels, so they are made once. */
static bool make_labels(struct guest_list *guests)
{
	const char *at;
	size_t size, i;
	FILE *to;

	free(guests->labels);
	guests->labels = NULL;
	to = open_memstream(&guests->labels, &size);
	for (i = 0; to && i < guests->count; i++) {
		const struct guest *guest = &guests->guest[i];

		put_guest(to, guest);
		if (guest->ambiguous && is_named(guest->vmm) && guest->vmm->pid)
			fprintf(to, ",pid=\"%d\"", (int)guest->vmm->pid);
		fputc('\0', to);
	}
	if (!to || fclose(to))
		return false;
	at = guests->labels;
	for (i = 0; i < guests->count; i++) {
		guests->guest[i].labels = at;
		at += strlen(at) + 1;
	}
	return true;
}

/* ---- the list ---- */

bool guest_list_examine(struct guest_list *guests, const struct monitor *monitor)
{
	size_t i;

	free(guests->guest);
	guests->guest = calloc(monitor->vmms + 1, sizeof(*guests->guest));
	guests->count = guests->guest ? monitor->vmms : 0;
	for (i = 0; i < guests->count; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		const struct process *process = &vmm->process;

		guests->guest[i].vmm = vmm;
		set_name(&guests->guest[i]);
		if (process->time_before)
			guests->waited += process->group[THREAD_VCPU].waiting -
					  process->waiting_before;
	}
	replace_ambiguous_names(guests);
	return guests->guest && make_labels(guests);
}

void guest_list_free(struct guest_list *guests)
{
	free(guests->guest);
	free(guests->labels);
	*guests = (struct guest_list){ 0 };
}
