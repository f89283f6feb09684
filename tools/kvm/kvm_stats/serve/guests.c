// SPDX-License-Identifier: GPL-2.0-only
/* The guests in an exposition: see names.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/names.h"
#include "util.h"

/* ---- names ---- */

static bool is_named(const struct vmm *vmm)
{
	return vmm->guest && *vmm->guest;
}

static void set_name(struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;

	if (is_named(vmm))
		label_text(vmm->guest, guest->name);
	else
		label_text(vmm->cgroup ? vmm->cgroup : "", guest->name);
}

static const char *uuid_of(const struct guest *guest)
{
	return guest->vmm->uuid ? guest->vmm->uuid : "";
}

/* Names are compared as they are exposed, so that no two series are the same. */
static void mark_ambiguous(const struct guest_list *guests)
{
	struct guest *end = guests->guest + guests->count, *a, *b;

	for (a = guests->guest; a < end; a++) {
		a->ambiguous |= !*a->name && !*uuid_of(a);
		for (b = a + 1; b < end; b++) {
			if (strcmp(a->name, b->name) || strcmp(uuid_of(a), uuid_of(b)))
				continue;
			a->ambiguous = true;
			b->ambiguous = true;
		}
	}
}

void put_guest(FILE *to, const struct guest *guest)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "pid %d", (int)guest->vmm->pid);
	put_label(to, '{', "guest",
		  guest->ambiguous && !is_named(guest->vmm) ? pid : guest->name);
	put_label(to, ',', "uuid", uuid_of(guest));
}

void put_guest_labels(FILE *to, const struct guest *guest)
{
	put_guest(to, guest);
	if (guest->ambiguous && is_named(guest->vmm) && guest->vmm->pid)
		fprintf(to, ",pid=\"%d\"", (int)guest->vmm->pid);
}

/* ---- the list ---- */

static void free_listed(struct guest *guest, size_t count)
{
	while (count)
		process_free(&guest[--count].process);
	free(guest);
}

/*
 * Moves the process of @vmm from the guests @old. Both lists have the order of PIDs. A new guest
 * has a process without values.
 */
static struct process keep_process(struct guest *old, size_t olds, size_t *cursor,
				   const struct vmm *vmm)
{
	struct process kept = { .pid = vmm->orphan ? 0 : vmm->pid };
	size_t i;

	for (i = *cursor; i < olds && old[i].vmm_id != vmm->id; i++)
		;
	if (i == olds)
		return kept;
	kept = old[i].process;
	old[i].process = (struct process){ 0 };
	*cursor = i + 1;
	return kept;
}

static const struct kvmstats_schema *schema_of_vcpus(const struct monitor *monitor)
{
	const struct stat_set *set = NULL;
	size_t i;

	for (i = 0; !set && i < monitor->vmms; i++)
		set = vmm_set(monitor->vmm[i], SCOPE_VCPU);
	return set ? set->schema : NULL;
}

static bool examine_guest(struct guest_list *guests, struct guest *guest,
			  const struct monitor *monitor)
{
	struct process *process = &guest->process;
	const uint64_t *waiting = &process->group[THREAD_VCPU].waiting;
	uint64_t before = *waiting;
	bool is_new = !process->time;

	set_name(guest);
	if (!process_update_vmm(process, &guests->processes, monitor->host, guest->vmm->kvm))
		return false;
	if (!is_new)
		guests->waited += *waiting - before;
	return true;
}

bool guest_list_examine(struct guest_list *guests, const struct monitor *monitor, bool all_threads)
{
	struct guest *old = guests->guest;
	size_t olds = guests->count, cursor = 0, i;
	bool good;

	guests->guest = calloc(monitor->vmms + 1, sizeof(*guests->guest));
	guests->count = guests->guest ? monitor->vmms : 0;
	good = guests->guest;
	processes_begin(&guests->processes, monitor->time, schema_of_vcpus(monitor), all_threads);
	for (i = 0; i < guests->count; i++) {
		struct guest *guest = &guests->guest[i];

		guest->vmm = monitor->vmm[i];
		guest->vmm_id = guest->vmm->id;
		guest->process = keep_process(old, olds, &cursor, guest->vmm);
		good = good && examine_guest(guests, guest, monitor);
	}
	free_listed(old, olds);
	if (good)
		mark_ambiguous(guests);
	return good;
}

void guest_list_free(struct guest_list *guests)
{
	free_listed(guests->guest, guests->count);
	processes_free(&guests->processes);
	*guests = (struct guest_list){ 0 };
}
