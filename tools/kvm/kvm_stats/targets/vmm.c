// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util.h"
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
		else if (several)
			snprintf(target->label, LABEL_SIZE, "vm%d/vcpu%d", target->vm,
				 target->vcpu);
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
		set_label(target);	/* the number of VMs may have changed */
		return target;
	}
	return NULL;
}

static bool is_same_target(const struct target *other, const struct kvmstats_target *target)
{
	if (other->vm != kvmstats_target_vm(target))
		return false;
	if (kvmstats_target_kind(target) == KVMSTATS_KIND_VM)
		return other->scope == SCOPE_VM;
	return other->scope == SCOPE_VCPU && other->vcpu == kvmstats_target_vcpu(target) &&
	       other->vmm_fd == kvmstats_target_fd(target);
}

static bool is_replaced(const struct vmm *vmm, const struct kvmstats_target *target)
{
	size_t i;

	for (i = 0; i < vmm->list.count; i++) {
		const struct target *other = vmm->list.target[i];

		if (other->source->replaces_fds && is_same_target(other, target))
			return true;
	}
	return false;
}

int vmm_reader_error(const struct vmm *vmm, const struct kvmstats_reader *reader)
{
	int err = kvmstats_reader_error(reader);

	if (err == -ESRCH || err == -ENODEV || is_replaced(vmm, kvmstats_reader_target(reader)))
		return 0;
	return err;
}

static void note_missing(struct vmm *vmm, const struct kvmstats_target *from)
{
	int vcpu = kvmstats_target_vcpu(from);

	vmm->missing_vcpus += vcpu >= 0;
	if (vmm->missing++)
		return;
	if (vcpu < 0)
		snprintf(vmm->missing_label, LABEL_SIZE, "vm");
	else
		snprintf(vmm->missing_label, LABEL_SIZE, "vcpu%d", vcpu);
}

void vmm_count_missing(struct vmm *vmm)
{
	size_t i;

	vmm->missing = 0;
	vmm->missing_vcpus = 0;
	vmm->fd_error = 0;
	for (i = 0; vmm->watch && i < kvmstats_watch_readers(vmm->watch); i++) {
		const struct kvmstats_reader *reader = kvmstats_watch_reader(vmm->watch, i);
		int err = vmm_reader_error(vmm, reader);

		if (!err)
			continue;
		vmm->fd_error = err;
		note_missing(vmm, kvmstats_reader_target(reader));
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

bool vmm_has_origin(const struct vmm *vmm, enum origin origin)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->origin == origin)
			return true;
	}
	return false;
}

bool vmm_has_sums(const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->source->has_sums)
			return true;
	}
	return false;
}

bool vmm_lacks_only_vm(const struct vmm *vmm)
{
	if (!vmm->targets || vmm->missing_vcpus || vmm_has_sums(vmm))
		return false;
	if (vmm->missing)
		return vmm->fd_error == -EIO;
	return vmm->debugfs_error && vmm_has_origin(vmm, ORIGIN_DEBUGFS);
}

static bool has_selected_stat(const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (vmm->target[i]->set->stats)
			return true;
	}
	return false;
}

bool vmm_may_lack_vm(const struct vmm *vmm, const struct filter *filter)
{
	return vmm_lacks_only_vm(vmm) && !vmm->qmp_error && !filter->vm &&
	       (!filter->has_regex || has_selected_stat(vmm));
}

const char *vmm_sources(const struct vmm *vmm, char *buf, size_t size)
{
	size_t used = 0;
	int origin;

	snprintf(buf, size, "none");
	for (origin = ORIGIN_OPENED; origin <= ORIGIN_TRACEPOINTS; origin++) {
		if (used < size && vmm_has_origin(vmm, origin))
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "+" : "",
						 origin_name(origin));
	}
	return buf;
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
	if (!vmm->pid)
		vmm->number = kvmstats_target_number(kvmstats_vmm_target(vmm->kvm, 0));
	vmm->uuid = kvmstats_vmm_uuid(vmm->kvm);
	vmm_count(vmm);
	return vmm;
}

void vmm_free(struct vmm *vmm)
{
	targets_free(vmm);
	free(vmm);
}
