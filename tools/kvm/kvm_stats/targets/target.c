// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "targets/target.h"

static bool list_append(struct target_list *list, struct target *target)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 8;
		struct target **more = realloc(list->target, capacity * sizeof(*more));

		if (!more)
			return false;
		list->target = more;
		list->capacity = capacity;
	}
	list->target[list->count++] = target;
	return true;
}

static void publish_list(struct vmm *vmm)
{
	vmm->target = vmm->state->list.target;
	vmm->targets = vmm->state->list.count;
}

static void target_free(struct target *target)
{
	kvmstats_sample_free(target->now);
	kvmstats_sample_free(target->before);
	free(target);
}

static void target_drop(struct target *target)
{
	target->source->detach(target);
	target_free(target);
}

void targets_begin(struct vmm *vmm)
{
	struct vmm_state *state = vmm->state;
	struct target_list empty = state->old;

	state->old = state->list;
	state->list = empty;
	state->list.count = 0;
	state->cursor = 0;
	state->changed = false;
	publish_list(vmm);
}

bool targets_end(struct vmm *vmm)
{
	struct vmm_state *state = vmm->state;
	size_t i;

	for (i = 0; i < state->old.count; i++) {
		if (!state->old.target[i])
			continue;
		target_drop(state->old.target[i]);
		state->changed = true;
	}
	state->old.count = 0;
	publish_list(vmm);
	return state->changed;
}

static bool has_key(const struct target *target, const struct target_key *key)
{
	return target && target->source == key->source && target->scope == key->scope &&
	       target->vm == key->vm && target->vcpu == key->vcpu &&
	       target->vmm_fd == key->vmm_fd;
}

/* Sources register targets in the same order each time, so the first comparison usually hits. */
struct target *target_keep(struct vmm *vmm, const struct target_key *key)
{
	struct vmm_state *state = vmm->state;
	size_t i;

	for (i = 0; i < state->old.count; i++) {
		size_t at = (state->cursor + i) % state->old.count;
		struct target *target = state->old.target[at];

		if (!has_key(target, key))
			continue;
		if (!list_append(&state->list, target))
			return NULL;
		state->old.target[at] = NULL;
		state->cursor = at + 1;
		return target;
	}
	return NULL;
}

static void set_label(struct target *target)
{
	bool several = target->vmm->vms > 1;

	switch (target->scope) {
	case SCOPE_VM:
		if (several && target->vm >= 0)
			snprintf(target->label, LABEL_SIZE, "vm%d", target->vm);
		else
			snprintf(target->label, LABEL_SIZE, "vm");
		break;
	case SCOPE_VCPU:
		if (target->vm < 0)
			snprintf(target->label, LABEL_SIZE, "vm?/vcpu%d#%d", target->vcpu,
				 target->vmm_fd);
		else
			snprintf(target->label, LABEL_SIZE, "vcpu%d", target->vcpu);
		break;
	case SCOPE_VMM:
		snprintf(target->label, LABEL_SIZE, "vmm");
		break;
	case SCOPE_HOST:
		snprintf(target->label, LABEL_SIZE, "host");
		break;
	}
}

struct target *target_add(struct vmm *vmm, const struct target_key *key,
			  const struct stat_set *set)
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	target->vmm = vmm;
	target->source = key->source;
	target->scope = key->scope;
	target->vm = key->vm;
	target->vcpu = key->vcpu;
	target->vmm_fd = key->vmm_fd;
	target->fd = -1;
	target->set = set;
	set_label(target);
	if (kvmstats_sample_new(&target->now, set->schema) ||
	    kvmstats_sample_new(&target->before, set->schema) ||
	    !list_append(&vmm->state->list, target)) {
		target_free(target);
		return NULL;
	}
	vmm->state->changed = true;
	return target;
}

void targets_drop(struct vmm *vmm)
{
	targets_begin(vmm);
	targets_end(vmm);
}

bool targets_read(struct vmm *vmm)
{
	struct target_list *list = &vmm->state->list;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < list->count; i++) {
		struct target *target = list->target[i];
		struct kvmstats_sample *oldest = target->before;

		target->before = target->now;
		target->now = oldest;
		if (target->source->read(target))
			target_drop(target);
		else
			list->target[kept++] = target;
	}
	list->count = kept;
	publish_list(vmm);
	return kept < i;
}
