// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "util.h"
#include "values/set_sum.h"
#include "values/totals.h"

/* A selected target, and the sum that it is added to. */
struct addend {
	const struct target *target;
	struct set_sum *sum;
};

struct totals_state {
	const struct monitor *monitor;
	bool (*selects)(const struct target *target, void *arg);
	void *arg;
	uint64_t generation;		/* monitor->generation of what follows, 0: not built yet */
	struct set_sum *sum;
	size_t sums;
	struct addend *addend;
	size_t addends;
	size_t capacity;
};

static void free_sums(struct totals_state *state)
{
	size_t i;

	for (i = 0; i < state->sums; i++)
		set_sum_free(&state->sum[i]);
	free(state->sum);
	state->sum = NULL;
	state->sums = 0;
}

static struct total *find_total(struct totals *totals, const struct kvmstats_stat *stat,
				enum origin origin)
{
	struct total **more;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		if (total_matches(totals->total[i], stat, origin))
			return totals->total[i];
	}
	more = realloc(totals->total, (totals->totals + 1) * sizeof(*more));
	if (!more)
		return NULL;
	totals->total = more;
	more[totals->totals] = total_new(stat, origin);
	return more[totals->totals] ? more[totals->totals++] : NULL;
}

/* Statistics fds have the same content, whether kvm-stats opened them or the VMM did. */
static enum origin merged_origin(enum origin origin)
{
	return origin <= ORIGIN_QMP ? ORIGIN_OPENED : origin;
}

static int add_sum(struct totals *totals, const struct stat_set *set, enum origin origin)
{
	struct totals_state *state = totals->state;
	struct set_sum *more = realloc(state->sum, (state->sums + 1) * sizeof(*more));
	struct set_sum *sum;
	size_t i;
	int err;

	if (!more)
		return -ENOMEM;
	state->sum = more;
	sum = &more[state->sums++];
	err = set_sum_init(sum, set, origin);
	for (i = 0; !err && i < set->stats; i++) {
		sum->slot[i].total = find_total(totals, set->stat[i], origin);
		if (!sum->slot[i].total)
			return -ENOMEM;
		sum->slot[i].total->present = true;
	}
	return err;
}

static struct set_sum *find_sum(const struct totals_state *state, const struct target *target)
{
	size_t i;

	for (i = 0; i < state->sums; i++) {
		if (state->sum[i].set == target->set &&
		    state->sum[i].origin == merged_origin(target->origin))
			return &state->sum[i];
	}
	return NULL;
}

static bool selects(const struct totals_state *state, const struct target *target)
{
	return !state->selects || state->selects(target, state->arg);
}

static int add_target(struct totals_state *state, const struct target *target)
{
	struct addend *more;

	more = array_grow(state->addend, state->addends, &state->capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	state->addend = more;
	state->addend[state->addends++].target = target;
	return 0;
}

static int select_targets(struct totals *totals)
{
	struct totals_state *state = totals->state;
	const struct monitor *monitor = state->monitor;
	size_t i, j;
	int err = 0;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		for (j = 0; !err && j < vmm->targets; j++) {
			const struct target *target = vmm->target[j];

			if (!selects(state, target))
				continue;
			err = add_target(state, target);
			if (!err && !find_sum(state, target))
				err = add_sum(totals, target->set, merged_origin(target->origin));
		}
	}
	return err;
}

static int rebuild(struct totals *totals)
{
	struct totals_state *state = totals->state;
	size_t i;
	int err;

	free_sums(state);
	state->addends = 0;
	state->generation = 0;
	for (i = 0; i < totals->totals; i++)
		totals->total[i]->present = false;
	err = select_targets(totals);
	if (err)
		return err;
	/* Look the sums up after all are added, because realloc() moves them. */
	for (i = 0; i < state->addends; i++)
		state->addend[i].sum = find_sum(state, state->addend[i].target);
	state->generation = state->monitor->generation;
	return 0;
}

int totals_update(struct totals *totals)
{
	struct totals_state *state = totals->state;
	const struct monitor *monitor = state->monitor;
	uint64_t interval = monitor->time_before ? monitor->time - monitor->time_before : 0;
	size_t i;
	int err;

	if (state->generation != monitor->generation) {
		err = rebuild(totals);
		if (err)
			return err;
	}
	for (i = 0; i < totals->totals; i++)
		total_clear(totals->total[i]);
	for (i = 0; i < state->sums; i++)
		set_sum_clear(&state->sum[i]);
	for (i = 0; i < state->addends; i++)
		set_sum_add(state->addend[i].sum, state->addend[i].target);
	for (i = 0; i < state->sums; i++)
		set_sum_store(&state->sum[i]);
	for (i = 0; i < totals->totals; i++)
		total_finish(totals->total[i], interval);
	return 0;
}

int totals_open(struct totals **totalsp, const struct monitor *monitor,
		bool (*selects)(const struct target *target, void *arg), void *arg)
{
	struct totals *totals = calloc(1, sizeof(*totals));
	struct totals_state *state = calloc(1, sizeof(*state));

	*totalsp = NULL;
	if (!totals || !state) {
		free(totals);
		free(state);
		return -ENOMEM;
	}
	*state = (struct totals_state){ .monitor = monitor, .selects = selects, .arg = arg };
	totals->state = state;
	*totalsp = totals;
	return 0;
}

void totals_reselect(struct totals *totals)
{
	totals->state->generation = 0;
}

void totals_close(struct totals *totals)
{
	size_t i;

	if (!totals)
		return;
	for (i = 0; i < totals->totals; i++)
		total_free(totals->total[i]);
	free(totals->total);
	free_sums(totals->state);
	free(totals->state->addend);
	free(totals->state);
	free(totals);
}
