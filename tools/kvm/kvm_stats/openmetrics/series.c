// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "openmetrics/label.h"
#include "openmetrics/series.h"

static void put_number(struct text *text, const char *name, int number)
{
	char value[16];

	snprintf(value, sizeof(value), "%d", number);
	put_label(text, name, value);
}

/* Adds a series for the last @targets entries of list->target. */
static void add_series(struct series_list *list, const struct identity *identity,
		       enum kind kind, size_t targets)
{
	size_t first = list->targets - targets;
	const struct target *target = list->target[first];

	list->series[list->count++] = (struct series){
		.kind = kind,
		.set = target->set,
		.first = first,
		.targets = targets,
		.labels = list->labels.size,
	};
	put_guest_labels(&list->labels, identity);
	if (target->scope == SCOPE_VM && identity->vmm->vms > 1 && target->vm >= 0)
		put_number(&list->labels, "vm", target->vm);
	if (kind == KIND_VCPU)
		put_number(&list->labels, "vcpu", target->vcpu);
	text_add(&list->labels, "", 1);
}

/* Returns the index after the vCPUs that follow target @i, at most those with the same ID. */
static size_t end_of_vcpus(const struct vmm *vmm, size_t i, bool same_id)
{
	size_t end = i + 1;

	while (end < vmm->targets && kind_of(vmm->target[end]) == KIND_VCPU &&
	       (!same_id || vmm->target[end]->vcpu == vmm->target[i]->vcpu))
		end++;
	return end;
}

static void copy_targets(struct series_list *list, const struct vmm *vmm, size_t i, size_t end)
{
	for (; i < end; i++)
		list->target[list->targets++] = vmm->target[i];
}

/* Adds the series of the vCPUs from target @i. Returns the index after them. */
static size_t add_vcpus(struct series_list *list, const struct identity *identity, size_t i)
{
	const struct vmm *vmm = identity->vmm;
	size_t end = end_of_vcpus(vmm, i, false), next;

	/* While a vCPU is missing, the sum would be too small, and then seem to grow at once. */
	if (!vmm->missing_vcpus) {
		copy_targets(list, vmm, i, end);
		add_series(list, identity, KIND_GUEST, end - i);
	}
	for (; list->per_vcpu && i < end; i = next) {
		next = end_of_vcpus(vmm, i, true);
		copy_targets(list, vmm, i, next);
		add_series(list, identity, KIND_VCPU, next - i);
	}
	return end;
}

static void add_vmm(struct series_list *list, const struct identity *identity)
{
	const struct vmm *vmm = identity->vmm;
	size_t i = 0;

	while (i < vmm->targets) {
		enum kind kind = kind_of(vmm->target[i]);

		if (kind == KIND_VCPU) {
			i = add_vcpus(list, identity, i);
			continue;
		}
		copy_targets(list, vmm, i, i + 1);
		add_series(list, identity, kind, 1);
		i++;
	}
}

/* Each target is in at most two series. */
static int resize(struct series_list *list, const struct monitor *monitor)
{
	size_t count = 2 * monitor_targets(monitor) + 1;
	struct series *series = reallocarray(list->series, count, sizeof(*series));
	const struct target **target;

	if (!series)
		return -ENOMEM;
	list->series = series;
	target = reallocarray(list->target, count, sizeof(*target));
	if (!target)
		return -ENOMEM;
	list->target = target;
	return 0;
}

int series_update(struct series_list *list, const struct monitor *monitor)
{
	size_t i;

	if (list->made && list->generation == monitor->generation)
		return 0;
	list->made = false;
	list->count = 0;
	list->targets = 0;
	list->labels.size = 0;
	list->labels.failed = false;
	if (resize(list, monitor) || identities_update(&list->identities, monitor))
		return -ENOMEM;
	for (i = 0; i < list->identities.count; i++)
		add_vmm(list, &list->identities.identity[i]);
	if (list->labels.failed)
		return -ENOMEM;
	list->generation = monitor->generation;
	list->made = true;
	return 0;
}

void series_free(struct series_list *list)
{
	free(list->series);
	free(list->target);
	text_free(&list->labels);
	identities_free(&list->identities);
	*list = (struct series_list){ 0 };
}
