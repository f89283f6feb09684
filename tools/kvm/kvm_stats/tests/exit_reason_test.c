// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the exit reasons of all architectures. The tables must agree with exit_reasons.list, which
 * the script exit-reasons made from the kernel's headers. A fake tracefs shows which filters the
 * perf events get.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "source/sources.h"
#include "tap.h"

#define MAX_ENTRIES	512

struct entry {
	char set[16];
	unsigned int number;
	char name[40];
};

static struct entry entries[MAX_ENTRIES];
static size_t count;
static char fields[4][40];

static const struct {
	const char *name;
	const char *event;
	const char *machine;
	int svm;
} sets[] = {
	{ "vmx", "kvm_exit", "x86_64", 0 },
	{ "svm", "kvm_exit", "x86_64", 1 },
	{ "arm64", "kvm_exit", "aarch64", 0 },
	{ "userspace", "kvm_userspace_exit", "x86_64", 0 },
};

/* Exit reasons that kvm_stat names differently from the headers. */
static const struct {
	const char *set, *header, *ours;
} renamed[] = {
	{ "vmx", "INTERRUPT_WINDOW", "PENDING_INTERRUPT" },
	{ "arm64", "WFx", "WFI" },
	{ "arm64", "ILL", "ILL_ISS" },
	{ "arm64", "IABT_LOW", "IABT" },
	{ "arm64", "IABT_CUR", "IABT_HYP" },
	{ "arm64", "DABT_LOW", "DABT" },
	{ "arm64", "DABT_CUR", "DABT_HYP" },
	{ "arm64", "BREAKPT_LOW", "BREAKPT" },
	{ "arm64", "BREAKPT_CUR", "BREAKPT_HYP" },
	{ "arm64", "SOFTSTP_LOW", "SOFTSTP" },
	{ "arm64", "SOFTSTP_CUR", "SOFTSTP_HYP" },
	{ "arm64", "WATCHPT_LOW", "WATCHPT" },
	{ "arm64", "WATCHPT_CUR", "WATCHPT_HYP" },
};

/* The tables also have exit reasons of later kernels. Their numbers start here. */
static const struct {
	const char *set;
	unsigned int number;
} first_of_later_kernels[] = {
	{ "vmx", 74 }, { "svm", 0x403 }, { "arm64", 0x3d }, { "userspace", 31 },
};

/* ---- the list ---- */

static size_t set_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sets) && strcmp(sets[i].name, name); i++)
		;
	return i;
}

static bool parse_line(const char *line)
{
	struct entry *entry = &entries[count];
	char field[40];

	if (count == MAX_ENTRIES)
		return false;
	if (sscanf(line, "%15s field %39s", entry->set, field) == 2 &&
	    set_of(entry->set) < ARRAY_SIZE(sets)) {
		memcpy(fields[set_of(entry->set)], field, sizeof(field));
		return true;
	}
	return sscanf(line, "%15s %u %39s", entry->set, &entry->number, entry->name) == 3 &&
	       set_of(entry->set) < ARRAY_SIZE(sets) && ++count;
}

static bool read_list(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[128];
	bool good = file;

	while (good && fgets(line, sizeof(line), file))
		good = parse_line(line);
	if (file)
		fclose(file);
	return good && count;
}

/* Returns the name that kvm_stat and kvm-stats use. */
static const char *our_name(const struct entry *entry)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(renamed); i++) {
		if (!strcmp(renamed[i].set, entry->set) && !strcmp(renamed[i].header, entry->name))
			return renamed[i].ours;
	}
	return entry->name;
}

/* ---- the tables ---- */

static const struct exit_reasons *reasons_of_set(size_t set)
{
	return exit_reasons_for(sets[set].event, sets[set].machine, sets[set].svm);
}

static bool has(const struct exit_reasons *reasons, unsigned int number, const char *name)
{
	size_t i;

	for (i = 0; i < reasons->reasons; i++) {
		if (reasons->reason[i].number == number)
			return !strcmp(reasons->reason[i].name, name);
	}
	return false;
}

static void test_headers(size_t set)
{
	const struct exit_reasons *reasons = reasons_of_set(set);
	size_t i, known = 0;
	bool good = true;

	for (i = 0; i < count; i++) {
		if (set_of(entries[i].set) != set)
			continue;
		known++;
		if (has(reasons, entries[i].number, our_name(&entries[i])))
			continue;
		printf("# missing: %u, %s\n", entries[i].number, our_name(&entries[i]));
		good = false;
	}
	tap_ok(good && known, "%s: the table has all %zu exit reasons of the headers",
	       sets[set].name, known);
	tap_ok(!strcmp(reasons->field, fields[set]), "%s: the field of the tracepoint is %s",
	       sets[set].name, fields[set]);
}

static bool is_in_list(size_t set, unsigned int number)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (set_of(entries[i].set) == set && entries[i].number == number)
			return true;
	}
	return false;
}

static void test_others(size_t set)
{
	const struct exit_reasons *reasons = reasons_of_set(set);
	bool good = true;
	size_t i;

	for (i = 0; i < reasons->reasons; i++) {
		unsigned int number = reasons->reason[i].number;

		if (i && number <= reasons->reason[i - 1].number)
			good = false;
		if (!is_in_list(set, number) && number < first_of_later_kernels[set].number)
			good = false;
		if (!good)
			printf("# %u, %s\n", number, reasons->reason[i].name);
	}
	tap_ok(good, "%s: numbers are unique, and those not in the headers are of later kernels",
	       sets[set].name);
}

/* ---- filters of perf events ---- */

/* An index in sets[]. chosen_reasons() uses it, because a callback has no argument for it. */
static size_t chosen;

static const struct exit_reasons *chosen_reasons(const char *event)
{
	return exit_reasons_for(event, sets[chosen].machine, sets[chosen].svm);
}

static bool make_file(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	return file && fputs(text, file) >= 0 && !fclose(file);
}

static bool make_tracefs(const char *dir, size_t set)
{
	char path[PATH_MAX / 2], format[256];

	snprintf(path, sizeof(path), "%s/%s", dir, sets[set].event);
	mkdir(path, 0700);
	snprintf(format, sizeof(format),
		 "name: %s\nformat:\n\tfield:unsigned int %s;\toffset:8;\tsize:4;\tsigned:0;\n",
		 sets[set].event, fields[set]);
	return make_file(path, "id", "77\n") && make_file(path, "format", format);
}

static void remove_tracefs(const char *dir, size_t set)
{
	static const char *const names[] = { "/id", "/format", "" };
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", dir, sets[set].event, names[i]);
		remove(path);
	}
}

static bool counts(const struct tracepoints *list, size_t set, const struct entry *entry)
{
	char name[80], filter[200];
	size_t i;

	snprintf(name, sizeof(name), "%s(%s)", sets[set].event, our_name(entry));
	snprintf(filter, sizeof(filter), "%s==%u", fields[set], entry->number);
	for (i = 0; i < list->count; i++) {
		if (!strcmp(list->tracepoint[i].name, name))
			return list->tracepoint[i].counter.id == 77 &&
			       !strcmp(list->tracepoint[i].counter.filter, filter);
	}
	printf("# %s is missing\n", name);
	return false;
}

static void test_filters(const char *dir, size_t set)
{
	struct tracepoints list;
	bool good = true;
	size_t i;

	chosen = set;
	if (!tap_ok(make_tracefs(dir, set) && !tracepoints_list(&list, dir, chosen_reasons),
		    "%s: the tracepoint is found in tracefs", sets[set].name))
		return;
	for (i = 0; i < count; i++) {
		if (set_of(entries[i].set) == set)
			good &= counts(&list, set, &entries[i]);
	}
	tap_ok(good, "%s: the tracepoint is split by all exit reasons", sets[set].name);
	tracepoints_free(&list);
}

int main(void)
{
	char dir[] = "/tmp/exit_reason_test.XXXXXX";
	size_t i;

	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	if (!tap_ok(read_list(TEST_DATA "/exit_reasons.list"), "exit_reasons.list is read"))
		return tap_end();
	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		test_headers(i);
		test_others(i);
		test_filters(dir, i);
		remove_tracefs(dir, i);
	}
	rmdir(dir);
	return tap_end();
}
