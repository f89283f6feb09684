/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names by which a guest is known after a restart of its VMM: the name and the UUID.
 *
 * QEMU has them on its command line. For a VMM without them, the files in which libvirt keeps
 * the state of its guests have both. A guest without a name has that of the systemd unit or cgroup.
 */
#ifndef OPENMETRICS_IDENTITY_H
#define OPENMETRICS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/text.h"
#include "monitor/monitor.h"

struct identity {
	const struct vmm *vmm;
	const struct kvmstats_watch *watch;	/* which process it is, together with the key */
	uint64_t key;
	pid_t pid;		/* 0: not known */
	char *guest;		/* "" if unknown */
	bool named;		/* otherwise @guest is its cgroup, in which others can be, too */
	char *uuid;		/* "" if unknown */
	bool ambiguous;		/* only the PID distinguishes it from all other guests */
};

struct identities {
	struct identity *identity;	/* in the order of the monitor */
	size_t count;
	const char *libvirt;		/* the directory that has qemu/NAME.xml */
};

/*
 * Finds the identities of all VMMs. Does not read those again that it knows, so that an identity
 * does not change while its process ends. Returns 0 or -ENOMEM.
 */
int identities_update(struct identities *identities, const struct monitor *monitor);
void identities_free(struct identities *identities);

/* Writes the labels guest and uuid. An ambiguous guest without a name is "pid 4711". */
void put_guest(struct text *text, const struct identity *identity);

/* The same, and the label pid if the name is ambiguous. */
void put_guest_labels(struct text *text, const struct identity *identity);

#endif /* OPENMETRICS_IDENTITY_H */
