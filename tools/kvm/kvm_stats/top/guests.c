// SPDX-License-Identifier: GPL-2.0-only
/* Guests and vCPUs: their exits and times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "sums.h"
#include "top/screen.h"
#include "util.h"

/* ---- the statistics of a schema ---- */

#define STAT_BLOCKING	TALLIES		/* whether the vCPU is halted */

/* The best statistic is first. Each architecture has another name for all exits. */
static const char * const stat_names[TALLIES + 1][5] = {
	[TALLY_EXITS] = { "exits", "sum_exits", "kvm_exit" },
	[TALLY_FAULTS] = { "pf_taken", "pf_fixed", "pf_storage", "kvm_page_fault" },
	[TALLY_POLLS] = { "halt_attempted_poll" },
	[TALLY_GOOD_POLLS] = { "halt_successful_poll" },
	[TALLY_DELAY] = { "run_delay_ns" },
	/* These are exit statistics. The time of exits is the sum of their classes. */
	[TALLY_TIMES + TIME_GUEST] = { "guest_ns" },
	[TALLY_TIMES + TIME_VMM] = { "userspace_ns" },
	[TALLY_TIMES + TIME_HALTED] = { "halted_ns" },
	[TALLY_TIMES + TIME_WAITING] = { "run_delay_ns" },
	[STAT_BLOCKING] = { "blocking" },
};

/* They are found by name in any schema, regardless of the filter. */
struct exit_stats {
	const struct stat_set *set;
	const struct kvmstats_stat *stat[TALLIES + 1];	/* NULL: there is no such statistic */
	struct {
		char name[EXIT_NAME_SIZE];
		const struct kvmstats_stat *count;
		const struct kvmstats_stat *ns;		/* NULL: not a class */
	} kind[EXIT_KINDS];
	size_t kinds;
	bool has_classes;
};

bool exit_kind_name(char *buf, const char *name)
{
	/* Kinds of exits that have other names than most */
	static const char * const kinds[] = { "hypercalls", "pf_taken", "invlpg", NULL };
	static const char * const parts[] = { "_exit_stat", "_exits", "exit_", "_exit", NULL };
	size_t i;

	if (ends_with(name, "_ns") || is_one_of(name, stat_names[TALLY_EXITS]))
		return false;
	if (sscanf(name, "kvm_exit(%23[^)]", buf) == 1)
		return true;
	if (is_one_of(name, kinds))
		return snprintf(buf, EXIT_NAME_SIZE, "%s", name);
	for (i = 0; strncmp(name, "kvm_", 4) && parts[i]; i++) {
		const char *at = strstr(name, parts[i]);

		if (at)
			return snprintf(buf, EXIT_NAME_SIZE, "%.*s%s", (int)(at - name), name,
					at + strlen(parts[i]));
	}
	return false;
}

static void find_kinds(struct exit_stats *stats, const struct kvmstats_schema *schema)
{
	size_t count = kvmstats_schema_count(schema);
	size_t i;

	for (i = 0; i < count && stats->kinds < EXIT_KINDS; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		struct exit_class class = { 0 };

		if (kvmstats_stat_size(stat) != 1 ||
		    kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE ||
		    !exit_kind_name(stats->kind[stats->kinds].name, kvmstats_stat_name(stat)))
			continue;
		stats->has_classes |= exit_class_of(schema, stat, &class);
		stats->kind[stats->kinds].count = stat;
		stats->kind[stats->kinds++].ns = class.partner;
	}
}

static const struct exit_stats *stats_of(struct top *top, const struct target *target)
{
	struct exit_stats *stats;
	size_t i, j;

	for (i = 0; i < top->schemas; i++) {
		if (top->exits[i].set == target->set)
			return &top->exits[i];
	}
	stats = array_grow(top->exits, top->schemas, &top->schemas_capacity, sizeof(*stats));
	require_memory(stats);
	top->exits = stats;
	stats += top->schemas++;
	*stats = (struct exit_stats){ .set = target->set };
	for (i = 0; i <= TALLIES; i++) {
		for (j = 0; stat_names[i][j] && !stats->stat[i]; j++)
			stats->stat[i] = kvmstats_schema_find(target->set->schema,
							      stat_names[i][j]);
	}
	find_kinds(stats, target->set->schema);
	return stats;
}

void guests_free(struct top *top)
{
	free(top->exits);
	top->exits = NULL;
	top->schemas = 0;
	top->schemas_capacity = 0;
}

/* ---- rates ---- */

/* Without the statistic, the value is 0, and its growth unknown. */
static struct row row_of(const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row = { 0 };

	if (stat)
		row_get(&row, target, stat);
	return row;
}

/* Adds the rate of @stat, if it is known. Returns whether it is. */
static bool add_rate(double *sum, const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row = row_of(target, stat);

	*sum += row.rate;
	return row.known || row.cleared;
}

/* Whether exit statistics have counted @target, and are on. */
static bool is_counted(const struct top *top, const struct exit_stats *stats,
		       const struct target *target)
{
	return stats->has_classes && top->exits_state == EXITS_ON &&
	       row_of(target, stats->stat[TALLY_TIMES + TIME_GUEST]).value;
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
		percent[longest] = fmax(0, percent[longest] - (sum - 100));
	if (sum < 100 && blocking)
		percent[TIME_HALTED] += 100 - sum;
}

/* Adds the times of the last interval, if exit statistics count the target. Returns whether. */
static bool add_times(struct tally *tally, const struct top *top, const struct exit_stats *stats,
		      const struct target *target)
{
	double ns[TIME_PARTS] = { 0 };
	size_t i;

	if (target->scope != SCOPE_VCPU || !is_counted(top, stats, target) ||
	    !add_rate(&ns[TIME_GUEST], target, stats->stat[TALLY_TIMES + TIME_GUEST]))
		return false;
	for (i = TIME_GUEST + 1; i < TIME_PARTS; i++)
		add_rate(&ns[i], target, stats->stat[TALLY_TIMES + i]);
	for (i = 0; i < stats->kinds; i++)
		add_rate(&ns[TIME_EXITS], target, stats->kind[i].ns);
	for (i = 0; i < TIME_PARTS; i++)
		ns[i] *= 100.0 / SECOND;
	fit_interval(ns, row_of(target, stats->stat[STAT_BLOCKING]).value);
	for (i = 0; i < TIME_PARTS; i++)
		tally->sum[TALLY_TIMES + i] += ns[i];
	tally->known[TALLY_TIMES]++;
	return true;
}

static void add_target(struct tally *tally, struct top *top, const struct target *target)
{
	const struct exit_stats *stats = stats_of(top, target);
	size_t i;

	for (i = 0; i < TALLY_TIMES; i++) {
		/* debugfs has sums over the vCPUs of a VM. */
		if (i != TALLY_DELAY || target->scope == SCOPE_VCPU)
			tally->known[i] += add_rate(&tally->sum[i], target, stats->stat[i]);
	}
	add_times(tally, top, stats, target);
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
	size_t i;

	for (i = 0; i < stats->kinds; i++) {
		struct row count = row_of(target, stats->kind[i].count);
		struct row ns = row_of(target, stats->kind[i].ns);
		struct exit_kind *kind = NULL;

		if (classes == !!stats->kind[i].ns && (count.value || ns.value))
			kind = kind_of(kinds, stats->kind[i].name);
		if (!kind)
			continue;
		kind->rate += count.rate;
		kind->ns += ns.rate;
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

void guests_update_kinds(struct top *top, struct line *line)
{
	const struct target *target;
	struct exit_kinds kinds = { 0 };

	for_each_target(target, top->monitor) {
		if (scope_selects(target, &line->scope) &&
		    (*line->scope.label || counts(target)))
			add_kinds(&kinds, top, stats_of(top, target), target);
	}
	if (!kinds.kinds)
		return;
	qsort(kinds.kind, kinds.kinds, sizeof(*kinds.kind), by_rate);
	memcpy(line->kind, kinds.kind, sizeof(line->kind));
}

void guests_update_times(struct top *top, struct page *page)
{
	const struct target *target;

	page->times = (struct tally){ 0 };
	page->classes = (struct exit_kinds){ 0 };
	for_each_target(target, top->monitor) {
		const struct exit_stats *stats = stats_of(top, target);

		if (scope_selects(target, &page->scope) &&
		    add_times(&page->times, top, stats, target))
			add_kinds(&page->classes, top, stats, target);
	}
	qsort(page->classes.kind, page->classes.kinds, sizeof(*page->classes.kind), by_time);
}

/* ---- the numbers of a line ---- */

static void set_waiting(double *number, double waiting)
{
	number[COLUMN_WAITING] = waiting;
	if (number[COLUMN_GUEST] >= 0)
		number[COLUMN_HALTED] = fmax(0, 100 - number[COLUMN_GUEST] -
					     number[COLUMN_KERNEL] - number[COLUMN_USER] -
					     waiting);
}

/* Sets what KVM knows. The times are exact with exit statistics. Call it after /proc was read. */
static void set_tally(struct line *line, const struct monitor *monitor)
{
	const struct tally *tally = &line->tally;
	const double *sum = tally->sum;
	double *number = line->number;
	size_t i;

	if (tally->known[TALLY_EXITS])
		number[COLUMN_EXITS] = sum[TALLY_EXITS];
	if (tally->known[TALLY_FAULTS])
		number[COLUMN_FAULTS] = sum[TALLY_FAULTS];
	if (sum[TALLY_POLLS] > 0)
		number[COLUMN_POLLS] = fmin(100, 100 * sum[TALLY_GOOD_POLLS] / sum[TALLY_POLLS]);
	if (tally->known[TALLY_DELAY])
		set_waiting(number, 100 * sum[TALLY_DELAY] / SECOND /
				    (double)tally->known[TALLY_DELAY]);
	for (i = 0; tally->known[TALLY_TIMES] && i < TIME_PARTS; i++)
		number[COLUMN_GUEST + i] = sum[TALLY_TIMES + i] / (double)tally->known[TALLY_TIMES];
	if (monitor->time_before && tally->known[TALLY_EXITS])
		history_add(&line->history, monitor->time_before, monitor->time, sum[TALLY_EXITS]);
}

/*
 * Sets the mean times of the threads of @vcpus vCPUs, or with @vcpu >= 0 those of the thread of
 * this vCPU.
 */
static void set_use(double *number, const struct process *process, int vcpu, size_t vcpus)
{
	struct cpu_use sum = { 0 };
	size_t found = 0, i;

	for (i = 0; i < process->threads; i++) {
		const struct thread *thread = &process->thread[i];
		struct cpu_use use = thread_use(process, thread);

		if (!thread->runs_vcpu || use.guest < 0 || (vcpu >= 0 && thread->vcpu != vcpu))
			continue;
		found++;
		sum.guest += use.guest;
		sum.kernel += use.kernel;
		sum.user += use.user;
		/* Unknown if it is unknown for one thread */
		sum.waiting = sum.waiting < 0 || use.waiting < 0 ? -1 : sum.waiting + use.waiting;
	}
	if (!found)
		return;
	if (vcpu >= 0)
		number[COLUMN_CPU] = sum.guest + sum.user + sum.kernel;
	vcpus = found > vcpus ? found : vcpus;
	number[COLUMN_GUEST] = sum.guest / (double)vcpus;
	number[COLUMN_KERNEL] = sum.kernel / (double)vcpus;
	number[COLUMN_USER] = sum.user / (double)vcpus;
	if (sum.waiting >= 0)
		set_waiting(number, sum.waiting / (double)vcpus);
}

/* The columns from COLUMN_CPU to COLUMN_WAITING, and the memory */
#define PROC_COLUMNS	(COLUMN_BIT(COLUMN_WAITING + 1) - COLUMN_BIT(COLUMN_CPU) + \
			 COLUMN_BIT(COLUMN_MEMORY))

/*
 * Reads /proc if a column needs it, because that is expensive, and once for each sample: the times
 * of shorter intervals are not precise.
 */
static void update_process(struct top *top, struct line *line, const struct vmm *vmm)
{
	unsigned int columns = top->columns | COLUMN_BIT(top->order[top_page(top)->kind].column);
	struct process *process = &line->process;
	struct cpu_use all;
	int *id;

	if (!vmm->pid || !(columns & PROC_COLUMNS))
		return;
	if (process->time < top->monitor->time) {
		process->pid = vmm->pid;
		id = calloc(vmm->vcpus + 1, sizeof(*id));
		require_memory(id && process_update(process, clock_now(), id,
						    vmm_vcpu_ids(vmm, id)));
		free(id);
	}
	all = process_use(process);
	if (process->has_now) {
		line->number[COLUMN_MEMORY] = (double)process->now.memory;
		if (task_is_stopped(&process->now) && !*line->problem)
			snprintf(line->problem, sizeof(line->problem), "the VMM is stopped");
	}
	if (all.guest < 0)
		return;
	line->number[COLUMN_CPU] = all.guest + all.user + all.kernel;
	set_use(line->number, process, -1, vmm->vcpus);
}

/* ---- the lines of guests ---- */

static void set_problem(struct line *line, const struct vmm *vmm)
{
	int err = vmm_error(vmm);

	*line->problem = '\0';
	if (!vmm->targets && err)
		snprintf(line->problem, sizeof(line->problem), "cannot be read: %s",
			 error_text(err));
	else if (!vmm->targets)
		snprintf(line->problem, sizeof(line->problem), "no statistics");
}

static size_t missing_of(const struct vmm *vmm)
{
	return vmm->targets ? vmm->unread.count : vmm->vms + vmm->vcpus;
}

/* Whether the sums over the guest contain all of it. */
static bool is_complete(const struct vmm *vmm)
{
	return vmm->targets && (!missing_of(vmm) || vmm_lacks_only_vm(vmm) || vmm_has_sums(vmm));
}

/*
 * Updates the line of a guest, or with @target that of its VM or vCPU. @guest is the line of the
 * guest then.
 */
static struct line *update_line(struct top *top, struct page *page, struct vmm *vmm,
				struct target *target, const struct line *guest)
{
	struct top_scope scope = target ? scope_of_target(target) :
					  (struct top_scope){ .vmm = vmm->id };
	struct line *line = page_line(page, &scope, "");
	struct target **targets = target ? &target : vmm->target;
	size_t count = target ? 1 : vmm->targets, i;

	line_clear_numbers(line);
	line->appeared = count && top->monitor->time_before &&
			 !kvmstats_sample_time(targets[0]->before);
	if (target) {
		snprintf(line->name, sizeof(line->name), "%s", target->label);
	} else {
		(top->kvm_stat ? guest_choice : guest_name)(vmm, line->name, sizeof(line->name));
		set_problem(line, vmm);
	}
	if (top->kvm_stat) {
		stats_add_up(top, line);
		return line;
	}
	if (target) {
		line->number[COLUMN_VCPUS] = target->scope == SCOPE_VCPU;
		if (target->scope == SCOPE_VCPU && vmm->vms == 1)
			set_use(line->number, &guest->process, target->vcpu, 1);
	} else {
		line->number[COLUMN_PID] = vmm->pid;
		line->number[COLUMN_VCPUS] = (double)vmm->vcpus;
		line->number[COLUMN_MISSING] = (double)missing_of(vmm);
		line->lacks_only_vms = vmm_lacks_only_vm(vmm);
		update_process(top, line, vmm);
	}
	line->tally = (struct tally){ 0 };
	for (i = 0; i < count; i++) {
		if (target || counts(targets[i]))
			add_target(&line->tally, top, targets[i]);
	}
	set_tally(line, top->monitor);
	return line;
}

/* Adds a guest to the sum of all. Unknown numbers do not count. */
static void add_guest(struct line *sum, const struct line *line)
{
	static const enum column_id added[] = { COLUMN_CPU, COLUMN_MEMORY, COLUMN_VCPUS,
						COLUMN_MISSING };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(added); i++) {
		double number = line->number[added[i]];

		if (number >= 0)
			sum->number[added[i]] = fmax(0, sum->number[added[i]]) + number;
	}
	for (i = 0; i < TALLIES; i++) {
		sum->tally.sum[i] += line->tally.sum[i];
		sum->tally.known[i] += line->tally.known[i];
	}
}

static void update_guests(struct top *top, struct page *page)
{
	const struct monitor *monitor = top->monitor;
	bool has_sum = monitor->vmms > 1 && !top->kvm_stat, lacks_vms = false;
	struct line unused = { 0 }, *sum = has_sum ? page_line(page, &page->scope, "") : &unused;
	size_t complete = 0, missing = 0, i;

	line_clear_numbers(sum);
	sum->tally = (struct tally){ 0 };
	for (i = 0; i < monitor->vmms; i++) {
		struct line *line = update_line(top, page, monitor->vmm[i], NULL, NULL);

		add_guest(sum, line);
		complete += is_complete(monitor->vmm[i]);
		lacks_vms |= line->lacks_only_vms;
		missing += line->lacks_only_vms ? 0 : missing_of(monitor->vmm[i]);
	}
	/* A mean of the times of all vCPUs says nothing. */
	sum->tally.known[TALLY_TIMES] = 0;
	set_tally(sum, monitor);
	sum->sum = true;
	sum->lacks_only_vms = lacks_vms && !missing;
	if (complete == monitor->vmms)
		snprintf(sum->name, sizeof(sum->name), "all %zu guests", complete);
	else
		snprintf(sum->name, sizeof(sum->name), "sum, %zu of %zu", complete, monitor->vmms);
}

/* The line of the page of guests has the process of the guest, and the history. */
static const struct line *update_whole_guest(struct top *top, struct page *page, struct vmm *vmm)
{
	const struct line *guest = update_line(top, &top->page[0], vmm, NULL, NULL);
	struct line *sum = page_line(page, &page->scope, "");

	*sum = *guest;
	sum->process = (struct process){ 0 };
	sum->sum = true;
	snprintf(sum->name, sizeof(sum->name), "%s guest", is_complete(vmm) ? "whole" : "part of");
	return guest;
}

void guests_update(struct top *top, struct page *page)
{
	struct vmm *vmm = scope_vmm(&page->scope, top->monitor);
	const struct line *guest;
	size_t i;

	if (!vmm) {
		update_guests(top, page);
		return;
	}
	guest = top->kvm_stat ? NULL : update_whole_guest(top, page, vmm);
	for (i = 0; i < vmm->targets; i++)
		update_line(top, page, vmm, vmm->target[i], guest);
}
