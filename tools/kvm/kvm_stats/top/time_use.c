// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "top/time_use.h"
#include "values/row.h"

static struct class_use *class_of(struct time_use *use, const char *name)
{
	struct class_use *class;
	size_t i;

	for (i = 0; i < use->classes; i++) {
		if (!strcmp(use->class[i].name, name))
			return &use->class[i];
	}
	if (i == EXIT_KINDS)
		return NULL;
	class = &use->class[use->classes++];
	*class = (struct class_use){ 0 };
	snprintf(class->name, sizeof(class->name), "%s", name);
	return class;
}

/* Adds the exits of a class, if there have been any since the vCPU was created. */
static void add_class(struct time_use *use, const struct target *target,
		      const struct exit_kind_stats *kind)
{
	struct class_use *class;
	struct row count, ns;

	row_get(&count, target, kind->count);
	row_get(&ns, target, kind->ns);
	class = count.value || ns.value ? class_of(use, kind->name) : NULL;
	if (!class)
		return;
	class->rate += count.rate;
	class->ns += ns.rate;
}

static int by_time(const void *x, const void *y)
{
	const struct class_use *a = x, *b = y;
	int order = (a->ns < b->ns) - (a->ns > b->ns);

	if (!order)
		order = (a->rate < b->rate) - (a->rate > b->rate);
	return order ? order : strcmp(a->name, b->name);
}

static void finish(struct time_use *use)
{
	size_t i;

	for (i = 0; i < use->classes; i++)
		use->class[i].percent = 100 * use->class[i].ns / SECOND / (double)use->times.vcpus;
	qsort(use->class, use->classes, sizeof(*use->class), by_time);
}

static void add_target(struct time_use *use, const struct exit_stats *stats,
		       const struct target *target)
{
	size_t i;

	if (!vcpu_times_add(&use->times, stats, target))
		return;
	for (i = 0; i < stats->classes; i++)
		add_class(use, target, &stats->kind[i]);
}

static bool add_vmm(struct time_use *use, struct exit_stats_list *list, const struct vmm *vmm,
		    const struct top_scope *scope)
{
	struct top_scope copy = *scope;
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];
		const struct exit_stats *stats;

		if (!scope_selects(target, &copy))
			continue;
		stats = exit_stats_of(list, target->set);
		if (!stats)
			return false;
		add_target(use, stats, target);
	}
	return true;
}

bool time_use_get(struct time_use *use, struct exit_stats_list *list,
		  const struct monitor *monitor, const struct top_scope *scope)
{
	size_t i;

	*use = (struct time_use){ 0 };
	for (i = 0; i < monitor->vmms; i++) {
		if (scope_selects_vmm(scope, monitor->vmm[i]) &&
		    !add_vmm(use, list, monitor->vmm[i], scope))
			return false;
	}
	if (use->times.vcpus)
		finish(use);
	return true;
}
