// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "top/scope.h"

struct top_scope scope_of_vmm(const struct vmm *vmm)
{
	struct top_scope scope = { .one_vmm = true, .key = vmm_key(vmm), .pid = vmm->pid };

	if (vmm->guest)
		snprintf(scope.guest, sizeof(scope.guest), "%s", vmm->guest);
	return scope;
}

struct top_scope scope_of_target(const struct target *target)
{
	struct top_scope scope = scope_of_vmm(target->vmm);

	scope.one_target = true;
	scope.origin = target->origin;
	snprintf(scope.label, sizeof(scope.label), "%s", target->label);
	return scope;
}

bool scope_selects_vmm(const struct top_scope *scope, const struct vmm *vmm)
{
	return !scope->one_vmm || scope->key == vmm_key(vmm);
}

bool scope_selects(const struct target *target, void *arg)
{
	const struct top_scope *scope = arg;

	if (!scope_selects_vmm(scope, target->vmm))
		return false;
	return !scope->one_target || (target->origin == scope->origin &&
				      !strcmp(target->label, scope->label));
}

bool scope_is_same(const struct top_scope *a, const struct top_scope *b)
{
	return a->one_vmm == b->one_vmm && a->one_target == b->one_target && a->key == b->key &&
	       a->origin == b->origin && !strcmp(a->label, b->label);
}

const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t i;

	for (i = 0; scope->one_vmm && i < monitor->vmms; i++) {
		if (vmm_key(monitor->vmm[i]) == scope->key)
			return monitor->vmm[i];
	}
	return NULL;
}

bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor)
{
	struct top_scope copy = *scope;
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++) {
			if (scope_selects(monitor->vmm[i]->target[j], &copy))
				return true;
		}
	}
	return false;
}
