/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists all VMMs of the machine, regardless of the filter, so that the user can choose one. */
#ifndef CLASSIC_GUESTS_H
#define CLASSIC_GUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define GUEST_NAME_SIZE	128

struct guest {
	pid_t pid;			/* 0: not known */
	bool named;
	char name[GUEST_NAME_SIZE];	/* of the guest if named, otherwise of the program */
};

struct guests {
	struct guest *guest;
	size_t guests;
};

/* Returns false if there is not enough memory. */
bool guests_find(struct guests *guests);
/* Returns 0, or why process @pid cannot be watched: -errno. */
int guests_check(pid_t pid);
bool guests_have(const struct guests *guests, const char *name);
void guests_free(struct guests *guests);

#endif /* CLASSIC_GUESTS_H */
