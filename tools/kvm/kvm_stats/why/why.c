// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats why */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "notice.h"
#include "options.h"
#include "read/read.h"
#include "util.h"
#include "why/verdict.h"
#include "why/why.h"

#define DEFAULT_INTERVAL	(SECOND / 5)
#define DEFAULT_TIME		(2 * SECOND)
/* The kernel counts the parts of the run time at timer ticks, of which a second has enough. */
#define MIN_TIME		1

/* With --check */
enum { STATUS_FINDING = 3, STATUS_NOT_EXAMINED = 4 };

struct why_options {
	struct samples_options samples;
	uint64_t time;
	bool json;
	bool check;
	bool rules;
};

struct why {
	const struct why_options *options;
	struct monitor *monitor;
	struct host host;
	struct evidence evidence;
	size_t findings, notes, not_examined;
};

/* ---- samples ---- */

static bool take(struct why *why)
{
	struct evidence *evidence = &why->evidence;
	struct monitor *monitor = why->monitor;
	size_t i;

	host_update(&why->host);
	evidence_begin(evidence, monitor, &why->host);
	for (i = 0; i < monitor->vmms; i++) {
		if (!evidence_add(evidence, monitor, monitor->vmm[i]))
			return out_of_memory();
	}
	evidence_end(evidence);
	return true;
}

/*
 * Returns whether the window is complete, or the samples of a copy have ended. On a busy host,
 * passes are late: then the window becomes longer, so that it has enough samples.
 */
static bool collect_evidence(struct why *why)
{
	struct monitor *monitor = why->monitor;
	uint64_t start = monitor->time, deadline = start, time = why->options->time;
	uint64_t samples = 0;
	int err;

	for (; take(why); samples++) {
		uint64_t elapsed = monitor->time - start;

		if (elapsed >= 3 * time || (elapsed >= time && samples >=
					    time / why->options->samples.interval))
			return true;
		deadline += why->options->samples.interval;
		while (!samples_wait(monitor, deadline))
			;
		err = monitor_sample(monitor);
		if (err == -ENODATA && monitor->time > start)
			return true;
		if (err == -ENODATA)
			complain("a verdict needs two passes, and the file has one");
		else if (err)
			message_print(&monitor->problem);
		if (err)
			return false;
	}
	return false;
}

/* ---- what is known of a guest ---- */

static bool is_examined(const struct vmm *vmm, const struct guest_evidence *guest,
			const struct verdict *verdict)
{
	return !vmm->orphan && guest && guest->samples_taken > 1 && verdict->vcpus &&
	       verdict->rule != RULE_TOO_NEW;
}

static const char *reason(const struct vmm *vmm, const struct guest_evidence *guest,
			  const struct verdict *verdict)
{
	if (vmm->orphan)
		return "its process has ended, and others keep the VM";
	if (verdict->rule == RULE_TOO_NEW && verdict->vcpus)
		return "it has just started";
	if (!guest || guest->samples_taken < 2)
		return "it has just appeared";
	return "no vCPU thread is known";
}

/* ---- text ---- */

static const char *since_text(char *buf, size_t size, const struct verdict *verdict)
{
	const char *least = verdict->since_is_least ? "> " : "";
	double since = verdict->since;

	if (since < 0 || !verdict_is_finding(verdict))
		return "-";
	if (since < 60)
		snprintf(buf, size, "%s%.*f s", least, since < 9.95, since);
	else if (since < 3600)
		snprintf(buf, size, "%s%.0f m", least, since / 60);
	else
		snprintf(buf, size, "%s%.0f h", least, since / 3600);
	return buf;
}

static const char *name_of(const struct vmm *vmm, char *buf, size_t size)
{
	return sanitize(vmm->guest ? vmm->guest : vmm->comm, buf, size);
}

static void print_row(const char *name, const struct verdict *verdict)
{
	char text[224], since[32];

	printf("%-16s  %-42s  %8s  %s%s%s\n", name, verdict_text(text, sizeof(text), verdict),
	       since_text(since, sizeof(since), verdict), verdict->evidence,
	       verdict_is_finding(verdict) && verdict->strength < STRENGTH_CERTAIN ? "; " : "",
	       verdict_is_finding(verdict) && verdict->strength < STRENGTH_CERTAIN ?
	       strength_name(verdict->strength) : "");
}

static void print_vcpu(const struct why *why, const struct guest_evidence *guest,
		       const struct thread_evidence *vcpu)
{
	struct verdict verdict;
	double part[PARTS];
	char text[224];
	enum part i;

	vcpu_verdict(&verdict, &why->evidence, guest, vcpu);
	verdict.vcpus = 1;
	printf("  vcpu%-4d", vcpu->vcpu);
	if (thread_parts(vcpu, part)) {
		for (i = 0; i < PARTS; i++)
			printf(" %9.1f", part[i]);
	}
	printf("  %s\n", verdict_text(text, sizeof(text), &verdict));
}

static void print_detail(const struct why *why, const struct guest_evidence *guest,
			 const struct verdict *verdict)
{
	const struct thread_evidence *vcpu;
	unsigned int bit;
	size_t at = 0;
	enum part i;

	if (*verdict->remedy)
		printf("  %s; to do: %s\n", strength_name(verdict->strength), verdict->remedy);
	printf("  %-8s", "% of time");
	for (i = 0; i < PARTS; i++)
		printf(" %9s", part_name(i));
	puts("  verdict");
	while ((vcpu = guest_next_vcpu(guest, &at)))
		print_vcpu(why, guest, vcpu);
	for (bit = 1; bit <= GAP_NEIGHBOURS; bit <<= 1) {
		if (verdict->gaps & bit)
			printf("  not examined: %s\n", gap_text(bit));
	}
}

/* Guests without a finding only have a line if the user selected them. */
static void print_guest(const struct why *why, const struct vmm *vmm)
{
	const struct guest_evidence *guest = evidence_of(&why->evidence, vmm->id);
	bool selected = filter_names_vmms(why->monitor->options.filter);
	struct verdict verdict = { 0 };
	char name[64];

	if (guest)
		guest_verdict(&verdict, &why->evidence, guest);
	if (!is_examined(vmm, guest, &verdict)) {
		if (selected)
			printf("%-16s  could not be examined: %s\n",
			       name_of(vmm, name, sizeof(name)), reason(vmm, guest, &verdict));
		return;
	}
	if (!selected && !verdict_is_finding(&verdict) && !why->options->samples.verbose)
		return;
	print_row(name_of(vmm, name, sizeof(name)), &verdict);
	if (selected || why->options->samples.verbose)
		print_detail(why, guest, &verdict);
}

/* Counts, and finds the reason why the first guest could not be examined. */
static const char *count(struct why *why)
{
	const char *first = NULL;
	size_t i;

	for (i = 0; i < why->monitor->vmms; i++) {
		const struct vmm *vmm = why->monitor->vmm[i];
		const struct guest_evidence *guest = evidence_of(&why->evidence, vmm->id);
		struct verdict verdict = { 0 };

		if (guest)
			guest_verdict(&verdict, &why->evidence, guest);
		if (!is_examined(vmm, guest, &verdict)) {
			why->not_examined++;
			first = first ? first : reason(vmm, guest, &verdict);
		} else if (verdict_is_finding(&verdict)) {
			why->findings++;
		} else {
			why->notes++;
		}
	}
	return first;
}

static void print_text(struct why *why)
{
	size_t vmms = why->monitor->vmms, i;
	const char *first = count(why);

	if (why->findings || filter_names_vmms(why->monitor->options.filter) ||
	    (vmms && why->options->samples.verbose))
		printf("%-16s  %-42s  %8s  %s\n", "GUEST", "VERDICT", "SINCE", "EVIDENCE");
	for (i = 0; i < vmms; i++)
		print_guest(why, why->monitor->vmm[i]);
	printf("%zu guest%s: %zu with a verdict, %zu without a finding, %zu could not be examined",
	       vmms, plural(vmms), why->findings, why->notes, why->not_examined);
	printf(first ? " (%s)\n" : "\n", first);
}

/* ---- JSON ---- */

static void print_json_text(const char *name, const char *text)
{
	printf(", \"%s\": ", name);
	json_print_string(text);
}

static void print_json_verdict(const struct verdict *verdict)
{
	const struct rule *rule = &why_rules[verdict->rule];

	printf("\"verdict\": \"%s\", \"finding\": %s, \"strength\": \"%s\"", rule->name,
	       verdict_is_finding(verdict) ? "true" : "false", strength_name(verdict->strength));
	if (verdict->loss >= 0)
		printf(", \"share\": %.1f", verdict->loss);
	if (verdict->since >= 0)
		printf(", \"since\": %.1f, \"since_at_least\": %s", verdict->since,
		       verdict->since_is_least ? "true" : "false");
	print_json_text("text", verdict->text);
	print_json_text("evidence", verdict->evidence);
	print_json_text("remedy", verdict->remedy);
}

static void print_json_vcpu(const struct why *why, const struct guest_evidence *guest,
			    const struct thread_evidence *vcpu)
{
	struct verdict verdict;
	double part[PARTS];
	enum part i;

	vcpu_verdict(&verdict, &why->evidence, guest, vcpu);
	printf("{\"vcpu\": %d, \"tid\": %d, ", vcpu->vcpu, (int)vcpu->tid);
	print_json_verdict(&verdict);
	if (thread_parts(vcpu, part)) {
		fputs(", \"time\": {", stdout);
		for (i = 0; i < PARTS; i++)
			printf("%s\"%s\": %.1f", i ? ", " : "", part_name(i), part[i]);
		putchar('}');
	}
	putchar('}');
}

static void print_json_guest(const struct why *why, const struct vmm *vmm)
{
	const struct guest_evidence *guest = evidence_of(&why->evidence, vmm->id);
	const struct thread_evidence *vcpu;
	struct verdict verdict = { 0 };
	unsigned int bit;
	size_t at = 0, n = 0;

	if (guest)
		guest_verdict(&verdict, &why->evidence, guest);
	printf("{\"pid\": %d", (int)vmm->pid);
	print_json_text("guest", vmm->guest ? vmm->guest : vmm->comm);
	if (!is_examined(vmm, guest, &verdict)) {
		print_json_text("not_examined", reason(vmm, guest, &verdict));
		putchar('}');
		return;
	}
	fputs(", ", stdout);
	print_json_verdict(&verdict);
	fputs(", \"vcpus\": [", stdout);
	while ((vcpu = guest_next_vcpu(guest, &at))) {
		fputs(n++ ? ", " : "", stdout);
		print_json_vcpu(why, guest, vcpu);
	}
	fputs("], \"gaps\": [", stdout);
	for (bit = 1, n = 0; bit <= GAP_NEIGHBOURS; bit <<= 1) {
		if (!(verdict.gaps & bit))
			continue;
		fputs(n++ ? ", " : "", stdout);
		json_print_string(gap_text(bit));
	}
	fputs("]}", stdout);
}

static void print_json(struct why *why)
{
	char time[STAMP_SIZE];
	size_t i;

	count(why);
	if (why->monitor->is_copy)
		fputs("{\"time\": null", stdout);
	else
		printf("{\"time\": \"%s\"", stamp_of(why->monitor->time, time));
	printf(", \"findings\": %zu, \"without_finding\": %zu, \"not_examined\": %zu, "
	       "\"guests\": [", why->findings, why->notes, why->not_examined);
	for (i = 0; i < why->monitor->vmms; i++) {
		fputs(i ? ", " : "", stdout);
		print_json_guest(why, why->monitor->vmm[i]);
	}
	puts("]}");
}

/* ---- the rules ---- */

static int print_rules(void)
{
	char conditions[256];
	size_t i;

	puts("The rules, in the order in which they are tried. Of those marked with *, the one\n"
	     "with the largest loss decides. Shares are percent of the time.");
	for (i = 0; i < RULES; i++) {
		const struct rule *rule = &why_rules[i];

		printf("\n%s%s: %s%s\n", rule->name, rule->competes ? " *" : "", rule->text,
		       rule->is_note ? " (not a finding)" : "");
		printf("  if %s\n", *rule_conditions(conditions, sizeof(conditions), rule) ?
		       conditions : "no other rule applies");
		printf("  source: %s\n", rule->source);
		if (rule->remedy)
			printf("  to do: %s\n", rule->remedy);
	}
	return STATUS_OK;
}

/* ---- the command ---- */

static const char usage[] =
	"Usage: kvm-stats why [OPTION]...\n"
	"\n"
	"Says what costs guests their time, for example a neighbour, a limit or a disk: a\n"
	"verdict on each guest with its evidence. With -g or -p, also how the time of each\n"
	"vCPU is divided, and what to do.\n"
	"\n";

#define MEMBER(member)	offsetof(struct why_options, member)

enum { OPTION_FOR = FIRST_LONG_OPTION, OPTION_CHECK, OPTION_RULES };

static const struct command_option table[] = {
	{ 'i', "interval", "SEC", "seconds between samples (default 0.2)", OPTION_SECONDS,
	  MEMBER(samples.interval), MIN_INTERVAL },
	{ OPTION_FOR, "for", "SEC", "seconds that are examined (default 2)", OPTION_SECONDS,
	  MEMBER(time), MIN_TIME },
	{ 'j', "json", NULL, "print JSON, with all vCPUs", .kind = OPTION_FLAG,
	  .member = MEMBER(json) },
	{ OPTION_CHECK, "check", NULL, "exit with 3 if there is a finding, or else with 4 if a\n"
	  "guest could not be examined", .kind = OPTION_FLAG, .member = MEMBER(check) },
	{ OPTION_RULES, "rules", NULL, "print the rules with their thresholds, and end",
	  .kind = OPTION_FLAG, .member = MEMBER(rules) },
	FROM_OPTION(MEMBER(samples.from)),
	VERBOSE_OPTION(MEMBER(samples.verbose)),
	{ 0 },
};

static int print_verdicts(struct why *why)
{
	const struct why_options *options = why->options;
	struct message message;

	if (!check_selected(why->monitor, &message)) {
		message_print(&message);
		return STATUS_FAILED;
	}
	if (!collect_evidence(why))
		return STATUS_FAILED;
	if (options->json)
		print_json(why);
	else
		print_text(why);
	if (options->check && why->findings)
		return STATUS_FINDING;
	return options->check && why->not_examined ? STATUS_NOT_EXAMINED : STATUS_OK;
}

static int run_why(struct why_options *options)
{
	/* One window has all samples. */
	struct why why = { .options = options, .evidence.window = options->time };
	int status;

	why.monitor = samples_open(&options->samples);
	status = why.monitor ? print_verdicts(&why) : STATUS_FAILED;
	evidence_free(&why.evidence);
	monitor_close(why.monitor);
	return status;
}

int command_why(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "why", .usage = usage, .table = table,
	};
	struct why_options options = {
		.samples = { .interval = DEFAULT_INTERVAL, .processes = PROCESSES_STATES },
		.time = DEFAULT_TIME,
	};
	int status = options_parse(argc, argv, &accepted, &options, &options.samples.filter);

	if (status < 0)
		status = options.rules ? print_rules() : run_why(&options);
	filter_free(&options.samples.filter);
	return status;
}
