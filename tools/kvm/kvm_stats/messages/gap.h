/* SPDX-License-Identifier: GPL-2.0-only */
/* What cannot be read of a VMM. */
#ifndef MESSAGES_GAP_H
#define MESSAGES_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "targets/vmm.h"

struct gap {
	uint64_t key;			/* of the VMM */
	pid_t pid;
	size_t readers;			/* number of VMs and vCPUs */
	char label[LABEL_SIZE];		/* of the first of them */
	int err;			/* the reason: -errno */
	int qmp_error;
	int debugfs_error;
	int tracepoints_error;
};

struct gap gap_of(const struct vmm *vmm);

/* Returns false if nothing is missing. */
bool is_gap(const struct gap *gap);

/* Whether the same VMs and vCPUs are missing, for the same reason. */
bool gap_has_readers_of(const struct gap *gap, const struct gap *other);

/* Clears the errors of other sources that @reported has as well. */
void gap_clear_reported(struct gap *gap, const struct gap *reported);

/* Whether the VMM does not keep the fd open, and only the VMM could open it. */
bool gap_is_kept_closed(int err);

/* A gap is a failure, except for what vmm_may_lack_vm() excuses. */
bool gap_is_failure(const struct vmm *vmm, const struct gap *gap, const struct filter *filter);

#endif /* MESSAGES_GAP_H */
