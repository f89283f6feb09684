// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "why/evidence.h"

/* How often pressures are read */
#define SLOW_INTERVAL	(SECOND * 9 / 10)
/* In percent, from which on it matters whose it is. RULE_MEMORY does not want less. */
#define HIGH_PRESSURE	5

/* ---- statistics ---- */

enum { CPU, EXEC_START, CLOCK, CLOCK_TASK, STATS };

static const char * const stat_names[STATS] = {
	[CPU] = "thread_cpu", [EXEC_START] = "thread_exec_start_ns",
	[CLOCK] = "thread_rq_clock_ns", [CLOCK_TASK] = "thread_rq_clock_task_ns",
};

/* KVM's names from SUM_HALT_TIME on, and what an operator calls these exits */
static const struct {
	const char *stat;
	const char *exits;
} counters[COUNTERS] = {
	{ "halt_wait_ns", NULL }, { "exits", NULL }, { "insn_emulation", NULL },
	{ "io_exits", "I/O ports" }, { "mmio_exits", "MMIO" }, { "mmio_exit_user", "MMIO" },
	{ "pf_taken", "page faults" }, { "halt_exits", "halts" }, { "wfi_exit_stat", "halts" },
	{ "irq_exits", "interrupts of the host" }, { "irq_window_exits", "interrupt windows" },
	{ "hypercalls", "hypercalls" }, { "signal_exits", "signals" },
	{ "nmi_window_exits", "NMI windows" }, { "request_irq_exits", "interrupt requests" },
};

static void find_stats(struct evidence *evidence, const struct kvmstats_schema *schema)
{
	size_t i;

	_Static_assert(ARRAY_SIZE(evidence->stat) == STATS, "each statistic has a place");
	evidence->has_blocking = kvmstats_schema_find(schema, "blocking");
	for (i = 0; i < STATS; i++)
		evidence->stat[i] = kvmstats_schema_find(schema, stat_names[i]);
	for (i = 0; i < COUNTERS; i++)
		evidence->counter[i] = kvmstats_schema_find(schema, counters[i].stat);
}

static uint64_t stat_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat)
{
	const uint64_t *value = sample && stat ? kvmstats_sample_values(sample, stat) : NULL;

	return value ? *value : 0;
}

/* ---- sums ---- */

uint64_t thread_sum(const struct thread_evidence *thread, enum sum sum)
{
	return thread->sum[0][sum] + thread->sum[1][sum];
}

const char *thread_exits(const struct thread_evidence *thread)
{
	uint64_t most = 0;
	const char *name = NULL;
	enum sum sum;

	for (sum = SUM_KINDS; sum < SUMS; sum++) {
		if (thread_sum(thread, sum) <= most)
			continue;
		most = thread_sum(thread, sum);
		name = counters[sum - SUM_HALT_TIME].exits;
	}
	return name;
}

/* Threads that no window has make room for others. */
static void roll_neighbours(struct guest_evidence *guest, size_t window)
{
	size_t kept = 0, i;

	for (i = 0; i < guest->neighbours; i++) {
		struct neighbour *neighbour = &guest->neighbour[i];

		neighbour->weight[window] = 0;
		if (neighbour->weight[!window])
			guest->neighbour[kept++] = *neighbour;
	}
	guest->neighbours = kept;
}

/* A new window replaces the older one. */
static void roll(struct evidence *evidence)
{
	size_t i, n;

	evidence->current = (evidence->current + 1) % WINDOWS;
	evidence->began = evidence->time;
	evidence->steal[evidence->current] = 0;
	evidence->intervals[evidence->current] = 0;
	for (i = 0; i < evidence->guests; i++) {
		struct guest_evidence *guest = &evidence->guest[i];

		guest->window[evidence->current] = (struct guest_window){ 0 };
		roll_neighbours(guest, evidence->current);
		for (n = 0; n < guest->threads; n++)
			memset(guest->thread[n].sum[evidence->current], 0,
			       sizeof(guest->thread[n].sum[0]));
	}
}

/* ---- parts of the time ---- */

const char *part_name(enum part part)
{
	static const char * const names[PARTS] = {
		"guest", "kvm", "vmm", "halted", "waiting", "throttled", "blocked", "stopped",
	};

	return names[part];
}

/* The kernel counts the parts of the run time at timer ticks. */
static void split_runtime(const struct thread_evidence *thread, double *part, double running)
{
	double guest = (double)thread_sum(thread, SUM_GUEST);
	double user = (double)thread_sum(thread, SUM_USER);
	double kernel = (double)thread_sum(thread, SUM_KERNEL);
	double ticks = guest + user + kernel;

	part[PART_GUEST] = ticks > 0 ? running * guest / ticks : running;
	part[PART_KVM] = ticks > 0 ? running * kernel / ticks : 0;
	part[PART_VMM] = ticks > 0 ? running * user / ticks : 0;
}

/* Time without a CPU is divided as the samples show. Halts that have ended are known exactly. */
static void split_sleep(const struct thread_evidence *thread, double *part, double sleep,
			double ended_halts)
{
	double halted = (double)thread_sum(thread, SUM_HALTED);
	double stopped = (double)thread_sum(thread, SUM_STOPPED);
	double asleep = (double)(thread_sum(thread, SUM_OUTSIDE) + thread_sum(thread, SUM_BLOCKED));
	double all = halted + stopped + asleep;

	part[PART_STOPPED] = all > 0 ? sleep * stopped / all : 0;
	sleep -= part[PART_STOPPED];
	part[PART_BLOCKED] = all > 0 ? fmin(sleep * asleep / fmax(1, halted + asleep),
					    fmax(0, sleep - ended_halts)) : 0;
	part[PART_HALTED] = fmax(0, sleep - part[PART_BLOCKED]);
}

bool thread_parts(const struct thread_evidence *thread, double *part)
{
	double time = (double)thread_sum(thread, SUM_TIME);
	double running, waiting;

	if (time <= 0)
		return false;
	running = 100 * (double)thread_sum(thread, SUM_RUNTIME) / time;
	waiting = 100 * (double)thread_sum(thread, SUM_WAITING) / time;
	split_runtime(thread, part, running);
	split_sleep(thread, part, fmax(0, 100 - running - waiting),
		    100 * (double)thread_sum(thread, SUM_HALT_TIME) / time);
	part[PART_THROTTLED] = fmin(waiting,
				    100 * (double)thread_sum(thread, SUM_THROTTLED) / time);
	part[PART_WAITING] = waiting - part[PART_THROTTLED];
	return true;
}

/* ---- samples of threads ---- */

/* Takes the threads of the last pass, which are sorted, with the evidence so far. */
static bool take_threads(struct guest_evidence *guest, const struct process *process)
{
	struct thread_evidence *thread = calloc(process->threads + 1, sizeof(*thread));
	size_t old = 0, i;

	if (!thread)
		return false;
	for (i = 0; i < process->threads; i++) {
		pid_t tid = process->thread[i].tid;

		while (old < guest->threads && guest->thread[old].thread.tid < tid)
			old++;
		if (old < guest->threads && guest->thread[old].thread.tid == tid)
			thread[i] = guest->thread[old];
		thread[i].thread = process->thread[i];
	}
	free(guest->thread);
	guest->thread = thread;
	guest->threads = process->threads;
	return true;
}

static enum sum state_sum(const struct thread_evidence *thread, const struct guest_evidence *guest)
{
	char state = thread->thread.now.state;

	if (task_is_stopped(&thread->thread.now) || guest->state == PROCESS_FROZEN)
		return SUM_STOPPED;
	if (state == 'D')
		return SUM_BLOCKED;
	if (state != 'S')
		return SUMS;
	return thread->thread.now.outside ? SUM_OUTSIDE : SUM_HALTED;
}

/*
 * The scheduler's clock and the times of passes differ, so that the sum can be a bit longer than
 * the interval.
 */
static void add_times(const struct evidence *evidence, struct thread_evidence *thread,
		      uint64_t *sum, uint64_t interval)
{
	const struct task *now = &thread->thread.now, *before = &thread->thread.before;
	struct group_times times = { 0 };

	group_times_add(&times, before, now);
	/* Unless the host file shows the wait, it only counts when it ends. */
	if (!(thread->has_values && evidence->stat[CLOCK]) && now->state == 'R' &&
	    before->state == 'R' && !times.runtime && !times.waiting)
		times.waiting = interval;
	if (times.waiting > interval)
		times.waiting = interval;
	if (times.runtime > interval - times.waiting)
		times.runtime = interval - times.waiting;
	sum[SUM_TIME] += interval;
	sum[SUM_GUEST] += times.guest;
	sum[SUM_USER] += times.user;
	sum[SUM_KERNEL] += times.kernel;
	sum[SUM_RUNTIME] += times.runtime;
	sum[SUM_WAITING] += times.waiting;
	thread->waited = times.waiting * 20 >= interval;
	sum[SUM_WAITED] += thread->waited;
	sum[SUM_INTERVALS]++;
	sum[SUM_FAULTS] += grown(before->major_faults, now->major_faults);
	if (times.runtime || now->state != before->state)
		thread->asleep = 0;
	else if (now->state != 'R')
		thread->asleep += interval;
}

/* Adds the limit that throttled most. Limits of several cgroups can throttle at the same time. */
static void add_limit_of(struct thread_evidence *thread, uint64_t *sum)
{
	const struct cgroup *cgroup, *worst = NULL;
	uint64_t most = 0;

	for (cgroup = thread->thread.membership ? thread->thread.membership->cpu : NULL; cgroup;
	     cgroup = cgroup->parent) {
		uint64_t throttled = grown(cgroup->before.throttled_periods,
					   cgroup->now.throttled_periods);

		if (!cgroup_is_limited(cgroup) || !cgroup->before.quota || throttled < most)
			continue;
		most = throttled;
		worst = cgroup;
	}
	if (!worst)
		return;
	sum[SUM_PERIODS] += grown(worst->before.periods, worst->now.periods);
	sum[SUM_THROTTLED_PERIODS] += most;
	sum[SUM_THROTTLED] += cgroup_throttled(worst);
	if (!most && *thread->limit)
		return;
	snprintf(thread->limit, sizeof(thread->limit), "%s", worst->path);
	cgroup_limit_text(thread->max, sizeof(thread->max), worst);
}

static void add_thread(struct evidence *evidence, struct guest_evidence *guest,
		       struct thread_evidence *thread)
{
	uint64_t *sum = thread->sum[evidence->current];
	enum sum state;

	thread->wait_now = 0;
	if (thread->time && thread->thread.has_before && evidence->time > thread->time) {
		add_times(evidence, thread, sum, evidence->time - thread->time);
		add_limit_of(thread, sum);
	}
	thread->time = evidence->time;
	state = state_sum(thread, guest);
	if (state < SUMS && (state != SUM_BLOCKED || thread->thread.group == THREAD_VCPU))
		sum[state]++;
}

static bool has_vcpu_outside(const struct guest_evidence *guest)
{
	size_t i;

	for (i = 0; i < guest->threads; i++) {
		const struct thread *thread = &guest->thread[i].thread;

		if (thread->group == THREAD_VCPU && thread->now.state == 'S' && thread->now.outside)
			return true;
	}
	return false;
}

/* What the other threads do while a vCPU waits for the VMM. Not each pass has read their states. */
static void add_helpers(struct evidence *evidence, struct guest_evidence *guest)
{
	size_t i;

	if (!guest->pid || !has_vcpu_outside(guest))
		return;
	guest->window[evidence->current].outside++;
	for (i = 0; i < guest->threads; i++) {
		const struct thread *thread = &guest->thread[i].thread;
		struct task task = thread->now;

		if (thread->group != THREAD_VCPU && thread->group != THREAD_VHOST &&
		    (thread->seen || task_read(&task, guest->pid, thread->tid)) &&
		    task.state == 'D')
			guest->thread[i].sum[evidence->current][SUM_BLOCKED]++;
	}
}

/* ---- what KVM knows of a vCPU ---- */

/* The scheduler's clock without interrupts is that of exec_start. */
static uint64_t asleep_for(const struct evidence *evidence, const struct kvmstats_sample *sample)
{
	const struct kvmstats_stat * const *stat = evidence->stat;
	uint64_t slept_at = stat_value(sample, stat[EXEC_START]) +
			    stat_value(sample, stat[CLOCK]) - stat_value(sample, stat[CLOCK_TASK]);
	int64_t since = (int64_t)(kvmstats_sample_time(sample) - slept_at) + evidence->clock;

	return stat_value(sample, stat[EXEC_START]) && stat[CLOCK] && since > 0 ?
	       (uint64_t)since : 0;
}

static void add_kvm(struct evidence *evidence, struct thread_evidence *thread,
		    const struct kvmstats_sample *sample)
{
	uint64_t *sum = thread->sum[evidence->current], asleep = asleep_for(evidence, sample);
	size_t i;

	thread->cpu = (int)stat_value(sample, evidence->stat[CPU]);
	if (thread->thread.now.state != 'R' && asleep > thread->asleep)
		thread->asleep = asleep;
	for (i = 0; i < COUNTERS; i++) {
		uint64_t value = stat_value(sample, evidence->counter[i]);

		if (thread->has_values)
			sum[SUM_HALT_TIME + i] += grown(thread->counter[i], value);
		thread->counter[i] = value;
	}
	thread->has_values = true;
}

/* ---- neighbours ---- */

static struct neighbour *neighbour_of(struct guest_evidence *guest, const struct occupant *occupant)
{
	struct neighbour *neighbour;
	char name[64];
	size_t i;

	for (i = 0; i < guest->neighbours; i++) {
		if (guest->neighbour[i].tid == occupant->tid)
			return &guest->neighbour[i];
	}
	if (guest->neighbours == MAX_NEIGHBOURS)
		return NULL;
	neighbour = &guest->neighbour[guest->neighbours++];
	*neighbour = (struct neighbour){ .pid = occupant->pid, .tid = occupant->tid };
	if (occupant->vcpu >= 0) {
		const char *of = kvmstats_vmm_guest(occupant->vmm);

		snprintf(neighbour->name, sizeof(neighbour->name), "%s/vcpu%d",
			 sanitize(of ? of : kvmstats_vmm_comm(occupant->vmm), name, sizeof(name)),
			 occupant->vcpu);
	} else {
		snprintf(neighbour->name, sizeof(neighbour->name), "%s (TID %d)",
			 sanitize(occupant->name, name, sizeof(name)), (int)occupant->tid);
	}
	return neighbour;
}

static void add_neighbour(struct evidence *evidence, struct guest_evidence *guest,
			  const struct thread_evidence *vcpu, const struct kvmstats_vmm *vmm,
			  const struct occupant *occupant, uint64_t weight)
{
	struct neighbour *neighbour = neighbour_of(guest, occupant);

	if (!neighbour)
		return;
	neighbour->own = occupant->vcpu >= 0 && occupant->vmm == vmm;
	neighbour->cpu = vcpu->cpu;
	neighbour->weight[evidence->current] += weight;
}

static void find_neighbours(struct evidence *evidence, struct guest_evidence *guest,
			    const struct thread_evidence *vcpu, const struct kvmstats_vmm *vmm)
{
	struct guest_window *window = &guest->window[evidence->current];
	const struct occupant *occupant;
	bool found = false;
	size_t count;

	occupant = occupants_on(&evidence->occupants, vcpu->cpu, vcpu->wait_now, &count);
	for (; count; count--, occupant++) {
		if (occupant->tid == vcpu->thread.tid)
			continue;
		found = true;
		add_neighbour(evidence, guest, vcpu, vmm, occupant, 1);
	}
	window->samples += found;
	window->weight += found;
}

/* Returns the index of the first wait of the thread, if it has one. */
static size_t first_taken(const struct evidence *evidence, pid_t tid)
{
	size_t low = 0, high = evidence->takings;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (evidence->taken[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds the threads that had the CPU while the vCPU waited. Returns false if it did not wait. */
static bool add_takers(struct evidence *evidence, struct guest_evidence *guest,
		       const struct thread_evidence *vcpu, const struct kvmstats_vmm *vmm)
{
	struct guest_window *window = &guest->window[evidence->current];
	size_t first = first_taken(evidence, vcpu->thread.tid), i;

	for (i = first; i < evidence->takings &&
	     evidence->taken[i].tid == vcpu->thread.tid; i++) {
		const struct taken_cpu *taken = &evidence->taken[i];
		struct occupant occupant;

		occupant = occupants_thread(&evidence->occupants, taken->taker_pid, taken->taker,
					    taken->name);
		add_neighbour(evidence, guest, vcpu, vmm, &occupant, taken->ns);
		window->waits += taken->waits;
		window->weight += taken->ns;
	}
	return i > first;
}

/* ---- guests ---- */

/* Returns the guest, which is usually number @i, or NULL. */
static struct guest_evidence *find_guest(const struct evidence *evidence, size_t i, uint64_t vmm)
{
	size_t n;

	for (n = 0; n < evidence->guests; n++, i++) {
		struct guest_evidence *guest = &evidence->guest[i % evidence->guests];

		if (guest->vmm == vmm)
			return guest;
	}
	return NULL;
}

static void free_guests(struct evidence *evidence)
{
	while (evidence->guests)
		free(evidence->guest[--evidence->guests].thread);
	free(evidence->guest);
	evidence->guest = NULL;
}

/* Makes the list of guests that of the monitor, with the evidence so far. */
static bool take_guests(struct evidence *evidence, const struct monitor *monitor)
{
	struct guest_evidence *guest = calloc(monitor->vmms + 1, sizeof(*guest));
	size_t i;

	if (!guest)
		return false;
	for (i = 0; i < monitor->vmms; i++) {
		uint64_t vmm = monitor->vmm[i]->id;
		struct guest_evidence *old = find_guest(evidence, i, vmm);

		guest[i] = old ? *old : (struct guest_evidence){ .vmm = vmm, .printed = -1 };
		if (old)
			*old = (struct guest_evidence){ 0 };
	}
	free_guests(evidence);
	evidence->guest = guest;
	evidence->guests = monitor->vmms;
	return true;
}

static uint64_t age_of(const struct monitor *monitor, const struct vmm *vmm)
{
	uint64_t start = kvmstats_vmm_start_time(vmm->kvm);
	uint64_t now = kvmstats_host_boottime(monitor->host);

	return start && now > start ? now - start : UINT64_MAX;
}

double pressure_share(const struct guest_evidence *guest, size_t kind)
{
	const struct guest_window *window = guest->window;
	uint64_t time = window[0].pressure_time + window[1].pressure_time;
	uint64_t waited = window[0].pressure[kind] + window[1].pressure[kind];

	return time ? fmin(100, 100 / (double)time * (double)waited) : NAN;
}

static void read_pressure(const struct evidence *evidence, struct guest_evidence *guest,
			  const struct process *process)
{
	struct guest_window *window = &guest->window[evidence->current];
	struct pressure now[PRESSURES] = { 0 };
	size_t i;

	if (guest->pressure_time && evidence->time - guest->pressure_time < SLOW_INTERVAL)
		return;
	process_cgroup(guest->cgroup, sizeof(guest->cgroup), process);
	if (!cgroup_pressure(&now[PRESSURE_MEMORY], guest->cgroup, "memory.pressure"))
		return;
	cgroup_pressure(&now[PRESSURE_CPU], guest->cgroup, "cpu.pressure");
	for (i = 0; guest->pressure_time && i < PRESSURES; i++)
		window->pressure[i] += grown(guest->pressure[i].total, now[i].total);
	if (guest->pressure_time)
		window->pressure_time += evidence->time - guest->pressure_time;
	guest->has_pressure = true;
	guest->pressure_time = evidence->time;
	memcpy(guest->pressure, now, sizeof(now));
}

static void add_vcpus_of(struct evidence *evidence, const struct monitor *monitor,
			 struct guest_evidence *guest, const struct vmm *vmm, size_t index)
{
	const struct kvmstats_host_vm *vm = kvmstats_vmm_vm(vmm->kvm, index);
	bool is_only = kvmstats_vmm_vms(vmm->kvm) == 1;
	size_t i;

	for (i = 0; i < kvmstats_host_vm_vcpus(vm); i++) {
		const struct kvmstats_host_vcpu *vcpu = kvmstats_host_vm_vcpu(vm, i);
		pid_t tid = kvmstats_host_vcpu_tid(vcpu);
		const struct thread *from = NULL;
		struct thread_evidence *thread;

		/* KVM_STATS_NEXT returns no TIDs. */
		if (tid || is_only)
			from = process_vcpu(&vmm->process, tid, kvmstats_host_vcpu_id(vcpu));
		if (!from)
			continue;
		thread = &guest->thread[from - vmm->process.thread];
		thread->wait_now = kvmstats_host_vcpu_waiting(monitor->host, vcpu);
		add_kvm(evidence, thread, kvmstats_host_vcpu_now(vcpu));
		if (monitor->switches)
			switches_watch(monitor->switches, tid);
		if (add_takers(evidence, guest, thread, vmm->kvm))
			continue;
		/* A vCPU that waited and runs now has competitors that wait. */
		if (thread->wait_now || (thread->waited && from->now.state == 'R'))
			find_neighbours(evidence, guest, thread, vmm->kvm);
	}
}

static bool add_guest(struct evidence *evidence, const struct monitor *monitor,
		      struct guest_evidence *guest, const struct vmm *vmm)
{
	const struct process *process = &vmm->process;
	size_t i;

	guest->samples_taken++;
	guest->pid = process->has_now ? process->pid : 0;
	guest->age = age_of(monitor, vmm);
	guest->state = process->state;
	if (!take_threads(guest, process))
		return false;
	for (i = 0; i < guest->threads; i++) {
		if (guest->thread[i].thread.seen)
			add_thread(evidence, guest, &guest->thread[i]);
	}
	for (i = 0; i < kvmstats_vmm_vms(vmm->kvm); i++)
		add_vcpus_of(evidence, monitor, guest, vmm, i);
	add_helpers(evidence, guest);
	read_pressure(evidence, guest, process);
	return true;
}

/* ---- passes ---- */

/* The difference of the clocks is the largest one that the pass shows, or a bit more. */
static void set_clock(struct evidence *evidence, const struct monitor *monitor)
{
	const struct kvmstats_stat *clock = evidence->stat[CLOCK];
	size_t i, n;

	evidence->clock = INT64_MIN;
	for (i = 0; clock && i < kvmstats_host_vms(monitor->host); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_host_vm(monitor->host, i);

		for (n = 0; n < kvmstats_host_vm_vcpus(vm); n++) {
			const struct kvmstats_sample *sample =
				kvmstats_host_vcpu_now(kvmstats_host_vm_vcpu(vm, n));
			int64_t difference = (int64_t)(stat_value(sample, clock) -
						       kvmstats_sample_time(sample));

			if (stat_value(sample, clock) && difference > evidence->clock)
				evidence->clock = difference;
		}
	}
	if (evidence->clock == INT64_MIN)
		evidence->clock = 0;
}

static void begin_pass(struct evidence *evidence, const struct monitor *monitor,
		       const struct host *host)
{
	struct host_use use = host_use(host);

	evidence->time = monitor->time;
	find_stats(evidence, kvmstats_host_schema(monitor->host, KVMSTATS_KIND_VCPU));
	if (!evidence->began)
		evidence->began = evidence->time;
	else if (evidence->time - evidence->began >= evidence->window)
		roll(evidence);
	if (use.steal >= 0 && (!monitor->is_copy || monitor->replay)) {
		evidence->steal[evidence->current] += use.steal;
		evidence->intervals[evidence->current]++;
	}
	set_clock(evidence, monitor);
	occupants_begin(&evidence->occupants, monitor->host, monitor->is_copy);
	evidence->takings = 0;
	if (monitor->switches)
		evidence->taken = switches_read(monitor->switches, &evidence->takings);
}

static bool is_in_cgroup(const char *path, const char *cgroup)
{
	size_t len = strlen(cgroup);

	return path && !strncmp(path, cgroup, len) && (!path[len] || path[len] == '/');
}

static bool is_selected(const struct monitor *monitor, const struct kvmstats_vmm *vmm)
{
	size_t i;

	for (i = 0; i < monitor->vmms && monitor->vmm[i]->kvm != vmm; i++)
		;
	return i < monitor->vmms;
}

/* Returns how many guests of the host are in the cgroup, also those that are not selected. */
static size_t count_sharers(const struct evidence *evidence, const struct monitor *monitor,
			    const char *cgroup)
{
	size_t vmms = kvmstats_host_vmms(monitor->host), sharers = 0, i;

	for (i = 0; i < evidence->guests; i++)
		sharers += is_in_cgroup(evidence->guest[i].cgroup, cgroup);
	for (i = 0; monitor->vmms < vmms && i < vmms; i++) {
		const struct kvmstats_vmm *vmm = kvmstats_host_vmm(monitor->host, i);
		struct membership *membership = NULL;
		pid_t pid = kvmstats_vmm_pid(vmm);

		if (!is_selected(monitor, vmm))
			thread_read_membership(&membership, pid, pid);
		sharers += membership && is_in_cgroup(membership->unified, cgroup);
		membership_put(membership);
	}
	return sharers;
}

bool evidence_update(struct evidence *evidence, const struct monitor *monitor,
		     const struct host *host)
{
	bool good;
	size_t i;

	begin_pass(evidence, monitor, host);
	good = take_guests(evidence, monitor);
	for (i = 0; good && i < monitor->vmms; i++)
		good = add_guest(evidence, monitor, &evidence->guest[i], monitor->vmm[i]);
	for (i = 0; i < evidence->guests; i++) {
		struct guest_evidence *guest = &evidence->guest[i];

		if (pressure_share(guest, PRESSURE_MEMORY) >= HIGH_PRESSURE)
			guest->sharers = count_sharers(evidence, monitor, guest->cgroup);
	}
	return good;
}

struct guest_evidence *evidence_of(const struct evidence *evidence, const struct vmm *vmm)
{
	if (vmm->index >= evidence->guests || evidence->guest[vmm->index].vmm != vmm->id)
		return NULL;
	return &evidence->guest[vmm->index];
}

void evidence_free(struct evidence *evidence)
{
	free_guests(evidence);
	occupants_free(&evidence->occupants);
	*evidence = (struct evidence){ .window = evidence->window };
}
