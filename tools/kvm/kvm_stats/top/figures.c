// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/clock.h"
#include "top/figures.h"

void figures_clear(struct figures *figures)
{
	*figures = (struct figures){
		.cpu = -1, .guest = -1, .kernel = -1, .user = -1, .waiting = -1, .halted = -1,
		.exits = -1, .faults = -1, .polls = -1, .memory = -1,
	};
}

/* ---- /proc ---- */

static void set_waiting(struct figures *figures, double waiting)
{
	figures->waiting = waiting;
	if (figures->guest < 0)
		return;
	figures->halted = 100 - figures->guest - figures->kernel - figures->user - waiting;
	if (figures->halted < 0)
		figures->halted = 0;
}

/* @use is the sum over the threads of @vcpus vCPUs. */
static void set_parts(struct figures *figures, const struct cpu_use *use, size_t vcpus)
{
	double n = (double)vcpus;

	figures->guest = use->guest / n;
	figures->kernel = use->kernel / n;
	figures->user = use->user / n;
	if (use->waiting >= 0)
		set_waiting(figures, use->waiting / n);
}

static void add_use(struct cpu_use *sum, const struct cpu_use *use)
{
	sum->guest += use->guest;
	sum->kernel += use->kernel;
	sum->user += use->user;
	/* Unknown if it is unknown for one thread */
	sum->waiting = sum->waiting < 0 || use->waiting < 0 ? -1 : sum->waiting + use->waiting;
}

void figures_set_process(struct figures *figures, const struct process *process, size_t vcpus)
{
	struct cpu_use all = process_use(process);
	struct cpu_use sum = { 0 };
	size_t found = 0;
	size_t i;

	if (process->has_now)
		figures->memory = (double)process->now.memory;
	if (all.guest < 0)
		return;
	figures->cpu = all.guest + all.user + all.kernel;
	for (i = 0; i < process->threads; i++) {
		struct cpu_use use = thread_use(process, &process->thread[i]);

		if (!process->thread[i].runs_vcpu || use.guest < 0)
			continue;
		add_use(&sum, &use);
		found++;
	}
	if (found)
		set_parts(figures, &sum, found > vcpus ? found : vcpus);
}

void figures_set_thread(struct figures *figures, const struct process *process,
			const struct thread *thread)
{
	struct cpu_use use = thread_use(process, thread);

	if (use.guest < 0)
		return;
	figures->cpu = use.guest + use.user + use.kernel;
	set_parts(figures, &use, 1);
}

/* ---- KVM ---- */

void figures_set_exits(struct figures *figures, struct exit_tally *tally)
{
	size_t i;

	if (tally->has_exits)
		figures->exits = tally->exits;
	if (tally->has_faults)
		figures->faults = tally->faults;
	if (tally->polls > 0)
		figures->polls = 100 * tally->good_polls / tally->polls;
	if (figures->polls > 100)
		figures->polls = 100;
	if (tally->vcpus)
		set_waiting(figures, 100 * tally->run_delay / SECOND / (double)tally->vcpus);
	exit_tally_sort(tally, FIGURES_KINDS);
	for (i = 0; i < FIGURES_KINDS && i < tally->kinds; i++)
		figures->kind[i] = tally->kind[i];
}

void figures_set_times(struct figures *figures, const struct vcpu_times *times)
{
	if (!times->vcpus)
		return;
	figures->guest = vcpu_times_mean(times, TIME_GUEST);
	figures->kernel = vcpu_times_mean(times, TIME_EXITS);
	figures->user = vcpu_times_mean(times, TIME_VMM);
	figures->halted = vcpu_times_mean(times, TIME_HALTED);
	figures->waiting = vcpu_times_mean(times, TIME_WAITING);
}

static void add(double *sum, double value)
{
	if (value >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + value;
}

void figures_add_sums(struct figures *figures, const struct figures *other)
{
	add(&figures->cpu, other->cpu);
	add(&figures->memory, other->memory);
}
