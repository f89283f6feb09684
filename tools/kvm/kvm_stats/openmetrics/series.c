// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "openmetrics/label.h"
#include "openmetrics/series.h"

static void put_number(struct text *text, const char *name, int number)
{
	char value[16] = "";

	if (number >= 0)
		snprintf(value, sizeof(value), "%d", number);
	put_label(text, name, value);
}

void put_vmm_labels(struct text *text, const struct vmm *vmm)
{
	put_number(text, "pid", vmm->pid);
	put_label(text, "guest", vmm->guest ? vmm->guest : "");
}

static void put_labels(struct text *text, const struct target *target)
{
	put_vmm_labels(text, target->vmm);
	put_number(text, "vm", target->vm);
	if (target->scope == SCOPE_VCPU)
		put_number(text, "vcpu", target->vcpu);
	if (target->scope == SCOPE_VCPU && target->vm < 0)
		put_number(text, "fd", target->vmm_fd);
	text_add(text, "", 1);
}

static void add_series(struct series_list *list, const struct target *target)
{
	list->series[list->count++] = (struct series){
		.target = target,
		.kind = kind_of(target),
		.labels = list->labels.size,
	};
	put_labels(&list->labels, target);
}

static int resize(struct series_list *list, const struct monitor *monitor)
{
	size_t count = monitor_targets(monitor);
	struct series *more = reallocarray(list->series, count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	list->series = more;
	return 0;
}

int series_update(struct series_list *list, const struct monitor *monitor)
{
	size_t i, j;

	if (list->made && list->generation == monitor->generation)
		return 0;
	list->made = false;
	list->count = 0;
	list->labels.size = 0;
	list->labels.failed = false;
	if (resize(list, monitor))
		return -ENOMEM;
	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++)
			add_series(list, monitor->vmm[i]->target[j]);
	}
	if (list->labels.failed)
		return -ENOMEM;
	list->generation = monitor->generation;
	list->made = true;
	return 0;
}

void series_free(struct series_list *list)
{
	free(list->series);
	text_free(&list->labels);
	*list = (struct series_list){ 0 };
}
