// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/set_sum.h"
#include "values/total.h"

struct totals_state {
	const struct monitor *monitor;
	bool (*selects)(const struct target *target, void *arg);
	void *arg;
	uint64_t generation;		/* monitor->generation of what follows, 0: not built yet */
	struct set_sum *sum;
	size_t sums;
	const struct target **target;	/* the selected targets, and */
	struct set_sum **sum_of;	/* the sum that each of them is added to */
	size_t targets;
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

static bool matches(const struct total *total, const struct kvmstats_stat *stat, enum origin origin)
{
	return total->origin == origin && total->size == kvmstats_stat_size(stat) &&
	       kvmstats_stat_flags(total->stat) == kvmstats_stat_flags(stat) &&
	       !strcmp(total->name, kvmstats_stat_name(stat));
}

static struct total *new_total(const struct kvmstats_stat *stat, enum origin origin)
{
	unsigned int size = kvmstats_stat_size(stat);
	struct total *total = calloc(1, sizeof(*total));

	if (!total)
		return NULL;
	*total = (struct total){
		.name = kvmstats_stat_name(stat),
		.stat = stat,
		.origin = origin,
		.counts_up = stat_counts_up(stat),
		.size = size,
		.values = calloc(size, sizeof(*total->values)),
		.deltas = calloc(size, sizeof(*total->deltas)),
	};
	if (total->values && total->deltas)
		return total;
	free(total->values);
	free(total->deltas);
	free(total);
	return NULL;
}

static struct total *find_total(struct totals *totals, const struct kvmstats_stat *stat,
				enum origin origin)
{
	struct total **more;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		if (matches(totals->total[i], stat, origin))
			return totals->total[i];
	}
	more = realloc(totals->total, (totals->totals + 1) * sizeof(*more));
	if (!more)
		return NULL;
	totals->total = more;
	more[totals->totals] = new_total(stat, origin);
	return more[totals->totals] ? more[totals->totals++] : NULL;
}

/* Statistics fds have the same content, whether kvm-stats opened them or the VMM did. */
static enum origin merged_origin(enum origin origin)
{
	return origin == ORIGIN_TAKEN ? ORIGIN_OPENED : origin;
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
	if (state->targets == state->capacity) {
		size_t capacity = state->capacity ? state->capacity * 2 : 64;
		const struct target **more = realloc(state->target, capacity * sizeof(*more));
		struct set_sum **sums;

		if (!more)
			return -ENOMEM;
		state->target = more;
		sums = realloc(state->sum_of, capacity * sizeof(*sums));
		if (!sums)
			return -ENOMEM;
		state->sum_of = sums;
		state->capacity = capacity;
	}
	state->target[state->targets++] = target;
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
	state->targets = 0;
	state->generation = 0;
	for (i = 0; i < totals->totals; i++)
		totals->total[i]->present = false;
	err = select_targets(totals);
	if (err)
		return err;
	/* Look the sums up after all are added, because realloc() moves them. */
	for (i = 0; i < state->targets; i++)
		state->sum_of[i] = find_sum(state, state->target[i]);
	state->generation = state->monitor->generation;
	return 0;
}

static void clear(struct total *total)
{
	memset(total->values, 0, total->size * sizeof(*total->values));
	memset(total->deltas, 0, total->size * sizeof(*total->deltas));
	total->cleared = false;
}

static void finish(struct total *total, uint64_t interval)
{
	unsigned int n;

	total->value = 0;
	total->delta = 0;
	for (n = 0; n < total->size; n++) {
		total->value += total->values[n];
		total->delta += total->deltas[n];
	}
	total->rate = interval ? (double)total->delta * 1e9 / (double)interval : 0;
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
		clear(totals->total[i]);
	for (i = 0; i < state->sums; i++)
		set_sum_clear(&state->sum[i]);
	for (i = 0; i < state->targets; i++)
		set_sum_add(state->sum_of[i], state->target[i]);
	for (i = 0; i < state->sums; i++)
		set_sum_store(&state->sum[i]);
	for (i = 0; i < totals->totals; i++)
		finish(totals->total[i], interval);
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
	for (i = 0; i < totals->totals; i++) {
		free(totals->total[i]->values);
		free(totals->total[i]->deltas);
		free(totals->total[i]);
	}
	free(totals->total);
	free_sums(totals->state);
	free(totals->state->target);
	free(totals->state->sum_of);
	free(totals->state);
	free(totals);
}
