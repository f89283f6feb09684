// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "why/verdict.h"

/* A guest is too new until a whole window has followed its start. */
#define START_TIME	(3 * SECOND)

/* ---- guests and their threads ---- */

const struct thread_evidence *guest_next_vcpu(const struct guest_evidence *guest, size_t *at)
{
	while (*at < guest->threads) {
		const struct thread_evidence *thread = &guest->thread[(*at)++];

		if (thread->thread.group == THREAD_VCPU)
			return thread;
	}
	return NULL;
}

#define for_each_vcpu(vcpu, guest) \
	for (size_t at_ = 0; ((vcpu) = guest_next_vcpu(guest, &at_)); )

static size_t count_vcpus(const struct guest_evidence *guest)
{
	const struct thread_evidence *vcpu;
	size_t vcpus = 0;

	for_each_vcpu(vcpu, guest)
		vcpus++;
	return vcpus;
}

/* ---- facts ---- */

__attribute__((__format__(__printf__, 3, 4)))
static void set_text(struct facts *facts, enum fact_text text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(facts->text[text], sizeof(facts->text[text]), format, args);
	va_end(args);
}

static double share_in(const struct thread_evidence *thread, enum sum sum, enum sum of)
{
	uint64_t all = thread_sum(thread, of);

	return all ? 100 * (double)thread_sum(thread, sum) / (double)all : NAN;
}

static double per_second(const struct thread_evidence *thread, enum sum sum)
{
	uint64_t time = thread_sum(thread, SUM_TIME);

	return time ? (double)thread_sum(thread, sum) * 1e9 / (double)time : NAN;
}

static double milliseconds(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* ---- facts about the time of a vCPU ---- */

static void set_sleep(struct facts *facts, const struct thread_evidence *vcpu, const double *part)
{
	const struct task *now = &vcpu->thread.now;
	double *value = facts->value;
	double blocked = (double)thread_sum(vcpu, SUM_BLOCKED);
	double outside = (double)thread_sum(vcpu, SUM_OUTSIDE);
	double asleep = blocked + outside;
	bool is_asleep = now->state == 'D' || (now->state == 'S' && now->outside);

	value[FACT_BLOCKED] = asleep > 0 ? part[PART_BLOCKED] * blocked / asleep : 0;
	value[FACT_OUTSIDE] = asleep > 0 ? part[PART_BLOCKED] * outside / asleep : 0;
	value[FACT_ASLEEP_SEEN] = asleep;
	value[FACT_ASLEEP_NOW] = is_asleep ? milliseconds(vcpu->asleep) : 0;
	value[FACT_HALTED] = part[PART_HALTED];
}

static void set_running(struct facts *facts, const struct thread_evidence *vcpu,
			const double *part)
{
	double *value = facts->value, exits = (double)thread_sum(vcpu, SUM_EXITS);
	const char *kind = thread_exits(vcpu);

	value[FACT_RUNNING] = part[PART_GUEST] + part[PART_KVM] + part[PART_VMM];
	/* A shorter time has too few timer ticks. */
	if (thread_sum(vcpu, SUM_TIME) >= SECOND)
		value[FACT_OVERHEAD] = (part[PART_KVM] + part[PART_VMM]) /
				       fmax(part[PART_GUEST], 0.1);
	if (exits > 0) {
		value[FACT_EXITS] = per_second(vcpu, SUM_EXITS);
		value[FACT_EMULATED] = (double)thread_sum(vcpu, SUM_EMULATED) / exits;
	}
	if (exits > 0 && kind)
		set_text(facts, TEXT_CLASS, "%s", kind);
}

static void set_waits(struct facts *facts, const struct thread_evidence *vcpu, const double *part)
{
	double *value = facts->value;

	value[FACT_WAITING] = part[PART_WAITING] + part[PART_THROTTLED];
	value[FACT_WAIT_NOW] = milliseconds(vcpu->wait_now);
	value[FACT_WAIT_SEEN] = share_in(vcpu, SUM_WAITED, SUM_INTERVALS);
	value[FACT_PERIODS] = (double)thread_sum(vcpu, SUM_THROTTLED_PERIODS);
	value[FACT_PERIODS_SHARE] = share_in(vcpu, SUM_THROTTLED_PERIODS, SUM_PERIODS);
	value[FACT_THROTTLED] = milliseconds(thread_sum(vcpu, SUM_THROTTLED));
	set_text(facts, TEXT_LIMIT, "%s", vcpu->limit);
	set_text(facts, TEXT_MAX, "%s", vcpu->max);
}

static void set_memory(struct facts *facts, const struct guest_evidence *guest,
		       const struct thread_evidence *vcpu)
{
	double *value = facts->value, pressure = pressure_share(guest, PRESSURE_MEMORY);

	value[FACT_FAULTS] = per_second(vcpu, SUM_FAULTS);
	value[FACT_PRESSURE] = pressure;
	/* Of a pressure that several guests cause, this one has what its vCPU shows. */
	if (guest->sharers > 1)
		pressure = fmin(pressure, value[FACT_BLOCKED]);
	/* A fault that is served from compressed memory keeps the thread running. */
	value[FACT_MEMORY] = fmax(pressure, fmin(100, value[FACT_FAULTS] / 50));
	value[FACT_MEMORY_LOSS] = fmax(value[FACT_MEMORY], value[FACT_BLOCKED]);
	if (guest->sharers > 1)
		set_text(facts, TEXT_MEMORY, "%s (shared by %zu guests)", guest->cgroup,
			 guest->sharers);
	else if (guest->has_pressure)
		set_text(facts, TEXT_MEMORY, "%s", guest->cgroup);
}

/* ---- facts about the CPU that a vCPU waits for ---- */

static uint64_t neighbour_weight(const struct neighbour *neighbour)
{
	return neighbour->weight[0] + neighbour->weight[1];
}

static const struct neighbour *worst_neighbour(const struct guest_evidence *guest, uint64_t *own)
{
	const struct neighbour *worst = NULL;
	size_t i;

	*own = 0;
	for (i = 0; i < guest->neighbours; i++) {
		const struct neighbour *neighbour = &guest->neighbour[i];

		if (neighbour->own)
			*own += neighbour_weight(neighbour);
		if (neighbour_weight(neighbour) &&
		    (!worst || neighbour_weight(neighbour) > neighbour_weight(worst)))
			worst = neighbour;
	}
	return worst;
}

/* Returns the number of CPUs in a list such as "0-3,8", or 0. */
static unsigned int count_cpus(const char *list)
{
	unsigned int cpus = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		cpus += last - first + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return cpus;
}

static void set_cpus(struct facts *facts, const struct guest_evidence *guest,
		     const struct thread_evidence *vcpu)
{
	static const char name[] = "Cpus_allowed_list:\t";
	char text[8192];
	const char *at;

	if (!guest->pid || !proc_read(text, sizeof(text), "%d/task/%d/status", (int)guest->pid,
				      (int)vcpu->thread.tid))
		return;
	at = strstr(text, name);
	if (!at)
		return;
	at += strlen(name);
	set_text(facts, TEXT_CPUS, "%.*s", (int)strcspn(at, "\n"), at);
	facts->value[FACT_MISSING_CPUS] = (double)count_vcpus(guest) - count_cpus(at);
}

static void compare_siblings(struct facts *facts, const struct cgroup *own,
			     const struct cgroup *other)
{
	uint64_t own_weight = cgroup_weight(own), other_weight = cgroup_weight(other);

	if (!own_weight || !other_weight)
		return;
	facts->value[FACT_WEIGHT_RATIO] = (double)other_weight / (double)own_weight;
	set_text(facts, TEXT_WEIGHTS, "%s has %s %" PRIu64 ", and %s %" PRIu64, own->path,
		 cgroup_weight_name(own), own_weight, other->path, other_weight);
	set_text(facts, TEXT_CGROUP, "%s", own->path);
}

/*
 * Finds the two cgroups that contain the two threads and have the same parent, and compares their
 * weights. The weights of cgroups below them do not matter: the scheduler uses these only within
 * one of the two.
 */
static void compare_weights(struct facts *facts, const struct cgroup *own,
			    const struct cgroup *other)
{
	const struct cgroup *at;

	for (; own; own = own->parent) {
		for (at = other; at; at = at->parent) {
			if (at != own && at->parent == own->parent)
				compare_siblings(facts, own, at);
		}
	}
}

/* Reads what is only needed for the rules that say more than RULE_WAITS. */
static void examine_neighbour(struct facts *facts, const struct thread_evidence *vcpu,
			      const struct neighbour *neighbour)
{
	struct membership *membership = NULL;
	struct task task;

	if (!task_read(&task, neighbour->pid, neighbour->tid))
		return;
	if (task_is_real_time(&task))
		facts->value[FACT_REAL_TIME] = facts->value[FACT_NEIGHBOUR];
	thread_read_membership(&membership, neighbour->pid, neighbour->tid);
	if (membership && vcpu->thread.membership)
		compare_weights(facts, vcpu->thread.membership->cpu, membership->cpu);
	membership_put(membership);
}

static void set_neighbour(struct facts *facts, const struct guest_evidence *guest,
			  const struct thread_evidence *vcpu)
{
	uint64_t samples = guest->window[0].samples + guest->window[1].samples, own;
	uint64_t waits = guest->window[0].waits + guest->window[1].waits;
	uint64_t all = guest->window[0].weight + guest->window[1].weight;
	const struct neighbour *worst = worst_neighbour(guest, &own);

	if (rules_decide(why_rules, facts) != RULE_WAITS)
		return;
	set_cpus(facts, guest, vcpu);
	facts->value[FACT_SAMPLES] = (double)(samples + waits);
	if (!worst || !all)
		return;
	facts->value[FACT_NEIGHBOUR] = 100 * (double)neighbour_weight(worst) / (double)all;
	facts->value[FACT_OWN] = fmin(100, 100 * (double)own / (double)all);
	set_text(facts, TEXT_HOW, "%s", waits ? "measured" : "candidate");
	if (waits)
		set_text(facts, TEXT_SAMPLES, "the time of its waits");
	else
		set_text(facts, TEXT_SAMPLES, "%" PRIu64 " samples", samples);
	set_text(facts, TEXT_CPU, "%d", worst->cpu);
	if (samples + waits >= 5)
		set_text(facts, TEXT_NEIGHBOUR, "%s", worst->name);
	if (guest->pid)
		examine_neighbour(facts, vcpu, worst);
}

/* ---- facts about the whole guest ---- */

/* Names the thread if it has more of the fact than those before. */
static void set_helper(struct facts *facts, enum fact fact, double share, enum fact_text text,
		       const struct thread *thread)
{
	if (facts->value[fact] >= share)
		return;
	facts->value[fact] = share;
	set_text(facts, text, "%s (%s, TID %d)", thread->now.name,
		 thread_group_name(thread->group), (int)thread->tid);
}

static void set_helpers(struct facts *facts, const struct guest_evidence *guest)
{
	uint64_t outside = guest->window[0].outside + guest->window[1].outside;
	double *value = facts->value, waiting;
	size_t i;

	for (i = 0; i < guest->threads; i++) {
		const struct thread_evidence *thread = &guest->thread[i];

		if (thread->thread.group == THREAD_VCPU || !thread_sum(thread, SUM_TIME))
			continue;
		set_helper(facts, FACT_HELPER_WAITING, share_in(thread, SUM_WAITING, SUM_TIME),
			   TEXT_HELPER, &thread->thread);
		if (outside)
			set_helper(facts, FACT_HELPER_BLOCKED,
				   100 * (double)thread_sum(thread, SUM_BLOCKED) / (double)outside,
				   TEXT_SLEEPER, &thread->thread);
	}
	waiting = value[FACT_HELPER_WAITING];
	/* A thread that hardly waits does not explain why all vCPUs are outside all the time. */
	value[FACT_HELPER_LOSS] = value[FACT_OUTSIDE] > waiting &&
				  !(value[FACT_ALL_OUTSIDE] && waiting < 50) ?
				  value[FACT_OUTSIDE] : waiting;
}

/* Sets facts that need all vCPUs: whether all are outside, or halted, and since when. */
static void set_all(struct facts *facts, const struct evidence *evidence,
		    const struct guest_evidence *guest)
{
	const struct thread_evidence *vcpu;
	double halted = INFINITY;
	bool outside = true;

	for_each_vcpu(vcpu, guest) {
		const struct task *now = &vcpu->thread.now;
		bool is_halted = vcpu->has_values && evidence->has_blocking && now->state == 'S' &&
				 !now->outside;

		outside &= thread_sum(vcpu, SUM_TIME) >= SECOND && !thread_sum(vcpu, SUM_RUNTIME) &&
			   !thread_sum(vcpu, SUM_WAITING) &&
			   thread_sum(vcpu, SUM_OUTSIDE) >= thread_sum(vcpu, SUM_INTERVALS);
		halted = fmin(halted, is_halted ? (double)vcpu->asleep / 1e9 : 0);
	}
	facts->value[FACT_ALL_OUTSIDE] = outside;
	facts->value[FACT_ALL_HALTED] = halted;
}

/* A thread that is stopped: this vCPU, or another one, or the main thread */
static pid_t stopped_thread(const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	const struct thread_evidence *other;

	if (task_is_stopped(&vcpu->thread.now))
		return vcpu->thread.tid;
	for_each_vcpu(other, guest) {
		if (task_is_stopped(&other->thread.now))
			return other->thread.tid;
	}
	return guest->pid;
}

/* The hierarchy that froze the guest can have other cgroups than those of the limits. */
static void set_freezer(struct facts *facts, const struct guest_evidence *guest)
{
	const struct membership *membership = NULL;
	const char *folder, *path;
	bool version1;
	size_t i;

	for (i = 0; i < guest->threads && !membership; i++)
		membership = guest->thread[i].thread.membership;
	folder = membership ? membership_frozen_in(membership) : NULL;
	if (!folder)
		return;
	version1 = !strcmp(folder, "freezer");
	path = version1 ? membership->freezer : membership->unified;
	set_text(facts, TEXT_CGROUP, "%s", path);
	set_text(facts, TEXT_FREEZER, "%s >/sys/fs/cgroup%s%s%s/%s", version1 ? "THAWED" : "0",
		 *folder ? "/" : "", folder, path, version1 ? "freezer.state" : "cgroup.freeze");
}

static void set_guest(struct facts *facts, const struct evidence *evidence,
		      const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	uint64_t intervals = evidence->intervals[0] + evidence->intervals[1];
	const struct membership *membership = vcpu->thread.membership;
	bool stopped = guest->state == PROCESS_STOPPED || task_is_stopped(&vcpu->thread.now);

	facts->value[FACT_TOO_NEW] = guest->age < START_TIME + evidence->window;
	facts->value[FACT_STOPPED] = stopped;
	facts->value[FACT_FROZEN] = guest->state == PROCESS_FROZEN;
	if (intervals)
		facts->value[FACT_STEAL] = (evidence->steal[0] + evidence->steal[1]) /
					   (double)intervals;
	set_text(facts, TEXT_PID, "%d", (int)guest->pid);
	set_text(facts, TEXT_TID, "%d",
		 (int)(stopped ? stopped_thread(guest, vcpu) : vcpu->thread.tid));
	set_text(facts, TEXT_VCPUS, "%zu", count_vcpus(guest));
	if (membership && (membership->unified || membership->cpu))
		set_text(facts, TEXT_CGROUP, "%s", membership->unified ? membership->unified :
									 membership->cpu->path);
	if (guest->state == PROCESS_FROZEN)
		set_freezer(facts, guest);
	set_all(facts, evidence, guest);
}

static void collect(struct facts *facts, const struct evidence *evidence,
		    const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	double part[PARTS];
	size_t i;

	*facts = (struct facts){ 0 };
	for (i = 0; i < FACTS; i++)
		facts->value[i] = NAN;
	set_guest(facts, evidence, guest, vcpu);
	if (!thread_parts(vcpu, part))
		return;
	set_sleep(facts, vcpu, part);
	set_running(facts, vcpu, part);
	set_waits(facts, vcpu, part);
	set_memory(facts, guest, vcpu);
	set_helpers(facts, guest);
	set_neighbour(facts, guest, vcpu);
}

/* ---- since when ---- */

/*
 * Returns since when the share of a pressure has lasted according to its averages, in seconds, or
 * -1. An average over n seconds approaches it by 1 - exp(-t / n). If it has varied, two averages
 * give different times.
 */
static double onset(const struct guest_evidence *guest, size_t kind)
{
	static const double seconds[] = { 10, 60, 300 };
	double before = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		double part = guest->pressure[kind].average[i] / pressure_share(guest, kind), since;

		/* An average that has reached the share says nothing. */
		if (!(part < 0.95 && part > 0.005))
			continue;
		since = -seconds[i] * log(1 - part);
		if (before > 0 && since > before / 1.3 && since < before * 1.3)
			return since;
		before = since;
	}
	return -1;
}

static void set_since(struct verdict *verdict, const struct guest_evidence *guest,
		      const struct thread_evidence *vcpu)
{
	double window = (double)thread_sum(vcpu, SUM_TIME) / 1e9;

	verdict->since = -1;
	switch (verdict->rule) {
	case RULE_STOPPED:
	case RULE_FROZEN:
	case RULE_PAUSED:
	case RULE_HALTED:
		verdict->since = (double)vcpu->asleep / 1e9;
		return;
	case RULE_BLOCKED:
	case RULE_HELPER:
	case RULE_VMM:
		verdict->since = (double)vcpu->asleep / 1e9;
		break;
	case RULE_MEMORY:
		verdict->since = onset(guest, PRESSURE_MEMORY);
		break;
	case RULE_REAL_TIME:
	case RULE_FEW_CPUS:
	case RULE_WEIGHT:
	case RULE_WAITS:
		verdict->since = (double)vcpu->wait_now / 1e9;
		if (verdict->since < window)
			verdict->since = onset(guest, PRESSURE_CPU);
		break;
	default:
		break;
	}
	if (!verdict_is_finding(verdict) || verdict->since >= window)
		return;
	verdict->since = window;
	verdict->since_is_least = true;
}

/* ---- verdicts ---- */

const char * const gap_texts[GAPS] = {
	[GAP_PROC] = "cgroups, limits, states and other threads: the process is not in /proc",
	[GAP_STATISTICS] = "exits, halts and open waits: there is no host file",
	[GAP_BLOCKING] = ("sleep outside of the guest: this KVM does not count whether a vCPU is "
			  "halted"),
	[GAP_PRESSURE] = "waits for memory: the cgroup has no memory.pressure",
	[GAP_NEIGHBOURS] = "neighbours: the kernel does not show which thread is on which CPU",
};

static struct verdict decide(const struct facts *facts, const struct evidence *evidence,
			     const struct guest_evidence *guest,
			     const struct thread_evidence *vcpu)
{
	enum rule_id rule = rules_decide(why_rules, facts);
	struct verdict verdict = {
		.rule = rule, .strength = rule_strength(&why_rules[rule], facts),
		.loss = rule_loss(&why_rules[rule], facts),
		.affected = 1, .vcpus = count_vcpus(guest), .gap = {
			[GAP_PROC] = !guest->pid,
			[GAP_STATISTICS] = !vcpu->has_values,
			[GAP_BLOCKING] = vcpu->has_values && !evidence->has_blocking,
			[GAP_PRESSURE] = guest->pid && !guest->has_pressure,
			[GAP_NEIGHBOURS] = vcpu->has_values && !evidence->occupants.has_vcpus,
		},
	};

	set_since(&verdict, guest, vcpu);
	return verdict;
}

static void set_texts(struct verdict *verdict, const struct facts *facts)
{
	const struct rule *rule = &why_rules[verdict->rule];

	rule_text(verdict->text, sizeof(verdict->text), rule->text, facts);
	if (!rule_text(verdict->evidence, sizeof(verdict->evidence), rule->evidence, facts) &&
	    rule->evidence_without)
		rule_text(verdict->evidence, sizeof(verdict->evidence), rule->evidence_without,
			  facts);
	if (rule->remedy)
		rule_text(verdict->remedy, sizeof(verdict->remedy), rule->remedy, facts);
}

void vcpu_verdict(struct verdict *verdict, const struct evidence *evidence,
		  const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	struct facts facts;

	collect(&facts, evidence, guest, vcpu);
	*verdict = decide(&facts, evidence, guest, vcpu);
	set_texts(verdict, &facts);
}

/* Whether @a says more about the guest than @b. A guest is only idle if all of its vCPUs are. */
static bool is_worse(const struct verdict *a, const struct verdict *b)
{
	static const int order[RULES] = {
		[RULE_IDLE] = 1, [RULE_NONE] = 2, [RULE_BUSY] = 3, [RULE_BURST] = 4,
		[RULE_TOO_NEW] = 5,
	};

	if (verdict_is_finding(a) != verdict_is_finding(b))
		return verdict_is_finding(a);
	if (!verdict_is_finding(a))
		return order[a->rule] > order[b->rule];
	if (why_rules[a->rule].competes && why_rules[b->rule].competes)
		return a->loss > b->loss;
	return a->rule < b->rule;
}

void guest_verdict(struct verdict *verdict, const struct evidence *evidence,
		   const struct guest_evidence *guest)
{
	const struct thread_evidence *vcpu;
	size_t vcpus[RULES] = { 0 };
	double loss[RULES] = { 0 };
	struct facts facts, worst;

	*verdict = (struct verdict){ .rule = RULE_NONE, .loss = -1, .since = -1 };
	for_each_vcpu(vcpu, guest) {
		struct verdict now;

		collect(&facts, evidence, guest, vcpu);
		now = decide(&facts, evidence, guest, vcpu);
		vcpus[now.rule]++;
		loss[now.rule] += now.loss;
		if (verdict->affected && !is_worse(&now, verdict))
			continue;
		*verdict = now;
		worst = facts;
	}
	if (!verdict->affected)
		return;
	verdict->affected = vcpus[verdict->rule];
	if (verdict->loss >= 0)
		verdict->loss = loss[verdict->rule] / (double)vcpus[verdict->rule];
	set_texts(verdict, &worst);
}

const char *verdict_text(char *buf, size_t size, const struct verdict *verdict)
{
	int used = snprintf(buf, size, "%s", verdict->text);

	if (verdict_is_finding(verdict) && verdict->loss >= 0 && used < (int)size)
		used += snprintf(buf + used, size - (size_t)used, ": %.0f %%", verdict->loss);
	if (verdict_is_finding(verdict) && verdict->vcpus > 1 && used < (int)size)
		snprintf(buf + used, size - (size_t)used, " (%zu of %zu vCPUs)", verdict->affected,
			 verdict->vcpus);
	return buf;
}

const char *verdict_since(char *buf, size_t size, const struct verdict *verdict)
{
	const char *least = verdict->since_is_least ? "> " : "";
	double since = verdict->since;

	if (since < 0 || !verdict_is_finding(verdict))
		snprintf(buf, size, "-");
	else if (since < 60)
		snprintf(buf, size, "%s%.*f s", least, since < 9.95, since);
	else if (since < 3600)
		snprintf(buf, size, "%s%.0f m", least, since / 60);
	else
		snprintf(buf, size, "%s%.0f h", least, since / 3600);
	return buf;
}
