// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "total.h"

/* Values @place to @place + @size of a sample, and what they are added to. */
struct step {
	size_t place;
	unsigned int size;
	bool peak;
	bool counts_up;
	struct total *to;
};

/*
 * The way of all statistics of a set, as one kind of source gives them.  Samples of thousands of
 * vCPUs are added up as the blocks that they are, whatever the values mean, and only the sums
 * are taken apart.
 */
struct route {
	const struct stat_set *set;
	enum origin origin;
	struct step *step;		/* one for each of set->stat */
	size_t start;			/* where the first value that is asked for is */
	size_t size;			/* from there to the last */
	bool has_peaks;
	bool *counts_up;		/* of each value, from there on */
	uint64_t *sum;
	uint64_t *largest;
	uint64_t *growth;
	bool *cleared;
};

struct totals_state {
	const struct monitor *monitor;
	bool (*takes)(const struct target *target, void *arg);
	void *arg;
	uint64_t generation;		/* what the rest was made for, 0: nothing */
	struct route *route;
	size_t routes;
	const struct target **target;	/* whose numbers count */
	struct route **via;
	size_t targets;
	size_t capacity;
};

static bool counts_up(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

static void free_route(struct route *route)
{
	free(route->step);
	free(route->counts_up);
	free(route->sum);
	free(route->largest);
	free(route->growth);
	free(route->cleared);
}

static void free_routes(struct totals_state *state)
{
	size_t i;

	for (i = 0; i < state->routes; i++)
		free_route(&state->route[i]);
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

static int add_step(struct totals *totals, struct step *step, const struct kvmstats_stat *stat,
		    enum origin origin)
{
	*step = (struct step){
		.place = kvmstats_stat_offset(stat) / sizeof(uint64_t),
		.size = kvmstats_stat_size(stat),
		.peak = kvmstats_stat_type(stat) == KVMSTATS_PEAK,
		.counts_up = counts_up(stat),
		.to = find_total(totals, stat, origin),
	};
	if (!step->to)
		return -ENOMEM;
	step->to->present = true;
	return 0;
}

static void set_span(struct route *route)
{
	size_t end = 0;
	size_t i;

	route->start = route->set->stats ? SIZE_MAX : 0;
	for (i = 0; i < route->set->stats; i++) {
		const struct step *step = &route->step[i];

		route->has_peaks |= step->peak;
		if (step->place < route->start)
			route->start = step->place;
		if (step->place + step->size > end)
			end = step->place + step->size;
	}
	route->size = end - route->start;
}

static int allocate_sums(struct route *route)
{
	size_t count = route->size + 1;
	size_t i, n;

	route->counts_up = calloc(count, sizeof(*route->counts_up));
	route->sum = calloc(count, sizeof(*route->sum));
	route->largest = calloc(count, sizeof(*route->largest));
	route->growth = calloc(count, sizeof(*route->growth));
	route->cleared = calloc(count, sizeof(*route->cleared));
	if (!route->counts_up || !route->sum || !route->largest || !route->growth ||
	    !route->cleared)
		return -ENOMEM;
	for (i = 0; i < route->set->stats; i++) {
		const struct step *step = &route->step[i];

		for (n = 0; n < step->size; n++)
			route->counts_up[step->place - route->start + n] = step->counts_up;
	}
	return 0;
}

static int add_route(struct totals *totals, const struct stat_set *set, enum origin origin)
{
	struct totals_state *state = totals->state;
	struct route *more = realloc(state->route, (state->routes + 1) * sizeof(*more));
	struct route *route;
	size_t i;
	int err = 0;

	if (!more)
		return -ENOMEM;
	state->route = more;
	route = &more[state->routes++];
	*route = (struct route){ .set = set, .origin = origin };
	route->step = calloc(set->stats + 1, sizeof(*route->step));
	if (!route->step)
		return -ENOMEM;
	for (i = 0; !err && i < set->stats; i++)
		err = add_step(totals, &route->step[i], set->stat[i], origin);
	if (err)
		return err;
	set_span(route);
	return allocate_sums(route);
}

static struct route *find_route(const struct totals_state *state, const struct target *target)
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
	if (state->targets == state->capacity) {
		size_t capacity = state->capacity ? state->capacity * 2 : 64;
		const struct target **more = realloc(state->target, capacity * sizeof(*more));
		struct route **via;

		if (!more)
			return -ENOMEM;
		state->target = more;
		via = realloc(state->via, capacity * sizeof(*via));
		if (!via)
			return -ENOMEM;
		state->via = via;
		state->capacity = capacity;
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

/* All values of a sample lie in one block: where its first statistic is, tells where it starts. */
static const uint64_t *block_of(const struct kvmstats_sample *sample, const struct route *route)
{
	const uint64_t *first = kvmstats_sample_values(sample, route->set->stat[0]);

	return first ? first - route->step[0].place + route->start : NULL;
}

static void add_peak(struct route *route, const struct step *step, const uint64_t *now)
{
	size_t place = step->place - route->start;
	unsigned int n;

	for (n = 0; n < step->size; n++, place++) {
		if (now[place] > route->largest[place])
			route->largest[place] = now[place];
	}
}

static void add_values(struct route *route, const uint64_t *now)
{
	size_t i;

	for (i = 0; i < route->size; i++)
		route->sum[i] += now[i];
	for (i = 0; route->has_peaks && i < route->set->stats; i++) {
		if (route->step[i].peak)
			add_peak(route, &route->step[i], now);
	}
}

/* What does not count up may wrap here, and is not looked at. */
static void add_growth(struct route *route, const uint64_t *before, const uint64_t *now)
{
	unsigned int fell = 0;
	size_t i;

	for (i = 0; i < route->size; i++) {
		route->growth[i] += now[i] - before[i];
		fell |= (now[i] < before[i]) & route->counts_up[i];
	}
	if (!fell)
		return;
	for (i = 0; i < route->size; i++) {
		if (now[i] >= before[i] || !route->counts_up[i])
			continue;
		route->growth[i] -= now[i] - before[i];
		route->cleared[i] = true;
	}
}

static void add_one(const struct target *target, struct route *route)
{
	const uint64_t *before, *now;

	if (!route->size)
		return;
	before = block_of(target->before, route);
	now = block_of(target->now, route);
	if (!now)
		return;
	add_values(route, now);
	/* Most vCPUs of a machine with thousands are idle. */
	if (before && memcmp(before, now, route->size * sizeof(*now)))
		add_growth(route, before, now);
}

static void take_apart(struct route *route)
{
	size_t i;
	unsigned int n;

	for (i = 0; i < route->set->stats; i++) {
		const struct step *step = &route->step[i];
		size_t place = step->place - route->start;
		struct total *to = step->to;

		for (n = 0; n < step->size; n++, place++) {
			if (!step->peak)
				to->values[n] += route->sum[place];
			else if (route->largest[place] > to->values[n])
				to->values[n] = route->largest[place];
			if (step->counts_up)
				to->deltas[n] += route->growth[place];
			to->cleared |= route->cleared[place];
		}
	}
}

static void clear_sums(struct route *route)
{
	memset(route->sum, 0, route->size * sizeof(*route->sum));
	memset(route->largest, 0, route->size * sizeof(*route->largest));
	memset(route->growth, 0, route->size * sizeof(*route->growth));
	memset(route->cleared, 0, route->size * sizeof(*route->cleared));
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
	for (i = 0; i < state->routes; i++)
		clear_sums(&state->route[i]);
	for (i = 0; i < state->targets; i++)
		add_one(state->target[i], state->via[i]);
	for (i = 0; i < state->routes; i++)
		take_apart(&state->route[i]);
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
	free_routes(totals->state);
	free(totals->state->target);
	free(totals->state->via);
	free(totals->state);
	free(totals);
}
