// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "top/sampler.h"
#include "util.h"

/* ---- samples ---- */

bool sampler_read(struct sampler *sampler, struct message *why)
{
	struct monitor *monitor = sampler->monitor;
	int err = monitor_sample(monitor);

	if (err == -ENOMEM)
		return message_no_memory(why);
	/* A later pass may succeed. Until then, the last sample stays. */
	if (err)
		return true;
	host_update(&sampler->host);
	sampler->exits.state = monitor_exits(monitor);
	/* After a gap, or a step back in a recording, no value was cleared. */
	if (monitor->time_before)
		baselines_update(monitor);
	return evidence_update(&sampler->evidence, monitor, &sampler->host) ||
	       message_no_memory(why);
}

/* ---- names and states ---- */

static void put_guest_name(char *buf, size_t size, const struct vmm *vmm)
{
	size_t len = strlen(sanitize(vmm->guest ? vmm->guest : vmm->comm, buf, size));

	snprintf(buf + len, size - len, "%s", vmm_name_mark(vmm));
}

const char *guest_title(char *buf, size_t size, const struct vmm *vmm)
{
	size_t len = strlen(sanitize(vmm->guest ? vmm->guest : "", buf, size));

	if (vmm->pid)
		snprintf(buf + len, size - len, len ? " (PID %d)" : "PID %d", (int)vmm->pid);
	return buf;
}

static void set_guest_state(struct line *line, const struct vmm *vmm)
{
	static const char * const meanings[PROCESS_STATES] = {
		[PROCESS_RUNS] = "",
		[PROCESS_PAUSED] = "paused: the VMM lets none of its vCPUs run",
		[PROCESS_STOPPED] = "stopped: a signal or a debugger has stopped the VMM",
		[PROCESS_FROZEN] = "frozen: the freezer of a cgroup has stopped the VMM",
		[PROCESS_BLOCKED] = "blocked: the VMM waits in the kernel, for example for a disk",
		[PROCESS_UNKNOWN] = "unknown: /proc does not show the VMM to this user",
	};

	if (vmm->orphan) {
		line->state = "orphan";
		line->meaning = "orphan: the process that created the VM has ended, and others "
				"keep the VM";
		return;
	}
	line->state = process_state_name(vmm->process.state);
	line->meaning = meanings[vmm->process.state];
}

/* A vCPU does not run if its guest does not. */
static void set_vcpu_state(struct line *line, const struct target *target,
			   const struct line *guest, const struct thread *thread)
{
	enum process_state state = target->vmm->process.state;

	line->state = guest->state;
	if (state != PROCESS_RUNS && state != PROCESS_UNKNOWN)
		return;
	if (target->waiting)
		line->state = "waiting";
	else if (!thread)
		line->state = "";
	else if (thread->now.state == 'S')
		line->state = "idle";
	else if (thread->now.state == 'D')
		line->state = "blocked";
	else if (task_is_stopped(&thread->now))
		line->state = "stopped";
}

/* ---- verdicts ---- */

static void set_verdict(struct line *line, const struct verdict *verdict)
{
	const char *before = line->verdict;

	line->new_verdict = false;
	if (!*verdict->text)
		return;
	line->verdict = verdict_is_finding(verdict) ? why_rules[verdict->rule].name : "";
	line->number[COLUMN_VERDICT] = verdict_is_finding(verdict) ? fmax(0, verdict->loss) : -1;
	line->new_verdict = strcmp(line->verdict, before);
}

/* The verdict on a guest or, with a thread, on a vCPU. Without a verdict, it has no text. */
static struct verdict verdict_on(const struct sampler *sampler, const struct vmm *vmm, pid_t tid)
{
	const struct guest_evidence *guest = evidence_of(&sampler->evidence, vmm);
	struct verdict verdict = { .rule = RULE_NONE };
	const struct thread_evidence *vcpu;
	size_t at = 0;

	if (!guest || guest->samples_taken < 2)
		return verdict;
	if (!tid)
		guest_verdict(&verdict, &sampler->evidence, guest);
	while (tid && (vcpu = guest_next_vcpu(guest, &at))) {
		if (vcpu->thread.tid == tid)
			vcpu_verdict(&verdict, &sampler->evidence, guest, vcpu);
	}
	return verdict;
}

/* ---- the numbers of a line ---- */

/* Sets the mean times of @vcpus vCPUs, whose threads together have @use. */
static void set_times(double *number, struct cpu_use use, size_t vcpus)
{
	double count = vcpus ? (double)vcpus : 1;

	if (use.guest < 0)
		return;
	number[COLUMN_GUEST] = use.guest / count;
	number[COLUMN_KERNEL] = use.kernel / count;
	number[COLUMN_USER] = use.user / count;
	if (use.throttled >= 0)
		number[COLUMN_THROTTLED] = use.throttled / count;
	if (use.waiting < 0)
		return;
	number[COLUMN_WAITING] = use.waiting / count;
	number[COLUMN_HALTED] = fmax(0, 100 - (use.guest + use.kernel + use.user + use.waiting +
					       fmax(0, use.throttled)) / count);
}

static const struct thread *thread_of(const struct target *target)
{
	if (target->scope != SCOPE_VCPU || (!target->tid && target->vmm->vms > 1))
		return NULL;
	return process_vcpu(&target->vmm->process, target->tid, target->vcpu);
}

/* KVM counts the time in which a cgroup throttles a vCPU as waiting. */
static void split_waiting(struct tally *tally, const struct target *target)
{
	const struct thread *thread = thread_of(target);
	double throttled = thread ? thread_use(&target->vmm->process, thread).throttled : 0;

	throttled = fmax(0, fmin(throttled, tally->sum[TALLY_TIMES + TIME_WAITING]));
	tally->sum[TALLY_TIMES + TIME_WAITING] -= throttled;
	tally->sum[TALLY_TIMES + TIME_THROTTLED] += throttled;
}

/* Sets what KVM knows. The times are exact with exit statistics. Call it after set_times(). */
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
	for (i = 0; tally->known[TALLY_TIMES] && i < TIME_PARTS; i++) {
		/* Without a limit, there is no value. */
		if (i != TIME_THROTTLED || number[COLUMN_THROTTLED] >= 0)
			number[COLUMN_GUEST + i] = sum[TALLY_TIMES + i] /
						   (double)tally->known[TALLY_TIMES];
	}
	if (monitor->time_before && tally->known[TALLY_EXITS])
		history_add(&line->history, monitor->time_before, monitor->time, sum[TALLY_EXITS]);
}

/* Sets what KVM knows of the targets, which are some of one guest. */
static void add_targets(struct line *line, struct sampler *sampler, struct target **target,
			size_t targets)
{
	struct exit_kinds kinds = { 0 };
	size_t i;

	line->tally = (struct tally){ 0 };
	for (i = 0; i < targets; i++) {
		tally_add(&line->tally, &sampler->exits, target[i]);
		split_waiting(&line->tally, target[i]);
		exit_kinds_add(&kinds, &sampler->exits, target[i]);
	}
	exit_kinds_sort(&kinds, false);
	memcpy(line->kind, kinds.kind, sizeof(line->kind));
	line->appeared = targets && sampler->monitor->time_before && target[0]->now &&
			 !target[0]->before;
	set_tally(line, sampler->monitor);
}

void guest_page_update_times(struct page *page, struct sampler *sampler)
{
	const struct target *target;

	page->times = (struct tally){ 0 };
	page->classes = (struct exit_kinds){ 0 };
	for_each_target(target, sampler->monitor) {
		if (!scope_selects(target, &page->scope) ||
		    !tally_add_times(&page->times, &sampler->exits, target))
			continue;
		split_waiting(&page->times, target);
		exit_kinds_add(&page->classes, &sampler->exits, target);
	}
	exit_kinds_sort(&page->classes, true);
}

/* ---- lines of guests ---- */

static void set_process(struct line *line, const struct vmm *vmm)
{
	const struct process *process = &vmm->process;
	struct cpu_use vcpus = process_group_use(process, THREAD_VCPU);
	/* If /proc hides the process, the host file still has the threads of its vCPUs. */
	struct cpu_use all = process->has_now ? process_use(process) : vcpus;

	set_guest_state(line, vmm);
	if (process->has_now)
		line->number[COLUMN_MEMORY] = (double)(process->now.memory + process->huge_memory);
	if (all.guest >= 0)
		line->number[COLUMN_CPU] = all.guest + all.user + all.kernel;
	set_times(line->number, vcpus, vmm->vcpus);
}

static struct line *guest_line(struct page *page, struct sampler *sampler, const struct vmm *vmm)
{
	struct line *line = page_line(page, &(struct top_scope){ .vmm = vmm->id }, "");

	line_clear_numbers(line);
	put_guest_name(line->name, sizeof(line->name), vmm);
	line->number[COLUMN_PID] = vmm->pid;
	line->number[COLUMN_VCPUS] = (double)vmm->vcpus;
	set_process(line, vmm);
	page->verdict = verdict_on(sampler, vmm, 0);
	set_verdict(line, &page->verdict);
	add_targets(line, sampler, vmm->target, vmm->targets);
	return line;
}

static void update_target_line(struct page *page, struct sampler *sampler, struct target *target,
			       const struct line *guest)
{
	struct top_scope scope = { .vmm = target->vmm->id };
	const struct thread *thread = thread_of(target);
	struct verdict verdict;
	struct cpu_use use;
	struct line *line;

	memcpy(scope.label, target->label, sizeof(scope.label));
	line = page_line(page, &scope, "");
	line_clear_numbers(line);
	snprintf(line->name, sizeof(line->name), "%s", target->label);
	line->number[COLUMN_VCPUS] = target->scope == SCOPE_VCPU;
	if (thread) {
		use = thread_use(&target->vmm->process, thread);
		line->number[COLUMN_CPU] = use.guest < 0 ? -1 : use.guest + use.user + use.kernel;
		set_times(line->number, use, 1);
		verdict = verdict_on(sampler, target->vmm, thread->tid);
		set_verdict(line, &verdict);
	}
	if (target->scope == SCOPE_VCPU)
		set_vcpu_state(line, target, guest, thread);
	add_targets(line, sampler, &target, 1);
}

/* Adds a guest to the sum of all. Unknown numbers do not count. */
static void add_to_sum(struct line *sum, const struct line *line)
{
	static const enum column_id added[] = { COLUMN_CPU, COLUMN_MEMORY, COLUMN_VCPUS };
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

static void update_all_guests(struct page *page, struct sampler *sampler)
{
	const struct monitor *monitor = sampler->monitor;
	struct line unused = { 0 }, *sum = &unused;
	size_t i;

	if (monitor->vmms > 1)
		sum = page_line(page, &page->scope, "");
	line_clear_numbers(sum);
	sum->tally = (struct tally){ 0 };
	for (i = 0; i < monitor->vmms; i++)
		add_to_sum(sum, guest_line(page, sampler, monitor->vmm[i]));
	/* A mean of the times of all vCPUs says nothing. */
	sum->tally.known[TALLY_TIMES] = 0;
	set_tally(sum, monitor);
	sum->sum = true;
	snprintf(sum->name, sizeof(sum->name), "all guests");
}

void guest_page_update(struct page *page, struct page *guests, struct sampler *sampler)
{
	const struct vmm *vmm = scope_vmm(&page->scope, sampler->monitor);
	const struct line *guest;
	struct line *sum;
	size_t i;

	if (!vmm) {
		update_all_guests(page, sampler);
		return;
	}
	guest = guest_line(guests, sampler, vmm);
	page->verdict = guests->verdict;
	sum = page_line(page, &page->scope, "");
	*sum = *guest;
	sum->sum = true;
	snprintf(sum->name, sizeof(sum->name), "whole guest");
	for (i = 0; i < vmm->targets; i++)
		update_target_line(page, sampler, vmm->target[i], guest);
}

/* ---- lines of statistics ---- */

static enum stat_group stat_group_of(const struct kvmstats_stat *stat)
{
	if (kvmstats_stat_is_hist(stat))
		return GROUP_HISTOGRAMS;
	if (kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE)
		return GROUP_GAUGES;
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_NONE ? GROUP_EVENTS : GROUP_AMOUNTS;
}

/* A histogram counts samples, whatever the unit of its buckets is. */
static enum unit stat_unit_of(const struct kvmstats_stat *stat, double *factor)
{
	*factor = 1;
	return kvmstats_stat_is_hist(stat) ? UNIT_COUNT : number_unit_of(stat, factor);
}

/* The sums over a guest have statistics of VMs and of vCPUs. */
static const char *meaning_of(const char *name)
{
	const char *text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);

	if (!text)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	return text ? text : "";
}

static uint64_t value_since(const struct sampler *sampler, const struct total *total)
{
	uint64_t sum = 0;
	unsigned int n;

	if (!total->counts_up || !sampler->counts_growth)
		return total->value;
	for (n = 0; n < total->size; n++)
		sum += total->growth[n];
	return sum;
}

static void update_statistic(struct page *page, const struct sampler *sampler,
			     const struct total *total)
{
	const struct monitor *monitor = sampler->monitor;
	char stat[NAME_SIZE];
	struct line *line;
	double factor;

	line = page_line(page, &page->scope, sanitize(total->name, stat, sizeof(stat)));
	memcpy(line->name, line->stat, sizeof(line->name));
	line->group = stat_group_of(total->stat);
	line->unit = stat_unit_of(total->stat, &factor);
	line->cleared = total->cleared;
	line_clear_numbers(line);
	line->number[COLUMN_VALUE] = (double)value_since(sampler, total) * factor;
	if (line->group != GROUP_GAUGES && monitor->time_before)
		line->number[COLUMN_RATE] = total->rate * factor;
	if (!*line->meaning)
		line->meaning = meaning_of(line->stat);
	if (total->counts_up && monitor->time_before)
		history_add(&line->history, monitor->time_before, monitor->time, total->rate);
}

void stat_page_update(struct page *page, const struct sampler *sampler)
{
	const struct totals *totals = &sampler->totals;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];

		if (total->present &&
		    (value_since(sampler, total) || total->delta || total->cleared))
			update_statistic(page, sampler, total);
	}
}

/* ---- histograms ---- */

static const struct total *total_named(const struct totals *totals, const char *name)
{
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];

		if (total->present && !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

static struct line *update_bar(struct page *page, const struct total *total, uint64_t samples,
			       unsigned int n)
{
	uint64_t min, max;
	double factor;
	enum unit unit = number_unit_of(total->stat, &factor);
	char number[16];
	struct line *line;

	snprintf(number, sizeof(number), "#%u", n);
	line = page_line(page, &page->scope, number);
	if (kvmstats_stat_bucket(total->stat, n, &min, &max)) {
		snprintf(line->name, sizeof(line->name), "%s", number);
	} else {
		number_put(line->name, unit, (double)min * factor, NUMBER_SIZE);
		if (max != UINT64_MAX)
			number_put(line->below, unit, ((double)max + 1) * factor, NUMBER_SIZE);
	}
	line->number[COLUMN_BAR] = n;
	line->number[COLUMN_VALUE] = (double)samples;
	line->added = (double)(total->deltas[n] < samples ? total->deltas[n] : samples);
	return line;
}

/* Writes the bound of the first bar that, with those before it, has enough samples. */
static void put_quantile(char *buf, size_t size, const struct line *bar, bool enough)
{
	if (*buf || !enough)
		return;
	if (*bar->below)
		snprintf(buf, size, "< %s", bar->below);
	else
		snprintf(buf, size, ">= %.31s", bar->name);
}

/* There are bars from the first bucket that is not empty to the last. */
void stat_page_update_histogram(struct page *page, const struct sampler *sampler)
{
	const struct total *total = total_named(&sampler->totals, page->stat);
	unsigned int n = 0, end = total ? total->size : 0, i;
	char median[NUMBER_SIZE + 8] = "", p99[NUMBER_SIZE + 8] = "";
	double all = 0, sum = 0, added = 0;
	const uint64_t *values;

	values = !total ? NULL : sampler->counts_growth ? total->growth : total->values;
	while (n < end && !values[n])
		n++;
	while (end > n && !values[end - 1])
		end--;
	for (i = n; i < end; i++)
		all += (double)values[i];
	for (; n < end; n++) {
		struct line *bar = update_bar(page, total, values[n], n);

		bar->number[COLUMN_SHARE] = 100 * (double)values[n] / all;
		added += bar->added;
		sum += (double)values[n];
		put_quantile(median, sizeof(median), bar, sum >= all * 0.5);
		put_quantile(p99, sizeof(p99), bar, sum >= all * 0.99);
	}
	*page->summary = '\0';
	if (all > 0)
		snprintf(page->summary, sizeof(page->summary),
			 "%.0f samples, %.0f new; p50 %s, p99 %s", all, added, median, p99);
}
