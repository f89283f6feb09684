// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "targets/target.h"

struct target *target_new(const struct target_key *key, const struct stat_set *set)
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	target->source = key->source;
	target->scope = key->scope;
	target->vm = key->vm;
	target->vcpu = key->vcpu;
	target->vmm_fd = key->vmm_fd;
	target->number = key->number;
	target->fd = -1;
	target->set = set;
	if (key->source->has_samples || (!kvmstats_sample_new(&target->now, set->schema) &&
					 !kvmstats_sample_new(&target->before, set->schema)))
		return target;
	target_free(target);
	return NULL;
}

void target_free(struct target *target)
{
	if (!target->source->has_samples) {
		kvmstats_sample_free(target->now);
		kvmstats_sample_free(target->before);
	}
	free(target->baseline);
	free(target);
}

void target_drop(struct target *target)
{
	target->source->detach(target);
	target_free(target);
}

bool target_has_key(const struct target *target, const struct target_key *key)
{
	return target->source == key->source && target->scope == key->scope &&
	       target->vm == key->vm && target->vcpu == key->vcpu &&
	       target->vmm_fd == key->vmm_fd && target->number == key->number &&
	       (!key->schema || target->set->schema == key->schema);
}

int target_read(struct target *target)
{
	struct kvmstats_sample *oldest = target->before;

	if (!target->source->has_samples) {
		target->before = target->now;
		target->now = oldest;
	}
	return target->source->read(target);
}
