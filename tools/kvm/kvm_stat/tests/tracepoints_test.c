// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how tracepoints are split by the exit reasons of all architectures. A fake tracefs shows
 * which filters the perf events get. kvm_stat.t compares the table of exit reasons with the
 * kernel's headers.
 */
#include "guest_files.h"
#include "kvm_stat.h"
#include "tap.h"

static const struct set {
	const char *event;
	const char *machine;
	int svm;
	const char *field;
	const char *name, *filter;	/* of one exit reason */
} sets[] = {
	{ "kvm_exit", "x86_64", 0, "exit_reason", "kvm_exit(HLT)", "exit_reason==12" },
	{ "kvm_exit", "i686", 1, "exit_reason", "kvm_exit(HLT)", "exit_reason==120" },
	{ "kvm_exit", "aarch64", 0, "esr_ec", "kvm_exit(DABT_LOW)", "esr_ec==36" },
	{ "kvm_userspace_exit", "s390x", 0, "reason", "kvm_userspace_exit(S390_SIEIC)",
	  "reason==13" },
};

static struct guest_files files;

/* The callback of tracepoints_open() has no argument for it. */
static const struct set *chosen;

static const struct exit_reasons *chosen_reasons(const char *event)
{
	return exit_reasons_for(event, chosen->machine, chosen->svm);
}

static void write_event(const char *event, const char *name, const char *text)
{
	guest_files_write(&files, 0600, text, "%s/%s", event, name);
}

/* Returns the index of the statistic, or that after the last one. */
static size_t find(const struct source *source, const char *name)
{
	size_t i = 0;

	while (i < source->count && strcmp(source->stat[i].name, name))
		i++;
	return i;
}

static void test_set(const struct set *set)
{
	const struct exit_reasons *reasons = exit_reasons_for(set->event, set->machine, set->svm);
	struct source *source;
	char format[256];
	bool good = true;
	size_t i;

	for (i = 1; i < reasons->reasons; i++)
		good &= reasons->reason[i - 1].number < reasons->reason[i].number;
	tap_ok(good, "%s of %s: the numbers are unique", set->event, set->machine);
	snprintf(format, sizeof(format),
		 "name: %s\nformat:\n\tfield:unsigned int %s;\toffset:8;\tsize:4;\tsigned:0;\n",
		 set->event, set->field);
	write_event(set->event, "format", format);
	write_event(set->event, "id", "77\n");
	chosen = set;
	source = tracepoints_open(files.dir, chosen_reasons);
	tap_is((long long)source->count, 1 + (long long)reasons->reasons,
	       "it is split by all exit reasons");
	i = find(source, set->name);
	if (tap_ok(i < source->count, "one of them is %s", set->name)) {
		tap_ok(source->stat[0].parent == -1 && !tracepoint_filter(source, 0) &&
		       source->stat[i].parent == 0, "it is a part of all hits");
		tap_ok(!strcmp(tracepoint_filter(source, i), set->filter),
		       "it has the filter %s", set->filter);
	}
	source->close(source);
	guest_files_remove(&files);
	mkdir(files.dir, 0700);
}

static void fails(const char *problem, const char *what)
{
	struct source *source = tracepoints_open(files.dir, chosen_reasons);

	if (!tap_ok(strstr(source->problem, problem), "%s", what))
		printf("# expected '%s', found '%s'\n", problem, source->problem);
	source->close(source);
}

static void test_others(void)
{
	struct source *source;

	chosen = &sets[0];
	fails("does not exist", "without tracepoints there is no source");
	write_event("kvm_exit", "id", "77\n");
	write_event("kvm_exit", "format", "\tfield:unsigned int another;\toffset:8;\n");
	write_event("kvm_entry", "id", "78\n");
	source = tracepoints_open(files.dir, chosen_reasons);
	tap_ok(source->count == 2 && !strcmp(source->stat[0].name, "kvm_entry"),
	       "without the field of the exit reason, a tracepoint is not split");
	source->close(source);
	write_event("kvm_entry", "id", "none\n");
	fails("Input/output error", "an ID must be a number");
	tap_ok(!exit_reasons_for("kvm_exit", "ppc64le", 0),
	       "kvm_exit is not split on other architectures");
	tap_ok(!exit_reasons_for("kvm_entry", "x86_64", 0), "nor are other tracepoints");
}

int main(void)
{
	size_t i;

	if (guest_files_make(&files))
		abort();
	for (i = 0; i < ARRAY_SIZE(sets); i++)
		test_set(&sets[i]);
	test_others();
	guest_files_remove(&files);
	return tap_end();
}
