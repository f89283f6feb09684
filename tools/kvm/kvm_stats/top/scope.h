/* SPDX-License-Identifier: GPL-2.0-only */
/* The scope of a page: all VMMs, one VMM, or one VM or vCPU. */
#ifndef TOP_SCOPE_H
#define TOP_SCOPE_H

#include <stdbool.h>

#include "monitor/monitor.h"

#define SCOPE_GUEST_SIZE	64

/* Contains no pointers, because VMMs and targets can end while the page is on the screen. */
struct top_scope {
	bool one_vmm;
	bool one_target;
	uint64_t key;			/* of the VMM, see vmm_key() */
	pid_t pid;			/* for the title */
	char label[LABEL_SIZE];
	enum origin origin;
	char guest[SCOPE_GUEST_SIZE];	/* for the title, also after the end; "": no name */
};

struct top_scope scope_of_vmm(const struct vmm *vmm);
struct top_scope scope_of_target(const struct target *target);

bool scope_selects_vmm(const struct top_scope *scope, const struct vmm *vmm);
/* A callback for totals_open(). @arg is the scope. */
bool scope_selects(const struct target *target, void *arg);

bool scope_is_same(const struct top_scope *a, const struct top_scope *b);

/* Returns the VMM of the scope, or NULL if the scope is all VMMs or the VMM has ended. */
const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor);

/* Whether the scope contains a VM or vCPU whose statistics can be read. */
bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor);

#endif /* TOP_SCOPE_H */
