// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/output.h"
#include "kvmstats.h"
#include "top/table.h"

static struct table_line *add(struct table *table)
{
	struct table_line *more = array_grow(table->line, table->lines, &table->capacity,
					     sizeof(*more));

	if (!more)
		return NULL;
	table->line = more;
	more += table->lines++;
	memset(more, 0, sizeof(*more));
	return more;
}

static bool matches(const regex_t *filter, const char *name)
{
	return !filter || !regexec(filter, name, 0, NULL, 0);
}

/* ---- order ---- */

/* Lines that are equal keep the order by name. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct table_line *a = x, *b = y;
	const struct table_order *order = arg;
	int result;

	if (a->sum != b->sum)
		return a->sum ? -1 : 1;
	result = column_compare(order->column, a, b);
	if (column_types[order->column].ascending == order->reversed)
		result = -result;
	return result ? result : column_compare(COLUMN_NAME, a, b);
}

static void sort(struct table *table, const struct table_order *order)
{
	if (table->lines)
		qsort_r(table->line, table->lines, sizeof(*table->line), compare, (void *)order);
}

/* ---- guests ---- */

static void set_problem(struct table_line *line, const struct guest_activity *guest)
{
	char buf[96];

	if (!guest->vmm)
		snprintf(line->problem, sizeof(line->problem), "has ended");
	else if (guest->error)
		snprintf(line->problem, sizeof(line->problem), "cannot be read: %s",
			 kvmstats_strerror(guest->error, buf, sizeof(buf)));
	else
		snprintf(line->problem, sizeof(line->problem), "no statistics");
}

static bool lacks_only_vms(const struct guest_activity *guest)
{
	return guest->vmm && vmm_lacks_only_vm(guest->vmm);
}

/* Whether the sums over the guest contain all of it. */
static bool is_complete(const struct guest_activity *guest)
{
	return guest->vmm && !guest_is_unreadable(guest) &&
	       (!guest->missing || lacks_only_vms(guest) || vmm_has_sums(guest->vmm));
}

static void set_guest(struct table_line *line, const struct guest_activity *guest)
{
	snprintf(line->name, sizeof(line->name), "%s", guest->name);
	line->pid = guest->pid;
	line->vcpus = guest->vcpus;
	line->missing = guest->missing;
	line->lacks_only_vms = lacks_only_vms(guest);
	line->figures = guest->figures;
	line->history = &guest->history;
	line->appeared = guest->appeared;
	line->scope = guest->scope;
	if (!guest->vmm || guest_is_unreadable(guest))
		set_problem(line, guest);
}

static bool add_sum(struct table *table, const struct activities *activities)
{
	struct table_line *line = add(table);
	size_t missing = 0, lacks = 0, complete = 0;
	size_t i;

	if (!line)
		return false;
	line->sum = true;
	line->figures = activities->sum;
	line->history = &activities->history;
	for (i = 0; i < activities->guests; i++) {
		const struct guest_activity *guest = activities->guest[i];

		line->vcpus += guest->vcpus;
		line->missing += guest->missing;
		missing += lacks_only_vms(guest) ? 0 : guest->missing;
		lacks += lacks_only_vms(guest);
		complete += is_complete(guest);
	}
	if (complete == activities->guests)
		snprintf(line->name, sizeof(line->name), "all %zu guests", complete);
	else
		snprintf(line->name, sizeof(line->name), "sum, %zu of %zu", complete,
			 activities->guests);
	line->lacks_only_vms = lacks && !missing;
	return true;
}

bool table_guests(struct table *table, const struct activities *activities, const regex_t *filter,
		  const struct table_order *order)
{
	size_t i;

	table->lines = 0;
	if (activities->guests > 1 && !filter && !add_sum(table, activities))
		return false;
	for (i = 0; i < activities->guests; i++) {
		const struct guest_activity *guest = activities->guest[i];
		struct table_line *line;

		if (!matches(filter, guest->name))
			continue;
		line = add(table);
		if (!line)
			return false;
		set_guest(line, guest);
	}
	sort(table, order);
	return true;
}

/* ---- VMs and vCPUs ---- */

static void set_part(struct table_line *line, const struct part *part)
{
	snprintf(line->name, sizeof(line->name), "%s", part->label);
	line->figures = part->figures;
	line->history = &part->history;
	line->appeared = part->appeared;
	line->scope = part->scope;
	line->vcpus = strstr(part->label, "vcpu") ? 1 : 0;
}

static bool add_guest_sum(struct table *table, const struct guest_activity *guest)
{
	struct table_line *line = add(table);

	if (!line)
		return false;
	set_guest(line, guest);
	snprintf(line->name, sizeof(line->name), "%s",
		 is_complete(guest) || !guest->vmm ? "whole guest" : "part of guest");
	line->sum = true;
	return true;
}

bool table_parts(struct table *table, const struct guest_activity *guest, const regex_t *filter,
		 const struct table_order *order)
{
	size_t i;

	table->lines = 0;
	if (!filter && !add_guest_sum(table, guest))
		return false;
	for (i = 0; i < guest->parts; i++) {
		struct table_line *line;

		if (!matches(filter, guest->part[i].label))
			continue;
		line = add(table);
		if (!line)
			return false;
		set_part(line, &guest->part[i]);
	}
	sort(table, order);
	return true;
}

/* ---- finding lines ---- */

size_t table_find(const struct table *table, const struct top_scope *scope, size_t fallback)
{
	size_t i;

	for (i = 0; i < table->lines; i++) {
		if (scope_is_same(&table->line[i].scope, scope))
			return i;
	}
	return fallback;
}

void table_free(struct table *table)
{
	free(table->line);
	*table = (struct table){ 0 };
}
