// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats why */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
};

struct why {
	const struct why_options *options;
	struct monitor *monitor;
	struct host host;
	struct evidence evidence;
	size_t findings, not_examined;
	const char *reason;		/* why the first guest could not be examined, or NULL */
	bool has_heading;
};

/* ---- samples ---- */

static bool take(struct why *why)
{
	host_update(&why->host);
	return evidence_update(&why->evidence, why->monitor, &why->host) || out_of_memory();
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
			complain("%s: a verdict needs two passes, and there is one. Use a longer "
				 "file or another time", monitor->problem.object);
		else if (err)
			message_print(&monitor->problem);
		if (err)
			return false;
	}
	return false;
}

/* ---- results ---- */

/* What is known of a guest */
struct result {
	const struct vmm *vmm;
	struct guest_evidence *guest;
	struct verdict verdict;
	const char *reason;		/* why it could not be examined, or NULL */
};

static struct result result_of(const struct why *why, const struct vmm *vmm)
{
	struct result result = { .vmm = vmm, .guest = evidence_of(&why->evidence, vmm) };

	if (result.guest)
		guest_verdict(&result.verdict, &why->evidence, result.guest);
	if (vmm->orphan)
		result.reason = "its process has ended, and others keep the VM";
	else if (!result.guest || result.guest->samples_taken < 2)
		result.reason = "it has just appeared";
	else if (!result.verdict.vcpus)
		result.reason = "no vCPU thread is known";
	else if (result.verdict.rule == RULE_TOO_NEW)
		result.reason = "it has just started";
	return result;
}

static void count(struct why *why, const struct result *result)
{
	if (result->reason && !why->reason)
		why->reason = result->reason;
	why->not_examined += !!result->reason;
	why->findings += !result->reason && verdict_is_finding(&result->verdict);
}

/* ---- text ---- */

static void print_heading_once(struct why *why)
{
	if (!why->has_heading)
		printf("%-16s  %-42s  %8s  %s\n", "GUEST", "VERDICT", "SINCE", "EVIDENCE");
	why->has_heading = true;
}

static void print_vcpu(const struct why *why, const struct result *result,
		       const struct thread_evidence *vcpu)
{
	struct verdict verdict;
	double part[PARTS];
	char text[224];
	enum part i;

	vcpu_verdict(&verdict, &why->evidence, result->guest, vcpu);
	verdict.vcpus = 1;
	printf("  vcpu%-5d", vcpu->thread.vcpu);
	if (thread_parts(vcpu, part)) {
		for (i = 0; i < PARTS; i++)
			printf(" %9.1f", part[i]);
	}
	printf("  %s\n", verdict_text(text, sizeof(text), &verdict));
}

static void print_detail(const struct why *why, const struct result *result)
{
	const struct thread_evidence *vcpu;
	size_t at = 0;
	enum part i;
	enum gap gap;

	if (*result->verdict.remedy)
		printf("  to do: %s\n", result->verdict.remedy);
	fputs("  % of time", stdout);
	for (i = 0; i < PARTS; i++)
		printf(" %9s", part_name(i));
	puts("  verdict");
	while ((vcpu = guest_next_vcpu(result->guest, &at)))
		print_vcpu(why, result, vcpu);
	for (gap = 0; gap < GAPS; gap++) {
		if (result->verdict.gap[gap])
			printf("  not examined: %s\n", gap_texts[gap]);
	}
}

static void print_row(const struct result *result)
{
	const struct verdict *verdict = &result->verdict;
	bool finding = !result->reason && verdict_is_finding(verdict);
	const struct vmm *vmm = result->vmm;
	char name[64], text[224], since[32];

	sanitize(vmm->guest ? vmm->guest : vmm->comm, name, sizeof(name));
	if (result->reason)
		printf("%-16s  could not be examined: %s\n", name, result->reason);
	else
		printf("%-16s  %-42s  %8s  %s%s%s\n", name,
		       verdict_text(text, sizeof(text), verdict),
		       verdict_since(since, sizeof(since), verdict), verdict->evidence,
		       finding ? "; " : "", finding ? strength_name(verdict->strength) : "");
}

/* Guests without a finding only have a line if the user selected them, or with -v. */
static void print_result(struct why *why, const struct result *result)
{
	bool detail = filter_names_vmms(why->monitor->options.filter) ||
		      why->options->samples.verbose;

	if (!detail && (result->reason || !verdict_is_finding(&result->verdict)))
		return;
	print_heading_once(why);
	print_row(result);
	if (detail && !result->reason)
		print_detail(why, result);
}

static void print_text(struct why *why)
{
	size_t vmms = why->monitor->vmms, i;

	for (i = 0; i < vmms; i++) {
		struct result result = result_of(why, why->monitor->vmm[i]);

		count(why, &result);
		print_result(why, &result);
	}
	printf("%zu guest%s: %zu with a verdict, %zu without a finding, %zu could not be examined",
	       vmms, plural(vmms), why->findings, vmms - why->findings - why->not_examined,
	       why->not_examined);
	printf(why->reason ? " (%s)\n" : "\n", why->reason);
}

/* ---- JSON ---- */

static void print_json_text(const char *name, const char *text)
{
	printf(", \"%s\": ", name);
	json_print_string(text);
}

static void print_json_verdict(const struct verdict *verdict)
{
	printf("\"verdict\": \"%s\", \"finding\": %s, \"strength\": \"%s\"",
	       why_rules[verdict->rule].name, verdict_is_finding(verdict) ? "true" : "false",
	       strength_name(verdict->strength));
	if (verdict->loss >= 0)
		printf(", \"share\": %.1f", verdict->loss);
	if (verdict->since >= 0)
		printf(", \"since\": %.1f, \"since_at_least\": %s", verdict->since,
		       verdict->since_is_least ? "true" : "false");
	print_json_text("text", verdict->text);
	print_json_text("evidence", verdict->evidence);
	print_json_text("remedy", verdict->remedy);
}

static void print_json_vcpu(const struct why *why, const struct result *result,
			    const struct thread_evidence *vcpu)
{
	struct verdict verdict;
	double part[PARTS];
	enum part i;

	vcpu_verdict(&verdict, &why->evidence, result->guest, vcpu);
	printf("{\"vcpu\": %d, \"tid\": %d, ", vcpu->thread.vcpu, (int)vcpu->thread.tid);
	print_json_verdict(&verdict);
	if (thread_parts(vcpu, part)) {
		for (i = 0; i < PARTS; i++)
			printf("%s\"%s\": %.1f", i ? ", " : ", \"time\": {", part_name(i), part[i]);
		putchar('}');
	}
	putchar('}');
}

static void print_json_examined(const struct why *why, const struct result *result)
{
	const struct thread_evidence *vcpu;
	const char *separator = "";
	size_t at = 0;
	enum gap gap;

	fputs(", ", stdout);
	print_json_verdict(&result->verdict);
	fputs(", \"vcpus\": [", stdout);
	while ((vcpu = guest_next_vcpu(result->guest, &at))) {
		fputs(separator, stdout);
		print_json_vcpu(why, result, vcpu);
		separator = ", ";
	}
	fputs("], \"gaps\": [", stdout);
	separator = "";
	for (gap = 0; gap < GAPS; gap++) {
		if (!result->verdict.gap[gap])
			continue;
		fputs(separator, stdout);
		json_print_string(gap_texts[gap]);
		separator = ", ";
	}
	putchar(']');
}

static void print_json(struct why *why)
{
	char time[STAMP_SIZE];
	size_t i;

	if (why->monitor->is_copy && !why->monitor->wall)
		fputs("{\"time\": null, \"guests\": [", stdout);
	else
		printf("{\"time\": \"%s\", \"guests\": [", monitor_stamp(why->monitor, time));
	for (i = 0; i < why->monitor->vmms; i++) {
		const struct vmm *vmm = why->monitor->vmm[i];
		struct result result = result_of(why, vmm);

		count(why, &result);
		printf("%s{\"pid\": %d", i ? ", " : "", (int)vmm->pid);
		print_json_text("guest", vmm->guest ? vmm->guest : vmm->comm);
		if (result.reason)
			print_json_text("not_examined", result.reason);
		else
			print_json_examined(why, &result);
		putchar('}');
	}
	printf("], \"findings\": %zu, \"not_examined\": %zu}\n", why->findings,
	       why->not_examined);
}

/* ---- the command ---- */

static const char usage[] =
	"Usage: kvm-stats why [OPTION]...\n"
	"\n"
	"Says what costs guests their time, for example a neighbour, a limit or a disk.\n"
	"It prints a verdict on each guest, with its evidence. With -g or -p, it also\n"
	"prints how the time of each vCPU is divided, and what to do.\n"
	"\n";

#define MEMBER(member)	offsetof(struct why_options, member)

enum { OPTION_FOR = FIRST_LONG_OPTION, OPTION_CHECK };

static const struct command_option table[] = {
	{ 'i', "interval", "SEC", "seconds between samples (default 0.2)", OPTION_SECONDS,
	  MEMBER(samples.interval), MIN_INTERVAL },
	{ OPTION_FOR, "for", "SEC", "seconds that are examined (default 2)", OPTION_SECONDS,
	  MEMBER(time), MIN_TIME },
	{ 'j', "json", NULL, "print JSON, with all vCPUs", .kind = OPTION_FLAG,
	  .member = MEMBER(json) },
	{ OPTION_CHECK, "check", NULL, "exit with 3 if there is a finding, or else with 4 if a\n"
	  "guest could not be examined", .kind = OPTION_FLAG, .member = MEMBER(check) },
	SWITCHES_OPTION(MEMBER(samples.switches)),
	FROM_OPTION(MEMBER(samples.from)),
	AT_OPTION(MEMBER(samples.replay)), SINCE_OPTION(MEMBER(samples.replay)),
	UNTIL_OPTION(MEMBER(samples.replay)), DIR_OPTION(MEMBER(samples.replay)),
	VERBOSE_OPTION(MEMBER(samples.verbose)),
	{ 0 },
};

/* ---- the verdicts of a time that was recorded ---- */

/* Prints the verdicts that are others than the last. The end of a finding is one, too. */
static void print_news(const struct why *why)
{
	char time[STAMP_SIZE];
	size_t i;

	for (i = 0; i < why->monitor->vmms; i++) {
		struct result result = result_of(why, why->monitor->vmm[i]);

		if (result.reason || result.guest->printed == (int)result.verdict.rule)
			continue;
		result.guest->printed = (int)result.verdict.rule;
		printf("%s  ", monitor_stamp(why->monitor, time));
		print_row(&result);
	}
}

static int print_history(struct why *why)
{
	int err = 0;

	printf("%-29s  %-16s  %-42s  %8s  %s\n", "TIME", "GUEST", "VERDICT", "SINCE", "EVIDENCE");
	while (!err && take(why)) {
		print_news(why);
		if (!flush_output())
			break;
		err = monitor_sample(why->monitor);
	}
	if (err && err != -ENODATA)
		message_print(&why->monitor->problem);
	return err == -ENODATA ? STATUS_OK : STATUS_FAILED;
}

static int print_verdicts(struct why *why)
{
	const struct why_options *options = why->options;
	struct message message;

	if (options->samples.replay.since || options->samples.replay.until) {
		if (!options->json && !options->check)
			return print_history(why);
		complain("--json and --check examine one time. Use --at instead of --since and "
			 "--until");
		return STATUS_USAGE;
	}
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

	options->samples.replay.span = options->time;
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
		status = run_why(&options);
	filter_free(&options.samples.filter);
	return status;
}
