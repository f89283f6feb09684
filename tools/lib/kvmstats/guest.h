/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * The options on the command line of a VMM, and the name and the UUID that they give the guest.
 * kvm-stats finds the QMP sockets of QEMU with the same functions.
 */
#ifndef KVMSTATS_GUEST_H
#define KVMSTATS_GUEST_H

#include <stddef.h>

struct kvmstats_vmm;

/*
 * Returns the command line of the VMM: arguments, each with a NUL at its end. NULL: it is not
 * known, see kvmstats_vmm_name_error().
 */
const char *kvmstats_vmm_cmdline(const struct kvmstats_vmm *vmm, size_t *size);

/*
 * Returns the argument of the option -@option or --@option, also after "=", or NULL. The search
 * starts after @after, an earlier result, or at the first argument if it is NULL.
 */
const char *kvmstats_find_argument(const char *text, size_t size, const char *option,
				   const char *after);

/*
 * Sets @value to a copy of the value of suboption @key in an argument like "a,key=value,b=c", or to
 * NULL if the argument does not have it. ",," is a comma in a value. @implied is the key of a first
 * value without "=", or NULL. The value of another key without "=" is "on". Returns 0 or -ENOMEM.
 */
int kvmstats_find_suboption(const char *argument, const char *implied, const char *key,
			    char **value);

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

void kvmstats_guest_free(struct kvmstats_guest *guest);

#endif /* KVMSTATS_GUEST_H */
