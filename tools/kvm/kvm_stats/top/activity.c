// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "top/activity.h"

/* Sums over targets */
struct sums {
	struct exit_tally exits;
	struct vcpu_times times;
};

static void add_sums(struct sums *sums, const struct sums *other)
{
	exit_tally_add_tally(&sums->exits, &other->exits);
	vcpu_times_add_times(&sums->times, &other->times);
}

/* ---- parts ---- */

static bool is_part_of(const struct part *part, const struct target *target)
{
	return part->origin == target->origin && !strcmp(part->label, target->label);
}

/* Usually part @i is the one of target @i. Swaps it there otherwise. */
static struct part *find_part(struct guest_activity *guest, const struct target *target, size_t i)
{
	size_t n;

	for (n = i; n < guest->parts; n++) {
		struct part part = guest->part[n];

		if (!is_part_of(&guest->part[n], target))
			continue;
		if (n != i) {
			guest->part[n] = guest->part[i];
			guest->part[i] = part;
		}
		return &guest->part[i];
	}
	return NULL;
}

/* Appends a part, and moves it to place @i. */
static struct part *add_part(struct guest_activity *guest, const struct target *target, size_t i)
{
	struct part *more = array_grow(guest->part, guest->parts, &guest->capacity, sizeof(*more));

	if (!more)
		return NULL;
	guest->part = more;
	more[guest->parts++] = more[i];
	more[i] = (struct part){ .origin = target->origin, .scope = scope_of_target(target) };
	snprintf(more[i].label, LABEL_SIZE, "%s", target->label);
	return &more[i];
}

static bool is_new(const struct monitor *monitor, const struct target *target)
{
	return monitor->time_before && !kvmstats_sample_time(target->before);
}

static void set_figures(struct part *part, const struct guest_activity *guest,
			const struct target *target, struct sums *sums)
{
	const struct thread *thread = NULL;

	figures_clear(&part->figures);
	if (target->scope == SCOPE_VCPU && guest->vms == 1)
		thread = process_vcpu(&guest->process, target->vcpu);
	if (thread)
		figures_set_thread(&part->figures, &guest->process, thread);
	figures_set_exits(&part->figures, &sums->exits);
	figures_set_times(&part->figures, &sums->times);
}

static void remember(struct history *history, const struct monitor *monitor,
		     const struct figures *figures)
{
	if (monitor->time_before && figures->exits >= 0)
		history_add(history, monitor->time_before, monitor->time, figures->exits);
}

/* Adds the rates of the target to @sums. */
static bool update_part(struct activities *activities, struct guest_activity *guest,
			const struct monitor *monitor, size_t i, struct sums *sums)
{
	const struct target *target = guest->vmm->target[i];
	const struct exit_stats *stats = exit_stats_of(&activities->exit_stats, target->set);
	struct part *part = find_part(guest, target, i);
	struct sums own = { 0 };

	if (!part)
		part = add_part(guest, target, i);
	if (!part || !stats)
		return false;
	exit_tally_add(&own.exits, stats, target);
	vcpu_times_add(&own.times, stats, target);
	set_figures(part, guest, target, &own);
	part->appeared = is_new(monitor, target);
	guest->appeared &= part->appeared;
	remember(&part->history, monitor, &part->figures);
	add_sums(sums, &own);
	return true;
}

/*
 * Several sources count the same exits. Returns whether the sum over the guest includes this
 * target: only the first source counts, but statistics fds do however they were opened.
 */
static bool counts(const struct vmm *vmm, const struct target *target)
{
	enum origin first = vmm->target[0]->origin;

	return target->origin == first ||
	       (target->origin <= ORIGIN_QMP && first <= ORIGIN_QMP);
}

static bool update_parts(struct activities *activities, struct guest_activity *guest,
			 const struct monitor *monitor, struct sums *sums)
{
	struct sums ignored;
	size_t i;

	guest->appeared = guest->vmm->targets;
	for (i = 0; i < guest->vmm->targets; i++) {
		bool counted = counts(guest->vmm, guest->vmm->target[i]);

		ignored = (struct sums){ 0 };
		if (!update_part(activities, guest, monitor, i, counted ? sums : &ignored))
			return false;
	}
	guest->parts = i;
	return true;
}

/* ---- guests ---- */

bool guest_is_unreadable(const struct guest_activity *guest)
{
	return guest->vmm && !guest->vmm->targets;
}

static int error_of(const struct vmm *vmm)
{
	if (vmm->fd_error)
		return vmm->fd_error;
	return vmm->debugfs_error ? vmm->debugfs_error : vmm->tracepoints_error;
}

static int by_id(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Writes the IDs of all vCPUs, also of those that the filter does not select. */
static size_t list_ids(int *id, const struct vmm *vmm)
{
	size_t targets = vmm->kvm ? kvmstats_vmm_targets(vmm->kvm) : vmm->targets;
	size_t count = 0;
	size_t i;

	for (i = 0; i < targets && count < vmm->vcpus; i++) {
		int vcpu = vmm->kvm ? kvmstats_target_vcpu(kvmstats_vmm_target(vmm->kvm, i)) :
				      vmm->target[i]->vcpu;

		if (vcpu >= 0)
			id[count++] = vcpu;
	}
	if (count)
		qsort(id, count, sizeof(*id), by_id);
	return count;
}

static bool update_process(struct guest_activity *guest)
{
	int *id;
	bool good;

	if (!guest->pid)
		return true;
	id = calloc(guest->vcpus + 1, sizeof(*id));
	if (!id)
		return false;
	good = process_update(&guest->process, clock_now(), id, list_ids(id, guest->vmm));
	free(id);
	figures_set_process(&guest->figures, &guest->process, guest->vcpus);
	return good;
}

static bool update_guest(struct activities *activities, struct guest_activity *guest,
			 const struct monitor *monitor, struct exit_tally *sum)
{
	const struct vmm *vmm = guest->vmm;
	struct sums own = { 0 };

	guest->vms = vmm->vms;
	guest->vcpus = vmm->vcpus;
	guest->missing = vmm->targets ? vmm->missing : vmm->vms + vmm->vcpus;
	guest->error = error_of(vmm);
	figures_clear(&guest->figures);
	if (!update_process(guest))
		return false;
	if (!update_parts(activities, guest, monitor, &own))
		return false;
	exit_tally_add_tally(sum, &own.exits);
	figures_set_exits(&guest->figures, &own.exits);
	figures_set_times(&guest->figures, &own.times);
	remember(&guest->history, monitor, &guest->figures);
	figures_add_sums(&activities->sum, &guest->figures);
	return true;
}

static void free_guest(struct guest_activity *guest)
{
	process_free(&guest->process);
	free(guest->part);
	free(guest);
}

static struct guest_activity *find_guest(struct activities *activities, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < activities->guests; i++) {
		if (activities->guest[i]->vmm == vmm)
			return activities->guest[i];
	}
	return NULL;
}

static struct guest_activity *add_guest(struct activities *activities, const struct vmm *vmm)
{
	struct guest_activity **more = array_grow(activities->guest, activities->guests,
						  &activities->capacity, sizeof(*more));
	struct guest_activity *guest = more ? calloc(1, sizeof(*guest)) : NULL;

	if (more)
		activities->guest = more;
	if (!guest)
		return NULL;
	guest->vmm = vmm;
	guest->pid = vmm->pid;
	guest->scope = scope_of_vmm(vmm);
	sanitize(vmm->guest ? vmm->guest : vmm->comm, guest->name, sizeof(guest->name));
	process_init(&guest->process, vmm->pid);
	more[activities->guests++] = guest;
	return guest;
}

/* A new process can have the PID of one that has ended. */
static bool is_replaced(const struct activities *activities, const struct guest_activity *ended)
{
	size_t i;

	for (i = 0; i < activities->guests; i++) {
		if (activities->guest[i]->vmm &&
		    activities->guest[i]->scope.key == ended->scope.key)
			return true;
	}
	return false;
}

static void remove_ended(struct activities *activities, uint64_t kept)
{
	size_t i = 0;

	while (i < activities->guests) {
		struct guest_activity *guest = activities->guest[i];

		if (guest->vmm || (guest->scope.key == kept && !is_replaced(activities, guest))) {
			i++;
			continue;
		}
		activities->guest[i] = activities->guest[--activities->guests];
		free_guest(guest);
	}
}

bool activities_update(struct activities *activities, const struct monitor *monitor,
		       uint64_t kept)
{
	struct exit_tally sum = { 0 };
	size_t i;

	figures_clear(&activities->sum);
	activities->exit_stats.state = monitor_exits(monitor);
	for (i = 0; i < monitor->vmms; i++) {
		struct guest_activity *guest = find_guest(activities, monitor->vmm[i]);

		if (!guest)
			guest = add_guest(activities, monitor->vmm[i]);
		if (!guest || !update_guest(activities, guest, monitor, &sum))
			return false;
	}
	remove_ended(activities, kept);
	figures_set_exits(&activities->sum, &sum);
	remember(&activities->history, monitor, &activities->sum);
	return true;
}

void activities_end(struct activities *activities, const struct vmm *vmm)
{
	struct guest_activity *guest = find_guest(activities, vmm);

	if (guest)
		guest->vmm = NULL;
}

const struct guest_activity *activities_find(const struct activities *activities, uint64_t key)
{
	size_t i;

	for (i = 0; i < activities->guests; i++) {
		if (activities->guest[i]->scope.key == key)
			return activities->guest[i];
	}
	return NULL;
}

void activities_free(struct activities *activities)
{
	size_t i;

	for (i = 0; i < activities->guests; i++)
		free_guest(activities->guest[i]);
	free(activities->guest);
	exit_stats_free(&activities->exit_stats);
	*activities = (struct activities){ 0 };
}
