// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the lines show: the exits and times of guests and vCPUs, statistics, and histograms. Only
 * what the page can show is computed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "targets/exit_class.h"
#include "targets/stat.h"
#include "top/screen.h"
#include "values/baseline.h"
#include "values/row.h"

/* ---- names of statistics ---- */

/* The name of the statistic or tracepoint that counts all exits, of each architecture */
static const char * const exits_names[] = { "exits", "sum_exits", "kvm_exit" };
/* The best statistic for page faults of a guest is first. */
static const char * const faults_names[] = { "pf_taken", "pf_fixed", "pf_storage",
					     "kvm_page_fault" };
/* Kinds of exits that have other names than most */
static const char * const kind_names[] = { "hypercalls", "pf_taken", "invlpg" };

static bool is_one_of(const char *name, const char * const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

bool exit_kind_name(char *buf, const char *name)
{
	static const char * const parts[] = { "_exit_stat", "_exits", "exit_", "_exit" };
	size_t len = strlen(name);
	size_t i;

	if ((len > 3 && !strcmp(name + len - 3, "_ns")) ||
	    is_one_of(name, exits_names, ARRAY_SIZE(exits_names)))
		return false;
	if (!strncmp(name, "kvm_exit(", strlen("kvm_exit("))) {
		snprintf(buf, EXIT_NAME_SIZE, "%s", name + strlen("kvm_exit("));
		buf[strcspn(buf, ")")] = '\0';
		return true;
	}
	if (is_one_of(name, kind_names, ARRAY_SIZE(kind_names))) {
		snprintf(buf, EXIT_NAME_SIZE, "%s", name);
		return true;
	}
	for (i = 0; strncmp(name, "kvm_", 4) && i < ARRAY_SIZE(parts); i++) {
		const char *at = strstr(name, parts[i]);

		if (!at)
			continue;
		snprintf(buf, EXIT_NAME_SIZE, "%.*s%s", (int)(at - name), name,
			 at + strlen(parts[i]));
		return true;
	}
	return false;
}

/* ---- the statistics of a schema ---- */

/*
 * The statistics that the tables and the bar of times show. They are found by name in any schema,
 * regardless of the filter.
 */
struct exit_stats {
	const struct stat_set *set;
	const struct kvmstats_stat *exits;	/* all of them; NULL: there is no such statistic */
	const struct kvmstats_stat *faults;
	const struct kvmstats_stat *polls;
	const struct kvmstats_stat *good_polls;
	/* Times of a vCPU, in ns. Those after run_delay are exit statistics. */
	const struct kvmstats_stat *run_delay;
	const struct kvmstats_stat *guest;
	const struct kvmstats_stat *userspace;
	const struct kvmstats_stat *halted;
	const struct kvmstats_stat *blocking;	/* whether the vCPU is halted */
	struct {
		char name[EXIT_NAME_SIZE];
		const struct kvmstats_stat *count;
		const struct kvmstats_stat *ns;	/* NULL: not a class */
	} kind[EXIT_KINDS];			/* classes first */
	size_t kinds;
	size_t classes;
};

static const struct kvmstats_stat *find(const struct stat_set *set, const char * const *names,
					size_t count)
{
	const struct kvmstats_stat *stat = NULL;
	size_t i;

	for (i = 0; !stat && i < count; i++)
		stat = kvmstats_schema_find(set->schema, names[i]);
	return stat;
}

static void find_kinds(struct exit_stats *stats, bool classes)
{
	const struct kvmstats_schema *schema = stats->set->schema;
	size_t count = kvmstats_schema_count(schema);
	size_t i;

	for (i = 0; i < count && stats->kinds < EXIT_KINDS; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		struct exit_class class = { 0 };

		if (kvmstats_stat_size(stat) != 1 ||
		    kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE ||
		    !exit_kind_name(stats->kind[stats->kinds].name, kvmstats_stat_name(stat)) ||
		    exit_class_of(schema, stat, &class) != classes)
			continue;
		stats->kind[stats->kinds].count = stat;
		stats->kind[stats->kinds++].ns = class.partner;
	}
}

/* Returns the statistics of @target's schema, or NULL if memory is exhausted. */
static const struct exit_stats *stats_of(struct top *top, const struct target *target)
{
	const struct stat_set *set = target->set;
	struct exit_stats *stats;
	size_t i;

	for (i = 0; i < top->schemas; i++) {
		if (top->exits[i].set == set)
			return &top->exits[i];
	}
	stats = array_grow(top->exits, top->schemas, &top->schemas_capacity, sizeof(*stats));
	if (!stats)
		return NULL;
	top->exits = stats;
	stats += top->schemas++;
	*stats = (struct exit_stats){
		.set = set,
		.exits = find(set, exits_names, ARRAY_SIZE(exits_names)),
		.faults = find(set, faults_names, ARRAY_SIZE(faults_names)),
		.polls = kvmstats_schema_find(set->schema, "halt_attempted_poll"),
		.good_polls = kvmstats_schema_find(set->schema, "halt_successful_poll"),
		.run_delay = kvmstats_schema_find(set->schema, "run_delay_ns"),
		.guest = kvmstats_schema_find(set->schema, "guest_ns"),
		.userspace = kvmstats_schema_find(set->schema, "userspace_ns"),
		.halted = kvmstats_schema_find(set->schema, "halted_ns"),
		.blocking = kvmstats_schema_find(set->schema, "blocking"),
	};
	find_kinds(stats, true);
	stats->classes = stats->kinds;
	find_kinds(stats, false);
	return stats;
}

void stats_free(struct top *top)
{
	free(top->exits);
	top->exits = NULL;
	top->schemas = 0;
	top->schemas_capacity = 0;
}

/* ---- times of vCPUs ---- */

static uint64_t value_of(const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row = { 0 };

	if (stat)
		row_get(&row, target, stat);
	return row.value;
}

/* Adds the rate of @stat, if it is known. Returns whether it is. */
static bool add_rate(double *sum, const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row;

	if (!stat)
		return false;
	row_get(&row, target, stat);
	*sum += row.rate;
	return row.growth == GROWTH_KNOWN || row.growth == GROWTH_CLEARED;
}

/* Whether exit statistics have counted @target, and are on. */
static bool is_counted(const struct top *top, const struct exit_stats *stats,
		       const struct target *target)
{
	return stats->classes && stats->guest && top->exits_state == EXITS_ON &&
	       value_of(target, stats->guest);
}

/*
 * KVM adds to a time when it ends, so the times of an interval together can be shorter or longer
 * than the interval. If the vCPU is halted, the rest belongs to this halt. A surplus is time before
 * the interval, and belongs to the one time that contains the start of the interval: the longest.
 */
void fit_interval(double *percent, bool blocking)
{
	double sum = 0;
	int longest = 0;
	int i;

	for (i = 0; i < TIME_PARTS; i++) {
		sum += percent[i];
		if (percent[i] > percent[longest])
			longest = i;
	}
	if (sum > 100)
		percent[longest] -= sum - 100;
	if (percent[longest] < 0)
		percent[longest] = 0;
	if (sum < 100 && blocking)
		percent[TIME_HALTED] += 100 - sum;
}

/* Adds the times of the last interval, if exit statistics count the target. Returns whether. */
static bool add_times(struct vcpu_times *times, const struct top *top,
		      const struct exit_stats *stats, const struct target *target)
{
	double ns[TIME_PARTS] = { 0 };
	size_t i;

	if (target->scope != SCOPE_VCPU || !is_counted(top, stats, target) ||
	    !add_rate(&ns[TIME_GUEST], target, stats->guest))
		return false;
	add_rate(&ns[TIME_VMM], target, stats->userspace);
	add_rate(&ns[TIME_HALTED], target, stats->halted);
	add_rate(&ns[TIME_WAITING], target, stats->run_delay);
	for (i = 0; i < stats->classes; i++)
		add_rate(&ns[TIME_EXITS], target, stats->kind[i].ns);
	for (i = 0; i < TIME_PARTS; i++)
		ns[i] *= 100.0 / SECOND;
	fit_interval(ns, value_of(target, stats->blocking));
	for (i = 0; i < TIME_PARTS; i++)
		times->percent[i] += ns[i];
	times->vcpus++;
	return true;
}

/* ---- kinds of exits ---- */

static struct exit_kind *kind_of(struct exit_kinds *kinds, const char *name)
{
	size_t i;

	for (i = 0; i < kinds->kinds; i++) {
		if (!strcmp(kinds->kind[i].name, name))
			return &kinds->kind[i];
	}
	if (i == EXIT_KINDS)
		return NULL;
	kinds->kinds++;
	snprintf(kinds->kind[i].name, EXIT_NAME_SIZE, "%s", name);
	return &kinds->kind[i];
}

/* Adds the kinds that have occurred since the vCPU was created. */
static void add_kinds(struct exit_kinds *kinds, const struct top *top,
		      const struct exit_stats *stats, const struct target *target)
{
	bool classes = is_counted(top, stats, target);
	size_t end = classes ? stats->classes : stats->kinds;
	size_t i;

	for (i = classes ? 0 : stats->classes; i < end; i++) {
		struct exit_kind *kind = NULL;

		if (value_of(target, stats->kind[i].count) || value_of(target, stats->kind[i].ns))
			kind = kind_of(kinds, stats->kind[i].name);
		if (!kind)
			continue;
		add_rate(&kind->rate, target, stats->kind[i].count);
		add_rate(&kind->ns, target, stats->kind[i].ns);
	}
}

/*
 * Several sources count the same exits. Returns whether sums include this target: only the first
 * source counts, but statistics fds do however they were opened.
 */
static bool counts(const struct target *target)
{
	enum origin first = target->vmm->target[0]->origin;

	return target->origin == first ||
	       (target->origin <= ORIGIN_QMP && first <= ORIGIN_QMP);
}

static int by_rate(const void *x, const void *y)
{
	const struct exit_kind *a = x, *b = y;

	return (a->rate < b->rate) - (a->rate > b->rate);
}

static int by_time(const void *x, const void *y)
{
	const struct exit_kind *a = x, *b = y;
	int order = (a->ns < b->ns) - (a->ns > b->ns);

	if (!order)
		order = by_rate(a, b);
	return order ? order : strcmp(a->name, b->name);
}

/* Returns the next target that @scope selects; *@vmm and *@i are 0 at first. */
static const struct target *next_target(const struct top *top, const struct top_scope *scope,
					size_t *vmm, size_t *i)
{
	for (; *vmm < top->monitor->vmms; (*vmm)++, *i = 0) {
		const struct vmm *at = top->monitor->vmm[*vmm];

		if (scope->one_vmm && scope->key != vmm_key(at))
			continue;
		while (*i < at->targets) {
			const struct target *target = at->target[(*i)++];

			if (scope_selects(target, (void *)scope))
				return target;
		}
	}
	return NULL;
}

/* draw.c calls it for the lines on the screen only, because there are many kinds. */
void stats_update_kinds(struct top *top, struct line *line)
{
	const struct target *target;
	struct exit_kinds kinds = { 0 };
	size_t vmm = 0, i = 0;

	if (!line->key || line->kinds_time == top->monitor->time)
		return;
	line->kinds_time = top->monitor->time;
	while ((target = next_target(top, &line->scope, &vmm, &i))) {
		const struct exit_stats *stats = stats_of(top, target);

		if (stats && (line->target || counts(target)))
			add_kinds(&kinds, top, stats, target);
	}
	if (kinds.kinds)
		qsort(kinds.kind, kinds.kinds, sizeof(*kinds.kind), by_rate);
	memcpy(line->kind, kinds.kind, sizeof(line->kind));
}

bool stats_update_times(struct top *top, struct page *page)
{
	const struct target *target;
	size_t vmm = 0, i = 0;

	page->times = (struct vcpu_times){ 0 };
	page->classes = (struct exit_kinds){ 0 };
	while ((target = next_target(top, &page->scope, &vmm, &i))) {
		const struct exit_stats *stats = stats_of(top, target);

		if (!stats)
			return false;
		if (add_times(&page->times, top, stats, target))
			add_kinds(&page->classes, top, stats, target);
	}
	if (page->classes.kinds)
		qsort(page->classes.kind, page->classes.kinds, sizeof(*page->classes.kind),
		      by_time);
	return true;
}

/* ---- guests and vCPUs ---- */

/* The columns that need /proc, and those that need statistics. */
#define PROC_COLUMNS	(COLUMN_BIT(COLUMN_CPU) | COLUMN_BIT(COLUMN_GUEST) | \
			 COLUMN_BIT(COLUMN_KERNEL) | COLUMN_BIT(COLUMN_USER) | \
			 COLUMN_BIT(COLUMN_HALTED) | COLUMN_BIT(COLUMN_WAITING) | \
			 COLUMN_BIT(COLUMN_MEMORY))

static bool needs(const struct top *top, unsigned int columns)
{
	return (top->columns | COLUMN_BIT(top->order[top_page(top)->kind].column)) & columns;
}

/* The rates of several VMs and vCPUs together, per second. */
struct tally {
	double exits;
	double faults;
	double polls;
	double good_polls;
	bool has_exits;		/* also if the rate is 0 */
	bool has_faults;
	double run_delay;	/* ns per second */
	size_t vcpus;		/* that have a run delay */
	struct vcpu_times times;
};

static void add_tally(struct tally *tally, const struct tally *other)
{
	size_t i;

	tally->exits += other->exits;
	tally->faults += other->faults;
	tally->polls += other->polls;
	tally->good_polls += other->good_polls;
	tally->has_exits |= other->has_exits;
	tally->has_faults |= other->has_faults;
	tally->run_delay += other->run_delay;
	tally->vcpus += other->vcpus;
	for (i = 0; i < TIME_PARTS; i++)
		tally->times.percent[i] += other->times.percent[i];
	tally->times.vcpus += other->times.vcpus;
}

static bool add_target(struct tally *tally, struct top *top, const struct target *target)
{
	const struct exit_stats *stats = stats_of(top, target);

	if (!stats)
		return false;
	tally->has_exits |= add_rate(&tally->exits, target, stats->exits);
	tally->has_faults |= add_rate(&tally->faults, target, stats->faults);
	add_rate(&tally->polls, target, stats->polls);
	add_rate(&tally->good_polls, target, stats->good_polls);
	/* debugfs has sums over the vCPUs of a VM. */
	if (target->scope == SCOPE_VCPU && add_rate(&tally->run_delay, target, stats->run_delay))
		tally->vcpus++;
	add_times(&tally->times, top, stats, target);
	return true;
}

static void set_waiting(double *number, double waiting)
{
	number[COLUMN_WAITING] = waiting;
	if (number[COLUMN_GUEST] < 0)
		return;
	number[COLUMN_HALTED] = 100 - number[COLUMN_GUEST] - number[COLUMN_KERNEL] -
				number[COLUMN_USER] - waiting;
	if (number[COLUMN_HALTED] < 0)
		number[COLUMN_HALTED] = 0;
}

/* Sets what KVM knows. The times are exact with exit statistics. Call it after /proc was read. */
static void set_tally(struct line *line, const struct tally *tally, const struct monitor *monitor)
{
	static const enum column_id columns[TIME_PARTS] = {
		[TIME_GUEST] = COLUMN_GUEST, [TIME_EXITS] = COLUMN_KERNEL,
		[TIME_VMM] = COLUMN_USER, [TIME_HALTED] = COLUMN_HALTED,
		[TIME_WAITING] = COLUMN_WAITING,
	};
	double *number = line->number;
	size_t i;

	if (tally->has_exits)
		number[COLUMN_EXITS] = tally->exits;
	if (tally->has_faults)
		number[COLUMN_FAULTS] = tally->faults;
	if (tally->polls > 0)
		number[COLUMN_POLLS] = 100 * tally->good_polls / tally->polls;
	if (number[COLUMN_POLLS] > 100)
		number[COLUMN_POLLS] = 100;
	if (tally->vcpus)
		set_waiting(number, 100 * tally->run_delay / SECOND / (double)tally->vcpus);
	for (i = 0; tally->times.vcpus && i < TIME_PARTS; i++)
		number[columns[i]] = tally->times.percent[i] / (double)tally->times.vcpus;
	if (monitor->time_before && tally->has_exits)
		history_add(&line->history, monitor->time_before, monitor->time, tally->exits);
}

static void clear_numbers(struct line *line)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		line->number[i] = -1;
}

/* @use is the sum over the threads of @vcpus vCPUs. */
static void set_use(double *number, const struct cpu_use *use, size_t vcpus)
{
	number[COLUMN_GUEST] = use->guest / (double)vcpus;
	number[COLUMN_KERNEL] = use->kernel / (double)vcpus;
	number[COLUMN_USER] = use->user / (double)vcpus;
	if (use->waiting >= 0)
		set_waiting(number, use->waiting / (double)vcpus);
}

static void set_process(double *number, const struct process *process, size_t vcpus)
{
	struct cpu_use all = process_use(process);
	struct cpu_use sum = { 0 };
	size_t found = 0;
	size_t i;

	if (process->has_now)
		number[COLUMN_MEMORY] = (double)process->now.memory;
	if (all.guest < 0)
		return;
	number[COLUMN_CPU] = all.guest + all.user + all.kernel;
	for (i = 0; i < process->threads; i++) {
		struct cpu_use use = thread_use(process, &process->thread[i]);

		if (!process->thread[i].runs_vcpu || use.guest < 0)
			continue;
		found++;
		sum.guest += use.guest;
		sum.kernel += use.kernel;
		sum.user += use.user;
		/* Unknown if it is unknown for one thread */
		sum.waiting = sum.waiting < 0 || use.waiting < 0 ? -1 : sum.waiting + use.waiting;
	}
	if (found)
		set_use(number, &sum, found > vcpus ? found : vcpus);
}

static void set_thread(double *number, const struct process *process, int vcpu)
{
	const struct thread *thread = process_vcpu(process, vcpu);
	struct cpu_use use = { .guest = -1 };

	if (thread)
		use = thread_use(process, thread);
	if (use.guest < 0)
		return;
	number[COLUMN_CPU] = use.guest + use.user + use.kernel;
	set_use(number, &use, 1);
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

/* Reads /proc once for each sample: the times of shorter intervals are not precise. */
static bool update_process(struct top *top, struct line *line)
{
	const struct vmm *vmm = line->vmm;
	bool good = true;
	int *id;

	if (!vmm->pid || !needs(top, PROC_COLUMNS))
		return true;
	if (line->process.time < top->monitor->time) {
		id = calloc(vmm->vcpus + 1, sizeof(*id));
		good = id && process_update(&line->process, clock_now(), id, list_ids(id, vmm));
		free(id);
	}
	set_process(line->number, &line->process, vmm->vcpus);
	return good;
}

static void set_problem(struct line *line, const struct vmm *vmm)
{
	int err = vmm->fd_error ? vmm->fd_error :
		  vmm->debugfs_error ? vmm->debugfs_error : vmm->tracepoints_error;
	char buf[96];

	*line->problem = '\0';
	if (!vmm->targets && err)
		snprintf(line->problem, sizeof(line->problem), "cannot be read: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	else if (!vmm->targets)
		snprintf(line->problem, sizeof(line->problem), "no statistics");
}

static size_t missing_of(const struct vmm *vmm)
{
	return vmm->targets ? vmm->missing : vmm->vms + vmm->vcpus;
}

/* Whether the sums over the guest contain all of it. */
static bool is_complete(const struct vmm *vmm)
{
	return vmm->targets && (!missing_of(vmm) || vmm_lacks_only_vm(vmm) || vmm_has_sums(vmm));
}

static bool is_new(const struct top *top, const struct target *target)
{
	return top->monitor->time_before && !kvmstats_sample_time(target->before);
}

static bool update_guest(struct top *top, struct line *line, const struct vmm *vmm,
			 struct tally *sum)
{
	struct tally tally = { 0 };
	size_t i;

	if (!line->vmm)
		process_init(&line->process, vmm->pid);
	line->vmm = vmm;
	line->scope = scope_of_vmm(vmm);
	clear_numbers(line);
	line->number[COLUMN_PID] = vmm->pid;
	line->number[COLUMN_VCPUS] = (double)vmm->vcpus;
	line->number[COLUMN_MISSING] = (double)missing_of(vmm);
	line->lacks_only_vms = vmm_lacks_only_vm(vmm);
	line->appeared = vmm->targets;
	set_problem(line, vmm);
	if (!update_process(top, line))
		return false;
	for (i = 0; i < vmm->targets; i++) {
		line->appeared &= is_new(top, vmm->target[i]);
		if (needs(top, ~PROC_COLUMNS) && counts(vmm->target[i]) &&
		    !add_target(&tally, top, vmm->target[i]))
			return false;
	}
	set_tally(line, &tally, top->monitor);
	add_tally(sum, &tally);
	return true;
}

static void add_number(struct line *sum, const struct line *line, enum column_id id)
{
	if (line->number[id] >= 0)
		sum->number[id] = (sum->number[id] < 0 ? 0 : sum->number[id]) + line->number[id];
}

static bool update_all_guests(struct top *top, struct page *page, struct tally *tally)
{
	const struct monitor *monitor = top->monitor;
	struct line *sum = page_line(page, page, "all guests");
	size_t complete = 0, missing = 0, i;

	if (!sum)
		return false;
	sum->sum = true;
	sum->lacks_only_vms = false;
	clear_numbers(sum);
	for (i = 0; i < page->all; i++) {
		const struct line *line = page->line[i];

		if (!line->seen || line->sum)
			continue;
		complete += is_complete(line->vmm);
		missing += line->lacks_only_vms ? 0 : missing_of(line->vmm);
		sum->lacks_only_vms |= line->lacks_only_vms;
		add_number(sum, line, COLUMN_CPU);
		add_number(sum, line, COLUMN_MEMORY);
		add_number(sum, line, COLUMN_VCPUS);
		add_number(sum, line, COLUMN_MISSING);
	}
	sum->lacks_only_vms &= !missing;
	/* A mean of the times of all vCPUs says nothing. */
	tally->times.vcpus = 0;
	set_tally(sum, tally, monitor);
	if (complete == monitor->vmms)
		snprintf(sum->name, sizeof(sum->name), "all %zu guests", complete);
	else
		snprintf(sum->name, sizeof(sum->name), "sum, %zu of %zu", complete, monitor->vmms);
	return true;
}

bool stats_update_guests(struct top *top, struct page *page)
{
	const struct monitor *monitor = top->monitor;
	struct tally sum = { 0 };
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		struct line *line;
		char name[NAME_SIZE];

		line = page_line(page, vmm, sanitize(vmm->guest ? vmm->guest : vmm->comm, name,
						     sizeof(name)));
		if (!line || !update_guest(top, line, vmm, &sum))
			return false;
	}
	return monitor->vmms < 2 || update_all_guests(top, page, &sum);
}

/* The line of the guest on the page below this one has the process, and keeps its history. */
static struct line *guest_line(struct top *top, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < top->page[0].all; i++) {
		if (top->page[0].line[i]->vmm == vmm)
			return top->page[0].line[i];
	}
	return NULL;
}

static bool update_whole_guest(struct page *page, const struct line *guest)
{
	struct line *sum = page_line(page, page, "whole guest");

	if (!sum)
		return false;
	memcpy(sum->number, guest->number, sizeof(sum->number));
	memcpy(sum->problem, guest->problem, sizeof(sum->problem));
	sum->history = guest->history;
	sum->scope = guest->scope;
	sum->vmm = guest->vmm;
	sum->lacks_only_vms = guest->lacks_only_vms;
	sum->sum = true;
	snprintf(sum->name, sizeof(sum->name), "%s guest",
		 is_complete(guest->vmm) ? "whole" : "part of");
	return true;
}

bool stats_update_parts(struct top *top, struct page *page)
{
	const struct vmm *vmm = scope_vmm(&page->scope, top->monitor);
	struct line *guest = guest_line(top, vmm);
	struct tally sum = { 0 };
	size_t i;

	if (!vmm || !guest)
		return true;
	if (!update_guest(top, guest, vmm, &sum) || !update_whole_guest(page, guest))
		return false;
	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];
		struct line *line = page_line(page, target, target->label);
		struct tally tally = { 0 };

		if (!line || !add_target(&tally, top, target))
			return false;
		line->vmm = vmm;
		line->target = target;
		line->scope = scope_of_target(target);
		line->appeared = is_new(top, target);
		clear_numbers(line);
		line->number[COLUMN_VCPUS] = target->scope == SCOPE_VCPU;
		if (target->scope == SCOPE_VCPU && vmm->vms == 1)
			set_thread(line->number, &guest->process, target->vcpu);
		set_tally(line, &tally, top->monitor);
	}
	return true;
}

/* ---- statistics ---- */

static enum stat_group group_of(const struct kvmstats_stat *stat)
{
	if (kvmstats_stat_is_hist(stat))
		return GROUP_HISTOGRAMS;
	if (kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE)
		return GROUP_GAUGES;
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_NONE ? GROUP_EVENTS : GROUP_AMOUNTS;
}

/* A histogram counts samples, whatever the unit of its buckets is. Returns the factor. */
static double set_unit(struct line *line, const struct kvmstats_stat *stat)
{
	double factor = 1;

	line->unit = NUMBER_COUNT;
	if (stat && !kvmstats_stat_is_hist(stat))
		line->unit = number_unit_of(stat, &factor);
	return line->unit == NUMBER_COUNT ? 1 : factor;
}

/* Adds "@SOURCE" to the name if several sources have the statistic. */
static void name_of(char *name, const struct totals *totals, const struct total *total)
{
	size_t parent = stat_parent_length(total->name);
	const char *from = "";
	char stat[NAME_SIZE];
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *other = totals->total[i];

		if (other->present && other->origin != total->origin &&
		    !strcmp(other->name, total->name))
			from = origin_name(total->origin);
	}
	sanitize(total->name + (parent ? parent + 1 : 0), stat, sizeof(stat));
	if (parent && *stat)
		stat[strlen(stat) - 1] = '\0';
	snprintf(name, NAME_SIZE, "%.100s%s%s", stat, *from ? "@" : "", from);
}

/* The sums over a guest have statistics of VMs and of vCPUs. */
static const char *meaning_of(const char *name)
{
	const char *text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);

	if (!text)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	return text ? text : "";
}

static uint64_t value_since(const struct top *top, const struct total *total)
{
	uint64_t sum = 0;
	unsigned int n;

	if (!total->counts_up || !top->counts_growth)
		return total->value;
	for (n = 0; n < total->size; n++)
		sum += total->growth[n];
	return sum;
}

static void set_statistic(const struct top *top, struct line *line, const struct total *total)
{
	double factor = set_unit(line, total->stat);

	line->group = group_of(total->stat);
	line->origin = total->origin;
	line->child = stat_parent_length(total->name);
	line->cleared = total->cleared;
	line->has_history = total->counts_up;
	sanitize(total->name, line->stat, sizeof(line->stat));
	if (!*line->meaning)
		line->meaning = meaning_of(line->stat);
	clear_numbers(line);
	line->number[COLUMN_VALUE] = (double)value_since(top, total) * factor;
	if (line->group != GROUP_GAUGES)
		line->number[COLUMN_RATE] = total->rate * factor;
	if (total->counts_up && top->monitor->time_before)
		history_add(&line->history, top->monitor->time_before, top->monitor->time,
			    total->rate);
}

/* Whether the sum contains the line: classes of exits are parts of "exits". */
static bool is_added_up(const struct line *line, bool has_exits)
{
	return line->seen && line->group == GROUP_EVENTS && !line->child &&
	       !(has_exits && stat_is_in_exits(line->stat));
}

/* Shares are of the sum, those of children of their parent, if it is not 0 after a reset. */
static void add_shares(struct page *page)
{
	double *sum = page->sum.number;
	bool has_exits = false;
	size_t i, j;

	page->sum = (struct line){ .name = "Total", .meaning = "" };
	clear_numbers(&page->sum);
	for (i = 0; i < page->all; i++)
		has_exits |= page->line[i]->seen && !strcmp(page->line[i]->stat, "exits");
	for (i = 0; i < page->all; i++) {
		if (!is_added_up(page->line[i], has_exits))
			continue;
		add_number(&page->sum, page->line[i], COLUMN_VALUE);
		add_number(&page->sum, page->line[i], COLUMN_RATE);
	}
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];
		double whole = is_added_up(line, has_exits) ? sum[COLUMN_VALUE] : -1;

		for (j = 0; line->child && j < page->all; j++) {
			if (page->line[j]->seen && line_is_child_of(line, page->line[j]))
				whole = page->line[j]->number[COLUMN_VALUE];
		}
		if (whole > 0)
			line->number[COLUMN_SHARE] = 100 * line->number[COLUMN_VALUE] / whole;
	}
}

static bool shows_children(const struct top *top)
{
	return top->kvm_stat ? top->children : top->sources & SOURCES_TRACEPOINTS;
}

bool stats_update_statistics(struct top *top, struct page *page)
{
	const struct totals *totals = top->totals;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];
		char name[NAME_SIZE];
		struct line *line;

		if (!total->present ||
		    (stat_parent_length(total->name) && !shows_children(top)))
			continue;
		if (!value_since(top, total) && !total->delta && !total->cleared)
			continue;
		name_of(name, totals, total);
		line = page_line(page, total, name);
		if (!line)
			return false;
		set_statistic(top, line, total);
	}
	if (page->kind == PAGE_EVENTS)
		add_shares(page);
	return true;
}

/* ---- the members of kvm_stat's view: guests, or the VMs and vCPUs of one ---- */

/* Which statistics a line of a member adds up. */
struct selection {
	const char *stat;			/* only this one, or NULL */
	const struct kvmstats_stat *example;	/* otherwise those of its group and unit */
	bool has_exits;				/* except for those that "exits" contains */
};

/* A line adds up the events. If the filter selects no event, it adds up another group. */
static void find_selection(struct selection *selection, const struct stat_sets *sets)
{
	size_t i, j;

	for (i = 0; i < sets->sets; i++) {
		for (j = 0; j < sets->set[i]->stats; j++) {
			const struct kvmstats_stat *stat = sets->set[i]->stat[j];
			const char *name = kvmstats_stat_name(stat);

			selection->has_exits |= !strcmp(name, "exits");
			if (!stat_parent_length(name) &&
			    (!selection->example ||
			     group_of(stat) < group_of(selection->example)))
				selection->example = stat;
		}
	}
}

static bool is_selected(const struct selection *selection, const struct kvmstats_stat *stat)
{
	const struct kvmstats_stat *example = selection->example;
	const char *name = kvmstats_stat_name(stat);

	if (selection->stat)
		return !strcmp(name, selection->stat);
	if (selection->has_exits && stat_is_in_exits(name))
		return false;
	return example && !stat_parent_length(name) && group_of(stat) == group_of(example) &&
	       kvmstats_stat_unit(stat) == kvmstats_stat_unit(example) &&
	       kvmstats_stat_base(stat) == kvmstats_stat_base(example) &&
	       kvmstats_stat_exponent(stat) == kvmstats_stat_exponent(example);
}

/* Adds the selected values of @target. Returns whether it has any. */
static bool add_member(const struct top *top, struct line *line, const struct target *target,
		       const struct selection *selection)
{
	bool found = false;
	unsigned int n;
	size_t i;

	for (i = 0; i < target->set->stats; i++) {
		const struct kvmstats_stat *stat = target->set->stat[i];
		double factor, value = 0;
		struct row row;

		if (!is_selected(selection, stat))
			continue;
		row_get(&row, target, stat);
		for (n = 0; row.growth != GROWTH_NONE && n < row.size; n++)
			value += (double)baseline_growth(target, stat, n, !top->counts_growth);
		if (row.growth == GROWTH_NONE)
			value = (double)row.value;
		factor = set_unit(line, stat);
		line->number[COLUMN_VALUE] += value * factor;
		if (group_of(stat) == GROUP_GAUGES)
			line->number[COLUMN_RATE] = -1;
		else
			line->number[COLUMN_RATE] += row.rate * factor;
		line->cleared |= row.growth == GROWTH_CLEARED;
		found = true;
	}
	return found;
}

static void start_member(struct line *line)
{
	clear_numbers(line);
	line->cleared = false;
	line->number[COLUMN_VALUE] = 0;
	line->number[COLUMN_RATE] = 0;
}

static bool update_member(struct top *top, struct page *page, const struct vmm *vmm,
			  const struct selection *selection)
{
	char name[NAME_SIZE], text[NAME_SIZE + 16], pid[16] = "-";
	struct line *line;
	size_t i;

	sanitize(vmm->guest ? vmm->guest : vmm->comm, name, sizeof(name) - 16);
	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	snprintf(text, sizeof(text), "%7s %s", pid, name);
	line = page_line(page, vmm, text);
	if (!line)
		return false;
	start_member(line);
	line->vmm = vmm;
	line->scope = scope_of_vmm(vmm);
	line->appeared = vmm->targets;
	set_problem(line, vmm);
	set_unit(line, selection->example);
	for (i = 0; i < vmm->targets; i++) {
		add_member(top, line, vmm->target[i], selection);
		line->appeared &= is_new(top, vmm->target[i]);
	}
	return true;
}

/* VMs and vCPUs that do not have the one statistic of the page have no line. */
static bool update_part(struct top *top, struct page *page, const struct target *target,
			const struct selection *selection)
{
	struct line *line = page_line(page, target, target->label);

	if (!line)
		return false;
	start_member(line);
	line->vmm = target->vmm;
	line->target = target;
	line->scope = scope_of_target(target);
	line->appeared = is_new(top, target);
	if (!add_member(top, line, target, selection) && selection->stat)
		line->seen = false;
	return true;
}

bool stats_update_members(struct top *top, struct page *page)
{
	struct selection selection = { .stat = *page->stat ? page->stat : NULL };
	const struct vmm *one = scope_vmm(&page->scope, top->monitor);
	bool good = true;
	size_t i;

	find_selection(&selection, &top->monitor->context.sets);
	for (i = 0; good && one && i < one->targets; i++)
		good = update_part(top, page, one->target[i], &selection);
	for (i = 0; good && !page->scope.one_vmm && i < top->monitor->vmms; i++)
		good = update_member(top, page, top->monitor->vmm[i], &selection);
	add_shares(page);
	page->sum.unit = page->all ? page->line[0]->unit : NUMBER_COUNT;
	return good;
}

/* ---- histograms ---- */

static const struct total *find_histogram(const struct top *top, const char *name)
{
	size_t i;

	for (i = 0; i < top->totals->totals; i++) {
		const struct total *total = top->totals->total[i];

		if (total->present && kvmstats_stat_is_hist(total->stat) &&
		    !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

static void put_bound(char *buf, const struct kvmstats_stat *stat, double value, bool utf8)
{
	double factor;
	enum number_unit unit = number_unit_of(stat, &factor);

	if (unit == NUMBER_SECONDS)
		number_seconds(buf, value * factor, utf8);
	else if (unit == NUMBER_BYTES)
		number_bytes(buf, value * factor);
	else
		snprintf(buf, NUMBER_SIZE, "%.0f", value);
}

static bool update_bar(struct top *top, struct page *page, const struct total *total,
		       const uint64_t *values, unsigned int n)
{
	char from[NUMBER_SIZE], below[NUMBER_SIZE] = "";
	uint64_t min, max, added = total->deltas[n] < values[n] ? total->deltas[n] : values[n];
	struct line *line;

	if (kvmstats_stat_bucket(total->stat, n, &min, &max)) {
		snprintf(from, sizeof(from), "#%u", n);
	} else {
		put_bound(from, total->stat, (double)min, top->utf8);
		if (max != UINT64_MAX)
			put_bound(below, total->stat, (double)max + 1, top->utf8);
	}
	line = page_line(page, &total->values[n], from);
	if (!line)
		return false;
	memcpy(line->below, below, sizeof(line->below));
	line->number[COLUMN_FROM] = n;
	line->number[COLUMN_SAMPLES] = (double)values[n];
	line->added = (double)added;
	return true;
}

/* Writes the bound of the bar that, with those before it, has @part of all samples. */
static void put_quantile(char *buf, size_t size, const struct page *page, double part, double all)
{
	double sum = 0;
	size_t i;

	for (i = 0; i + 1 < page->all; i++) {
		sum += page->line[i]->number[COLUMN_SAMPLES];
		if (sum >= all * part)
			break;
	}
	if (*page->line[i]->below)
		snprintf(buf, size, "< %s", page->line[i]->below);
	else
		snprintf(buf, size, ">= %.31s", page->line[i]->name);
}

static void summarize(struct page *page)
{
	char median[NUMBER_SIZE + 8], p99[NUMBER_SIZE + 8];
	double all = 0, added = 0;
	size_t i;

	*page->summary = '\0';
	page_finish(page, NULL, COLUMN_FROM, false);
	for (i = 0; i < page->all; i++) {
		all += page->line[i]->number[COLUMN_SAMPLES];
		added += page->line[i]->added;
	}
	for (i = 0; i < page->all; i++)
		page->line[i]->number[COLUMN_PART] =
			100 * page->line[i]->number[COLUMN_SAMPLES] / all;
	if (!page->all)
		return;
	put_quantile(median, sizeof(median), page, 0.5, all);
	put_quantile(p99, sizeof(p99), page, 0.99, all);
	snprintf(page->summary, sizeof(page->summary), "%.0f samples, %.0f new; p50 %s, p99 %s",
		 all, added, median, p99);
}

/* There are bars from the first bucket that is not empty to the last. */
bool stats_update_histogram(struct top *top, struct page *page)
{
	const struct total *total = find_histogram(top, page->stat);
	unsigned int n = 0, end = total ? total->size : 0;
	const uint64_t *values;

	snprintf(page->problem, sizeof(page->problem), "%s",
		 total ? "" : "This histogram is not available.");
	values = !total ? NULL : top->counts_growth ? total->growth : total->values;
	while (n < end && !values[n])
		n++;
	while (end > n && !values[end - 1])
		end--;
	for (; n < end; n++) {
		if (!update_bar(top, page, total, values, n))
			return false;
	}
	summarize(page);
	return true;
}
