// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "targets/vmm.h"

static bool list_append(struct target_list *list, struct target *target)
{
	struct target **more;

	more = array_grow(list->target, list->count, &list->capacity, sizeof(*more));
	if (!more)
		return false;
	list->target = more;
	list->target[list->count++] = target;
	return true;
}

static void publish_list(struct vmm *vmm)
{
	vmm->target = vmm->list.target;
	vmm->targets = vmm->list.count;
}

void targets_begin(struct vmm *vmm)
{
	struct target_list empty = vmm->old;

	vmm->old = vmm->list;
	vmm->list = empty;
	vmm->list.count = 0;
	vmm->cursor = 0;
	vmm->changed = false;
	publish_list(vmm);
}

bool targets_end(struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->old.count; i++) {
		if (!vmm->old.target[i])
			continue;
		target_drop(vmm->old.target[i]);
		vmm->changed = true;
	}
	vmm->old.count = 0;
	publish_list(vmm);
	return vmm->changed;
}

/* Sources register targets in the same order each time, so the first comparison usually hits. */
struct target *target_keep(struct vmm *vmm, const struct target_key *key)
{
	size_t i;

	for (i = 0; i < vmm->old.count; i++) {
		size_t at = (vmm->cursor + i) % vmm->old.count;
		struct target *target = vmm->old.target[at];

		if (!target || !target_has_key(target, key))
			continue;
		if (!list_append(&vmm->list, target))
			return NULL;
		vmm->old.target[at] = NULL;
		vmm->cursor = at + 1;
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
	struct target *target = target_new(key, set);

	if (!target)
		return NULL;
	target->vmm = vmm;
	set_label(target);
	if (!list_append(&vmm->list, target)) {
		target_free(target);
		return NULL;
	}
	vmm->changed = true;
	return target;
}

void targets_free(struct vmm *vmm)
{
	targets_begin(vmm);
	targets_end(vmm);
	free(vmm->list.target);
	free(vmm->old.target);
}

bool targets_read(struct vmm *vmm)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		struct target *target = vmm->target[i];

		if (target_read(target))
			target_drop(target);
		else
			vmm->target[kept++] = target;
	}
	vmm->list.count = kept;
	publish_list(vmm);
	return kept < i;
}

void vmm_count(struct vmm *vmm)
{
	vmm->vms = kvmstats_vmm_vms(vmm->kvm);
	vmm->vcpus = kvmstats_vmm_vcpus(vmm->kvm);
}

struct vmm *vmm_new(const struct kvmstats_watch *watch)
{
	struct vmm *vmm = calloc(1, sizeof(*vmm));

	if (!vmm || !watch)
		return vmm;
	vmm->watch = watch;
	vmm->kvm = kvmstats_watch_vmm(watch);
	vmm->pid = kvmstats_vmm_pid(vmm->kvm);
	vmm->comm = kvmstats_vmm_comm(vmm->kvm);
	vmm->guest = kvmstats_vmm_guest(vmm->kvm);
	vmm->uuid = kvmstats_vmm_uuid(vmm->kvm);
	vmm_count(vmm);
	return vmm;
}

void vmm_free(struct vmm *vmm)
{
	targets_free(vmm);
	free(vmm);
}
