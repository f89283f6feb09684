// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
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

		if (thread->group == THREAD_VCPU)
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

/* Texts of facts that the evidence does not have */
struct scratch {
	struct facts facts;
	char pid[16], tid[16], cpu[16], vcpus[16], max[48], cpus[128], cgroup[128], helper[64];
	char sleeper[64], weights[320];
};

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

static void set_number(char *buf, size_t size, long number)
{
	snprintf(buf, size, "%ld", number);
}

/* ---- facts about the time of a vCPU ---- */

static void set_sleep(struct scratch *scratch, const struct thread_evidence *vcpu,
		      const double *part)
{
	double *value = scratch->facts.value;
	double blocked = (double)thread_sum(vcpu, SUM_BLOCKED);
	double outside = (double)thread_sum(vcpu, SUM_OUTSIDE);
	double asleep = blocked + outside;
	bool is_asleep = vcpu->task.state == 'D' || (vcpu->task.state == 'S' && vcpu->task.outside);

	value[FACT_BLOCKED] = asleep > 0 ? part[PART_BLOCKED] * blocked / asleep : 0;
	value[FACT_OUTSIDE] = asleep > 0 ? part[PART_BLOCKED] * outside / asleep : 0;
	value[FACT_ASLEEP_SEEN] = asleep;
	value[FACT_ASLEEP_NOW] = is_asleep ? milliseconds(vcpu->asleep) : 0;
	value[FACT_HALTED] = part[PART_HALTED];
}

static void set_running(struct scratch *scratch, const struct thread_evidence *vcpu,
			const double *part)
{
	double *value = scratch->facts.value;
	double exits = (double)thread_sum(vcpu, SUM_EXITS);

	value[FACT_RUNNING] = part[PART_GUEST] + part[PART_KVM] + part[PART_VMM];
	/* A shorter time has too few timer ticks. */
	if (thread_sum(vcpu, SUM_TIME) >= SECOND)
		value[FACT_OVERHEAD] = (part[PART_KVM] + part[PART_VMM]) /
				       fmax(part[PART_GUEST], 0.1);
	if (exits > 0) {
		value[FACT_EXITS] = per_second(vcpu, SUM_EXITS);
		value[FACT_EMULATED] = (double)thread_sum(vcpu, SUM_EMULATED) / exits;
		scratch->facts.text[TEXT_CLASS] = thread_exits(vcpu);
	}
}

static void set_waits(struct scratch *scratch, const struct thread_evidence *vcpu,
		      const double *part)
{
	struct facts *facts = &scratch->facts;

	facts->value[FACT_WAITING] = part[PART_WAITING] + part[PART_THROTTLED];
	facts->value[FACT_WAIT_NOW] = milliseconds(vcpu->wait_now);
	facts->value[FACT_WAIT_SEEN] = share_in(vcpu, SUM_WAITED, SUM_INTERVALS);
	facts->value[FACT_PERIODS] = (double)thread_sum(vcpu, SUM_THROTTLED_PERIODS);
	facts->value[FACT_PERIODS_SHARE] = share_in(vcpu, SUM_THROTTLED_PERIODS, SUM_PERIODS);
	facts->value[FACT_THROTTLED] = milliseconds(thread_sum(vcpu, SUM_THROTTLED));
	if (!*vcpu->limit)
		return;
	facts->text[TEXT_LIMIT] = vcpu->limit;
	snprintf(scratch->max, sizeof(scratch->max), "%" PRIu64 " %" PRIu64, vcpu->quota / 1000,
		 vcpu->period / 1000);
	facts->text[TEXT_MAX] = scratch->max;
}

/* Returns how much of the time tasks waited, in percent, or NAN. */
static double pressure_share(const struct guest_evidence *guest, const uint64_t *sum)
{
	uint64_t span = guest->pressure_span[0] + guest->pressure_span[1];

	return span ? fmin(100, 100 / (double)span * (double)(sum[0] + sum[1])) : NAN;
}

static void set_memory(struct scratch *scratch, const struct guest_evidence *guest,
		       const struct thread_evidence *vcpu)
{
	double *value = scratch->facts.value;

	value[FACT_FAULTS] = per_second(vcpu, SUM_FAULTS);
	value[FACT_PRESSURE] = pressure_share(guest, guest->pressure_sum);
	/* A fault that is served from compressed memory keeps the thread running. */
	value[FACT_MEMORY_LOSS] = fmax(fmax(isnan(value[FACT_PRESSURE]) ? 0 : value[FACT_PRESSURE],
					    value[FACT_BLOCKED]),
				       fmin(100, value[FACT_FAULTS] / 50));
}

/* ---- facts about the CPU that a vCPU waits for ---- */

static uint64_t neighbour_count(const struct neighbour *neighbour)
{
	return neighbour->count[0] + neighbour->count[1];
}

static const struct neighbour *worst_neighbour(const struct guest_evidence *guest, uint64_t *own)
{
	const struct neighbour *worst = NULL;
	size_t i;

	*own = 0;
	for (i = 0; i < guest->neighbours; i++) {
		const struct neighbour *neighbour = &guest->neighbour[i];

		if (neighbour->own)
			*own += neighbour_count(neighbour);
		if (neighbour_count(neighbour) &&
		    (!worst || neighbour_count(neighbour) > neighbour_count(worst)))
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

static void set_cpus(struct scratch *scratch, const struct guest_evidence *guest,
		     const struct thread_evidence *vcpu)
{
	static const char name[] = "Cpus_allowed_list:\t";
	size_t vcpus = count_vcpus(guest);
	char text[8192];
	const char *at;

	if (!guest->pid || !proc_read(text, sizeof(text), "%d/task/%d/status", (int)guest->pid,
				      (int)vcpu->tid))
		return;
	at = strstr(text, name);
	if (!at)
		return;
	at += strlen(name);
	snprintf(scratch->cpus, sizeof(scratch->cpus), "%.*s", (int)strcspn(at, "\n"), at);
	scratch->facts.text[TEXT_CPUS] = scratch->cpus;
	scratch->facts.value[FACT_MISSING_CPUS] = (double)vcpus - count_cpus(scratch->cpus);
}

/* Returns the ancestor of @cgroup, or itself, whose parent is @parent. */
static const struct cgroup *below(const struct cgroup *cgroup, const struct cgroup *parent)
{
	while (cgroup && cgroup->parent != parent)
		cgroup = cgroup->parent;
	return cgroup;
}

static bool is_above(const struct cgroup *above, const struct cgroup *cgroup)
{
	while (cgroup && cgroup != above)
		cgroup = cgroup->parent;
	return cgroup || !above;
}

/*
 * Compares the weights where the paths of two threads part. Weights further below decide only
 * within each of the two.
 */
static void compare_weights(struct scratch *scratch, const struct cgroup *own,
			    const struct cgroup *other)
{
	const struct cgroup *common = own;
	uint64_t own_weight, other_weight;

	while (common && !is_above(common, other))
		common = common->parent;
	own = below(own, common);
	other = below(other, common);
	if (!own || !other)
		return;
	own_weight = cgroup_weight(own);
	other_weight = cgroup_weight(other);
	if (!own_weight || !other_weight)
		return;
	scratch->facts.value[FACT_WEIGHT_RATIO] = (double)other_weight / (double)own_weight;
	snprintf(scratch->weights, sizeof(scratch->weights),
		 "%s has cpu.weight %" PRIu64 ", and %s %" PRIu64, own->path, own_weight,
		 other->path, other_weight);
	scratch->facts.text[TEXT_WEIGHTS] = scratch->weights;
	snprintf(scratch->cgroup, sizeof(scratch->cgroup), "%s", own->path);
}

/* Reads what is only needed for the rules that say more than RULE_WAITS. */
static void examine_neighbour(struct scratch *scratch, const struct thread_evidence *vcpu,
			      const struct neighbour *neighbour)
{
	struct membership *membership = NULL;
	struct task task;

	if (!task_read(&task, neighbour->pid, neighbour->tid))
		return;
	if (task_is_real_time(&task))
		scratch->facts.value[FACT_REAL_TIME] = scratch->facts.value[FACT_NEIGHBOUR];
	thread_read_membership(&membership, neighbour->pid, neighbour->tid);
	if (membership && vcpu->membership)
		compare_weights(scratch, vcpu->membership->cpu, membership->cpu);
	membership_put(membership);
}

static void set_neighbour(struct scratch *scratch, const struct guest_evidence *guest,
			  const struct thread_evidence *vcpu)
{
	uint64_t samples = guest->samples[0] + guest->samples[1], own;
	const struct neighbour *worst = worst_neighbour(guest, &own);
	struct facts *facts = &scratch->facts;

	if (rules_decide(why_rules, facts) != RULE_WAITS)
		return;
	set_cpus(scratch, guest, vcpu);
	facts->value[FACT_SAMPLES] = (double)samples;
	if (!worst || !samples)
		return;
	facts->value[FACT_NEIGHBOUR] = 100 * (double)neighbour_count(worst) / (double)samples;
	facts->value[FACT_OWN] = fmin(100, 100 * (double)own / (double)samples);
	set_number(scratch->cpu, sizeof(scratch->cpu), worst->cpu);
	facts->text[TEXT_CPU] = scratch->cpu;
	if (samples >= 5)
		facts->text[TEXT_NEIGHBOUR] = worst->name;
	if (guest->pid)
		examine_neighbour(scratch, vcpu, worst);
}

/* ---- facts about the whole guest ---- */

/* Names the thread if it has more of the fact than those before. */
static void set_helper(struct scratch *scratch, enum fact fact, double share,
		       enum fact_text text, char *buf, const struct thread_evidence *thread)
{
	if (scratch->facts.value[fact] >= share)
		return;
	scratch->facts.value[fact] = share;
	snprintf(buf, sizeof(scratch->helper), "%s (%s, TID %d)", thread->name,
		 thread_group_name(thread->group), (int)thread->tid);
	scratch->facts.text[text] = buf;
}

static void set_helpers(struct scratch *scratch, const struct guest_evidence *guest)
{
	double *value = scratch->facts.value, waiting;
	uint64_t outside = guest->outside[0] + guest->outside[1];
	size_t i;

	for (i = 0; i < guest->threads; i++) {
		const struct thread_evidence *thread = &guest->thread[i];

		if (thread->group == THREAD_VCPU || !thread_sum(thread, SUM_TIME))
			continue;
		set_helper(scratch, FACT_HELPER_WAITING,
			   share_in(thread, SUM_WAITING, SUM_TIME), TEXT_HELPER, scratch->helper,
			   thread);
		if (outside)
			set_helper(scratch, FACT_HELPER_BLOCKED,
				   100 * (double)thread_sum(thread, SUM_BLOCKED) / (double)outside,
				   TEXT_SLEEPER, scratch->sleeper, thread);
	}
	waiting = value[FACT_HELPER_WAITING];
	/* A thread that hardly waits does not explain why all vCPUs are outside all the time. */
	value[FACT_HELPER_LOSS] = value[FACT_OUTSIDE] > waiting &&
				  !(value[FACT_ALL_OUTSIDE] && waiting < 50) ?
				  value[FACT_OUTSIDE] : waiting;
}

/* Sets facts that need all vCPUs: whether all are outside, or halted, and since when. */
static void set_all(struct scratch *scratch, const struct guest_evidence *guest)
{
	const struct thread_evidence *vcpu;
	double *value = scratch->facts.value, halted = INFINITY;
	bool outside = true;

	for_each_vcpu(vcpu, guest) {
		uint64_t samples = thread_sum(vcpu, SUM_INTERVALS);

		outside &= thread_sum(vcpu, SUM_TIME) >= SECOND && !thread_sum(vcpu, SUM_RUNTIME) &&
			   !thread_sum(vcpu, SUM_WAITING) &&
			   thread_sum(vcpu, SUM_OUTSIDE) >= samples;
		halted = fmin(halted, vcpu->has_blocking && vcpu->task.state == 'S' &&
			      !vcpu->task.outside ? (double)vcpu->asleep / 1e9 : 0);
	}
	value[FACT_ALL_OUTSIDE] = outside;
	value[FACT_ALL_HALTED] = halted;
}

/* A thread that is stopped: this vCPU, or another one, or the main thread */
static pid_t stopped_thread(const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	const struct thread_evidence *other;

	if (task_is_stopped(&vcpu->task))
		return vcpu->tid;
	for_each_vcpu(other, guest) {
		if (task_is_stopped(&other->task))
			return other->tid;
	}
	return guest->pid;
}

static void set_guest(struct scratch *scratch, const struct evidence *evidence,
		      const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	uint64_t intervals = evidence->intervals[0] + evidence->intervals[1];
	struct facts *facts = &scratch->facts;

	facts->value[FACT_TOO_NEW] = guest->age < START_TIME + evidence->window;
	facts->value[FACT_STOPPED] = guest->state == PROCESS_STOPPED ||
				     task_is_stopped(&vcpu->task);
	facts->value[FACT_FROZEN] = guest->state == PROCESS_FROZEN;
	if (intervals)
		facts->value[FACT_STEAL] = (evidence->steal[0] + evidence->steal[1]) /
					   (double)intervals;
	set_number(scratch->pid, sizeof(scratch->pid), guest->pid);
	set_number(scratch->tid, sizeof(scratch->tid), facts->value[FACT_STOPPED] > 0 ?
		   stopped_thread(guest, vcpu) : vcpu->tid);
	set_number(scratch->vcpus, sizeof(scratch->vcpus), (long)count_vcpus(guest));
	facts->text[TEXT_PID] = scratch->pid;
	facts->text[TEXT_TID] = scratch->tid;
	facts->text[TEXT_VCPUS] = scratch->vcpus;
	if (vcpu->membership && (vcpu->membership->unified || vcpu->membership->cpu)) {
		snprintf(scratch->cgroup, sizeof(scratch->cgroup), "%s",
			 vcpu->membership->unified ? vcpu->membership->unified :
						     vcpu->membership->cpu->path);
		facts->text[TEXT_CGROUP] = scratch->cgroup;
	}
	set_all(scratch, guest);
}

static void collect(struct scratch *scratch, const struct evidence *evidence,
		    const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	double part[PARTS];
	size_t i;

	*scratch = (struct scratch){ 0 };
	for (i = 0; i < FACTS; i++)
		scratch->facts.value[i] = NAN;
	set_guest(scratch, evidence, guest, vcpu);
	if (!thread_parts(vcpu, part))
		return;
	set_sleep(scratch, vcpu, part);
	set_running(scratch, vcpu, part);
	set_waits(scratch, vcpu, part);
	set_memory(scratch, guest, vcpu);
	set_helpers(scratch, guest);
	set_neighbour(scratch, guest, vcpu);
}

/* ---- since when ---- */

/*
 * Returns since when a share of @share percent has lasted according to the averages of a pressure
 * file, in seconds, or -1. An average over n seconds approaches it by 1 - exp(-t / n). If it has
 * varied, two averages give different times.
 */
static double onset(const struct pressure *pressure, double share)
{
	static const double seconds[] = { 10, 60, 300 };
	double before = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		double part = pressure->average[i] / share, since;

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
	double asleep = (double)vcpu->asleep / 1e9;

	verdict->since = -1;
	verdict->since_is_least = false;
	switch (verdict->rule) {
	case RULE_STOPPED:
	case RULE_FROZEN:
	case RULE_PAUSED:
	case RULE_HALTED:
		verdict->since = asleep;
		return;
	case RULE_BLOCKED:
	case RULE_HELPER:
	case RULE_VMM:
		if (vcpu->asleep)
			verdict->since = asleep;
		break;
	case RULE_MEMORY:
		if (guest->has_pressure)
			verdict->since = onset(&guest->pressure,
					       pressure_share(guest, guest->pressure_sum));
		break;
	case RULE_REAL_TIME:
	case RULE_FEW_CPUS:
	case RULE_WEIGHT:
	case RULE_WAITS:
		verdict->since = (double)vcpu->wait_now / 1e9;
		if (verdict->since < window && guest->has_pressure)
			verdict->since = onset(&guest->cpu_pressure,
					       pressure_share(guest, guest->cpu_pressure_sum));
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

const char *gap_text(enum gap gap)
{
	switch (gap) {
	case GAP_PROC:
		return "cgroups, limits, states and other threads: the process is not in /proc";
	case GAP_STATISTICS:
		return "exits, halts and open waits: there is no host file";
	case GAP_BLOCKING:
		return "sleep outside of the guest: this KVM does not count whether a vCPU is "
		       "halted";
	case GAP_PRESSURE:
		return "waits for memory: the cgroup has no memory.pressure";
	case GAP_NEIGHBOURS:
		return "neighbours: the kernel does not show which thread is on which CPU";
	}
	return "";
}

static unsigned int gaps_of(const struct evidence *evidence, const struct guest_evidence *guest,
			    const struct thread_evidence *vcpu)
{
	unsigned int gaps = 0;

	if (!guest->pid)
		gaps |= GAP_PROC;
	else if (!guest->has_pressure)
		gaps |= GAP_PRESSURE;
	if (!vcpu->has_values)
		return gaps | GAP_STATISTICS;
	if (!vcpu->has_blocking)
		gaps |= GAP_BLOCKING;
	if (!evidence->occupants.has_vcpus)
		gaps |= GAP_NEIGHBOURS;
	return gaps;
}

static void set_texts(struct verdict *verdict, const struct facts *facts)
{
	const struct rule *rule = &why_rules[verdict->rule];

	rule_text(verdict->text, sizeof(verdict->text), rule->text, facts);
	rule_evidence(verdict->evidence, sizeof(verdict->evidence), rule, facts);
	if (rule->remedy)
		rule_text(verdict->remedy, sizeof(verdict->remedy), rule->remedy, facts);
}

void vcpu_verdict(struct verdict *verdict, const struct evidence *evidence,
		  const struct guest_evidence *guest, const struct thread_evidence *vcpu)
{
	struct scratch scratch;

	collect(&scratch, evidence, guest, vcpu);
	*verdict = (struct verdict){
		.rule = rules_decide(why_rules, &scratch.facts),
		.affected = 1, .vcpus = count_vcpus(guest),
		.gaps = gaps_of(evidence, guest, vcpu),
	};
	verdict->strength = rule_strength(&why_rules[verdict->rule], &scratch.facts);
	verdict->loss = rule_loss(&why_rules[verdict->rule], &scratch.facts);
	set_since(verdict, guest, vcpu);
	set_texts(verdict, &scratch.facts);
}

/* What the rules say about one vCPU */
struct decision {
	const struct thread_evidence *vcpu;
	enum rule_id rule;
	double loss;
};

/* Whether @a says more about the guest than @b. A guest is only idle if all of its vCPUs are. */
static bool is_worse(const struct decision *a, const struct decision *b)
{
	static const int order[RULES] = {
		[RULE_IDLE] = 1, [RULE_NONE] = 2, [RULE_BUSY] = 3, [RULE_BURST] = 4,
		[RULE_TOO_NEW] = 5,
	};
	const struct rule *x = &why_rules[a->rule], *y = &why_rules[b->rule];

	if (x->is_note != y->is_note)
		return y->is_note;
	if (x->is_note)
		return order[a->rule] > order[b->rule];
	if (x->competes && y->competes)
		return a->loss > b->loss;
	return a->rule < b->rule;
}

void guest_verdict(struct verdict *verdict, const struct evidence *evidence,
		   const struct guest_evidence *guest)
{
	struct decision worst = { 0 }, now;
	size_t vcpus[RULES] = { 0 };
	double loss[RULES] = { 0 };

	*verdict = (struct verdict){ .rule = RULE_NONE, .loss = -1, .since = -1 };
	for_each_vcpu(now.vcpu, guest) {
		struct scratch scratch;

		collect(&scratch, evidence, guest, now.vcpu);
		now.rule = rules_decide(why_rules, &scratch.facts);
		now.loss = rule_loss(&why_rules[now.rule], &scratch.facts);
		vcpus[now.rule]++;
		loss[now.rule] += now.loss;
		if (!worst.vcpu || is_worse(&now, &worst))
			worst = now;
	}
	if (!worst.vcpu)
		return;
	vcpu_verdict(verdict, evidence, guest, worst.vcpu);
	verdict->affected = vcpus[worst.rule];
	if (verdict->loss >= 0)
		verdict->loss = loss[worst.rule] / (double)vcpus[worst.rule];
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
