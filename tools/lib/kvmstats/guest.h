/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* What the names of a VMM's options, cgroup and threads say about its guest. */
#ifndef KVMSTATS_GUEST_H
#define KVMSTATS_GUEST_H

#include <stddef.h>

struct kvmstats_guest {
	char *name;	/* of -name, or another identity, or NULL */
	char *uuid;	/* of -uuid or -smbios, in lower case, or NULL */
};

/*
 * Sets @guest from the command line @text, which has a NUL after each argument and after its
 * @size bytes. Returns 0 or -ENOMEM.
 */
int kvmstats_guest_parse(struct kvmstats_guest *guest, const char *text, size_t size);

/*
 * Finds the systemd scope, or else the innermost cgroup, in the text of /proc/PID/cgroup, which it
 * changes. Removes what systemd adds: "machine-qemu\\x2d1\\x2dweb.scope" is "machine-qemu-1-web".
 * Returns a part of @text, or NULL if all cgroups of the process are the root. Sets @guest to a
 * part of that which names the guest, here to "web", or to NULL.
 */
const char *kvmstats_cgroup_parse(char *text, const char **guest);

/* Returns the number of the vCPU that VMMs give a thread with this name, or -1 for other names. */
int kvmstats_vcpu_of_name(const char *name);

void kvmstats_guest_free(struct kvmstats_guest *guest);

#endif /* KVMSTATS_GUEST_H */
