// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "total.h"

/* Where the statistics of a set, as one source gives them, are added to. */
struct route {
	const struct stat_set *set;
	enum origin origin;
	struct total **to;		/* one for each of set->stat */
};

struct totals_state {
	const struct monitor *monitor;
	bool (*takes)(const struct target *target, void *arg);
	void *arg;
	uint64_t generation;		/* what the rest was made for, 0: nothing */
	struct route *route;
	size_t routes;
	const struct target **target;	/* whose numbers count */
	const struct route **via;
	size_t targets;
	size_t room;
};

static bool counts_up(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

static void free_routes(struct totals_state *state)
{
	size_t i;

	for (i = 0; i < state->routes; i++)
		free(state->route[i].to);
	free(state->route);
	state->route = NULL;
	state->routes = 0;
}

static bool is_of(const struct total *total, const struct kvmstats_stat *stat, enum origin origin)
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
		.counts_up = counts_up(stat),
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
		if (is_of(totals->total[i], stat, origin))
			return totals->total[i];
	}
	more = realloc(totals->total, (totals->totals + 1) * sizeof(*more));
	if (!more)
		return NULL;
	totals->total = more;
	more[totals->totals] = new_total(stat, origin);
	return more[totals->totals] ? more[totals->totals++] : NULL;
}

/* How the numbers were had makes no difference to their meaning. */
static enum origin kind_of(enum origin origin)
{
	return origin == ORIGIN_TAKEN ? ORIGIN_OPENED : origin;
}

static int add_route(struct totals *totals, const struct stat_set *set, enum origin origin)
{
	struct totals_state *state = totals->state;
	struct route *more = realloc(state->route, (state->routes + 1) * sizeof(*more));
	struct route *route;
	size_t i;

	if (!more)
		return -ENOMEM;
	state->route = more;
	route = &more[state->routes];
	*route = (struct route){ set, origin, calloc(set->stats + 1, sizeof(*route->to)) };
	if (!route->to)
		return -ENOMEM;
	state->routes++;
	for (i = 0; i < set->stats; i++) {
		route->to[i] = find_total(totals, set->stat[i], origin);
		if (!route->to[i])
			return -ENOMEM;
		route->to[i]->present = true;
	}
	return 0;
}

static const struct route *find_route(const struct totals_state *state,
				      const struct target *target)
{
	size_t i;

	for (i = 0; i < state->routes; i++) {
		if (state->route[i].set == target->set &&
		    state->route[i].origin == kind_of(target->origin))
			return &state->route[i];
	}
	return NULL;
}

static bool takes(const struct totals_state *state, const struct target *target)
{
	return !state->takes || state->takes(target, state->arg);
}

static int add_target(struct totals_state *state, const struct target *target)
{
	if (state->targets == state->room) {
		size_t room = state->room ? state->room * 2 : 64;
		const struct target **more = realloc(state->target, room * sizeof(*more));
		const struct route **via;

		if (!more)
			return -ENOMEM;
		state->target = more;
		via = realloc(state->via, room * sizeof(*via));
		if (!via)
			return -ENOMEM;
		state->via = via;
		state->room = room;
	}
	state->target[state->targets++] = target;
	return 0;
}

static int choose_targets(struct totals *totals)
{
	struct totals_state *state = totals->state;
	const struct monitor *monitor = state->monitor;
	size_t i, j;
	int err = 0;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		for (j = 0; !err && j < vmm->targets; j++) {
			const struct target *target = vmm->target[j];

			if (!takes(state, target))
				continue;
			err = add_target(state, target);
			if (!err && !find_route(state, target))
				err = add_route(totals, target->set, kind_of(target->origin));
		}
	}
	return err;
}

static int choose(struct totals *totals)
{
	struct totals_state *state = totals->state;
	size_t i;
	int err;

	free_routes(state);
	state->targets = 0;
	state->generation = 0;
	for (i = 0; i < totals->totals; i++)
		totals->total[i]->present = false;
	err = choose_targets(totals);
	if (err)
		return err;
	/* Not before: routes move while they are added. */
	for (i = 0; i < state->targets; i++)
		state->via[i] = find_route(state, state->target[i]);
	state->generation = state->monitor->generation;
	return 0;
}

static void add_values(struct total *total, const uint64_t *now)
{
	bool peak = kvmstats_stat_type(total->stat) == KVMSTATS_PEAK;
	unsigned int n;

	for (n = 0; n < total->size; n++) {
		if (!peak)
			total->values[n] += now[n];
		else if (now[n] > total->values[n])
			total->values[n] = now[n];
	}
}

static void add_deltas(struct total *total, const uint64_t *before, const uint64_t *now)
{
	unsigned int n;

	for (n = 0; n < total->size; n++) {
		if (now[n] >= before[n])
			total->deltas[n] += now[n] - before[n];
		else
			total->cleared = true;
	}
}

static void add_one(const struct target *target, const struct route *route)
{
	size_t i;

	for (i = 0; i < route->set->stats; i++) {
		const struct kvmstats_stat *stat = route->set->stat[i];
		const uint64_t *before = kvmstats_sample_values(target->before, stat);
		const uint64_t *now = kvmstats_sample_values(target->now, stat);
		struct total *total = route->to[i];

		if (!now)
			continue;
		add_values(total, now);
		if (before && total->counts_up)
			add_deltas(total, before, now);
	}
}

static void begin(struct total *total)
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
		err = choose(totals);
		if (err)
			return err;
	}
	for (i = 0; i < totals->totals; i++)
		begin(totals->total[i]);
	for (i = 0; i < state->targets; i++)
		add_one(state->target[i], state->via[i]);
	for (i = 0; i < totals->totals; i++)
		finish(totals->total[i], interval);
	return 0;
}

int totals_open(struct totals **totalsp, const struct monitor *monitor,
		bool (*takes)(const struct target *target, void *arg), void *arg)
{
	struct totals *totals = calloc(1, sizeof(*totals));
	struct totals_state *state = calloc(1, sizeof(*state));

	*totalsp = NULL;
	if (!totals || !state) {
		free(totals);
		free(state);
		return -ENOMEM;
	}
	*state = (struct totals_state){ .monitor = monitor, .takes = takes, .arg = arg };
	totals->state = state;
	*totalsp = totals;
	return 0;
}

void totals_rechoose(struct totals *totals)
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
	free_routes(totals->state);
	free(totals->state->target);
	free(totals->state->via);
	free(totals->state);
	free(totals);
}
