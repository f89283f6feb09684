/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* The name and the UUID that the VMM's command line gives the guest. */
#ifndef KVMSTATS_GUEST_H
#define KVMSTATS_GUEST_H

#include <stddef.h>
#include <sys/types.h>

struct kvmstats_guest {
	char *name;	/* of -name, or another identity, or NULL */
	char *uuid;	/* of -uuid, in lower case, or NULL */
};

/*
 * Sets @guest from the command line @text, which has a NUL after each argument and after its
 * @size bytes. Returns 0 or -ENOMEM.
 */
int kvmstats_guest_parse(struct kvmstats_guest *guest, const char *text, size_t size);

/* Sets @guest from the command line of process @pid. Returns 0 or -errno. */
int kvmstats_guest_read(struct kvmstats_guest *guest, pid_t pid);
void kvmstats_guest_free(struct kvmstats_guest *guest);

#endif /* KVMSTATS_GUEST_H */
