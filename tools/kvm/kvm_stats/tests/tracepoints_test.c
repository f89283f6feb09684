// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how tracepoints are split by the exit reasons of all architectures. A fake tracefs shows
 * which filters the perf events get. tools.t compares the table of exit reasons with the kernel's
 * headers.
 */
#include <errno.h>

#include "guest_files.h"
#include "source/sources.h"
#include "tap.h"
#include "util.h"

static const struct set {
	const char *event;
	const char *machine;
	int svm;
	const char *field;
	const char *name, *filter;	/* of one exit reason */
} sets[] = {
	{ "kvm_exit", "x86_64", 0, "exit_reason", "kvm_exit(HLT)", "exit_reason==12" },
	{ "kvm_exit", "i686", 1, "exit_reason", "kvm_exit(HLT)", "exit_reason==120" },
	{ "kvm_exit", "aarch64", 0, "esr_ec", "kvm_exit(DABT)", "esr_ec==36" },
	{ "kvm_userspace_exit", "s390x", 0, "reason", "kvm_userspace_exit(S390_SIEIC)",
	  "reason==13" },
};

static struct guest_files files;

/* The callback of tracepoints_list() has no argument for it. */
static const struct set *chosen;

static const struct exit_reasons *chosen_reasons(const char *event)
{
	return exit_reasons_for(event, chosen->machine, chosen->svm);
}

static void write_event(const char *event, const char *name, const char *text)
{
	guest_files_write(&files, 0600, text, "%s/%s", event, name);
}

static const struct tracepoint *find(const struct tracepoints *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		if (!strcmp(list->tracepoint[i].name, name))
			return &list->tracepoint[i];
	}
	return NULL;
}

static void test_set(const struct set *set)
{
	const struct exit_reasons *reasons = exit_reasons_for(set->event, set->machine, set->svm);
	const struct tracepoint *split;
	struct tracepoints list;
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
	if (!tap_ok(!tracepoints_list(&list, files.dir, chosen_reasons),
		    "it is found in tracefs"))
		return;
	tap_is((long long)list.count, 1 + (long long)reasons->reasons,
	       "it is split by all exit reasons");
	tap_ok(!strcmp(list.tracepoint[0].name, set->event) && !list.tracepoint[0].counter.filter,
	       "all hits are the first");
	split = find(&list, set->name);
	tap_ok(split && split->counter.id == 77 && !strcmp(split->counter.filter, set->filter),
	       "%s has the filter %s", set->name, set->filter);
	tracepoints_free(&list);
	guest_files_remove(&files);
	mkdir(files.dir, 0700);
}

static void test_others(void)
{
	struct tracepoints list;

	chosen = &sets[0];
	tap_is(tracepoints_list(&list, files.dir, chosen_reasons), -ENODEV,
	       "without tracepoints there is no source");
	write_event("kvm_exit", "id", "77\n");
	write_event("kvm_exit", "format", "\tfield:unsigned int another;\toffset:8;\n");
	write_event("kvm_entry", "id", "78\n");
	tap_is(tracepoints_list(&list, files.dir, chosen_reasons), 0,
	       "other tracepoints are found");
	tap_ok(list.count == 2 && list.tracepoint[0].counter.id == 78,
	       "without the field of the exit reason, a tracepoint is not split");
	tracepoints_free(&list);
	write_event("kvm_entry", "id", "none\n");
	tap_is(tracepoints_list(&list, files.dir, chosen_reasons), -EIO, "an ID must be a number");
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
