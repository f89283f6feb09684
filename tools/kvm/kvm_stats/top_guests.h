/* SPDX-License-Identifier: GPL-2.0-only */
/* All VMMs of the machine, whatever the filter says: for who is to choose one. */
#ifndef TOP_GUESTS_H
#define TOP_GUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define GUEST_NAME_SIZE	128

struct guest {
	pid_t pid;
	bool named;
	char name[GUEST_NAME_SIZE];	/* the guest's, or that of the program */
};

struct guests {
	struct guest *guest;
	size_t guests;
};

/* False if there is no memory. */
bool guests_find(struct guests *guests);
bool guests_have(const struct guests *guests, const char *name);
void guests_free(struct guests *guests);

#endif /* TOP_GUESTS_H */
