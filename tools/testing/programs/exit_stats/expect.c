// SPDX-License-Identifier: GPL-2.0-only
/* What the statistics of exits must be. Those of a class are exit_CLASS and exit_CLASS_ns. */
#define _GNU_SOURCE
#include "exit_stats/checks.h"

static bool ends_in_ns(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, "_ns");
}

static bool is_of_class(const struct kvm_stats_desc *desc, bool is_time)
{
	return !strncmp(desc->name, "exit_", 5) && desc->size == 1 &&
	       ends_in_ns(desc->name) == is_time;
}

static uint64_t sum(const struct stats_file *stats, bool of_times)
{
	const struct kvm_stats_desc *desc;
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(stats, i)); i++) {
		if (is_of_class(desc, of_times))
			total += value_at(stats, desc, 0);
	}
	return total;
}

uint64_t classes_count(const struct outcome *outcome)
{
	return sum(&outcome->after, false) - sum(&outcome->before, false);
}

uint64_t classes_ns(const struct outcome *outcome)
{
	return sum(&outcome->after, true) - sum(&outcome->before, true);
}

bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected)
{
	uint64_t by;

	return change_of(outcome, name, &by) &&
	       (by == expected || fail("%s grew by %llu, expected %llu", name,
				       (unsigned long long)by, (unsigned long long)expected));
}

/* Store by how much the time of the class has grown. */
static bool time_of(const struct outcome *outcome, const char *class, uint64_t *ns)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_ns", class);
	return change_of(outcome, name, ns);
}

bool expect_time(const struct outcome *outcome, const char *class)
{
	uint64_t ns;

	return time_of(outcome, class, &ns) && (ns || fail("%s_ns did not grow", class));
}

static bool only_exits_have_time(const struct outcome *outcome)
{
	const struct kvm_stats_desc *desc;
	uint64_t by, ns;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(&outcome->after, i)); i++) {
		if (!is_of_class(desc, false))
			continue;
		if (!change_of(outcome, desc->name, &by) || !time_of(outcome, desc->name, &ns))
			return false;
		if (!by && ns)
			return fail("%s_ns grew by %llu without an exit", desc->name,
				    (unsigned long long)ns);
	}
	return true;
}

/*
 * The histogram gets the time of an exit at the next entry, so it does not have the last exit, but
 * the one before the outcome.
 */
static bool each_exit_has_a_sample(const struct outcome *outcome)
{
	uint64_t exits, count = counted(outcome, "exit_hist");

	return change_of(outcome, "exits", &exits) &&
	       (count == exits || fail("exit_hist grew by %llu, expected %llu",
				       (unsigned long long)count, (unsigned long long)exits));
}

/* Each sample takes at least the time with which its bucket begins. */
static bool samples_are_short(const struct outcome *outcome)
{
	const struct kvm_stats_desc *hist = find_desc(&outcome->after, "exit_hist");
	uint64_t least = 0, ns = sum(&outcome->after, true);
	unsigned int i;

	for (i = 1; hist && i < hist->size; i++)
		least += value_at(&outcome->after, hist, i) << (i - 1);
	return hist &&
	       (least <= ns || fail("exit_hist has at least %llu ns, but the exits took %llu",
				    (unsigned long long)least, (unsigned long long)ns));
}

bool expect_exits(const struct outcome *outcome, const char *class, uint64_t expected)
{
	return each_exit_has_a_sample(outcome) && expect_growth(outcome, class, expected) &&
	       expect_time(outcome, class) && only_exits_have_time(outcome) &&
	       samples_are_short(outcome) && sums_agree(outcome);
}

bool sums_agree(const struct outcome *outcome)
{
	uint64_t exits;

	return change_of(outcome, "exits", &exits) &&
	       (exits == classes_count(outcome) ||
		fail("exits grew by %llu, all classes by %llu", (unsigned long long)exits,
		     (unsigned long long)classes_count(outcome)));
}
