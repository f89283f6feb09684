/* SPDX-License-Identifier: GPL-2.0-only */
/* What top looks at: everything, one VMM, or one VM or vCPU of it. */
#ifndef TOP_SCOPE_H
#define TOP_SCOPE_H

#include <stdbool.h>

#include "monitor.h"

#define SCOPE_GUEST_SIZE	64

/* By what it is, not where: VMMs and their targets go away while it is looked at. */
struct top_scope {
	bool one_vmm;
	bool one_target;
	pid_t pid;
	char label[LABEL_SIZE];
	enum origin origin;
	char guest[SCOPE_GUEST_SIZE];	/* for showing, also when it is ended; "": none */
};

struct top_scope scope_of_vmm(const struct vmm *vmm);
struct top_scope scope_of_target(const struct target *target);

bool scope_selects_vmm(const struct top_scope *scope, const struct vmm *vmm);
/* For totals_open(), @arg being the scope. */
bool scope_selects(const struct target *target, void *arg);

bool scope_is_same(const struct top_scope *a, const struct top_scope *b);

/* The VMM that the scope is in, NULL if it is everything, or is ended. */
const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor);

/* Whether anything that has numbers is in it. */
bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor);

#endif /* TOP_SCOPE_H */
