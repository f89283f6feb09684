// SPDX-License-Identifier: GPL-2.0-only
/*
 * The values of the exit statistics: of each class, which the file names exit_CLASS and
 * exit_CLASS_ns, and sums of them.
 */
#include "exit_stats/checks.h"

static bool ends_in_ns(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, "_ns");
}

static uint64_t sum(const struct outcome *outcome, bool of_times)
{
	const struct kvm_stats_header *header = &outcome->after.header;
	size_t at = header->desc_offset;
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; i < header->num_desc; i++, at += sizeof(struct kvm_stats_desc) +
						     header->name_size) {
		const struct kvm_stats_desc *desc = (const void *)(outcome->after.bytes + at);

		if (strncmp(desc->name, "exit_", 5) || desc->size != 1 ||
		    ends_in_ns(desc->name) != of_times)
			continue;
		total += value_at(&outcome->after, desc, 0) - value_at(&outcome->before, desc, 0);
	}
	return total;
}

uint64_t classes_count(const struct outcome *outcome)
{
	return sum(outcome, false);
}

uint64_t classes_ns(const struct outcome *outcome)
{
	return sum(outcome, true);
}

uint64_t times_ns(const struct outcome *outcome)
{
	static const char * const names[] = {
		"guest_ns", "userspace_ns", "halted_ns", "run_delay_ns",
	};
	uint64_t total = classes_ns(outcome), by;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (change_of(outcome, names[i], &by))
			total += by;
	}
	return total;
}

bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected)
{
	uint64_t by;

	return change_of(outcome, name, &by) &&
	       (by == expected || fail("%s grew by %llu, expected %llu", name,
				       (unsigned long long)by, (unsigned long long)expected));
}

bool expect_time(const struct outcome *outcome, const char *class)
{
	char name[64];
	uint64_t by;

	snprintf(name, sizeof(name), "%s_ns", class);
	return change_of(outcome, name, &by) && (by || fail("%s did not grow", name));
}

bool sums_agree(const struct outcome *outcome)
{
	uint64_t exits;

	return change_of(outcome, "exits", &exits) &&
	       (exits == classes_count(outcome) ||
		fail("exits grew by %llu, all classes by %llu", (unsigned long long)exits,
		     (unsigned long long)classes_count(outcome)));
}

/* Return the values of the exit statistics, which are the last ones of the file. */
static const uint8_t *exit_values(const struct stats *stats, size_t *size)
{
	const struct kvm_stats_desc *first = find_desc(stats, "exit_other");
	size_t start = stats->header.data_offset + (first ? first->offset : 0);

	*size = stats->size - start;
	return stats->bytes + start;
}

bool are_zero(const struct stats *stats)
{
	const uint8_t *values;
	size_t size;

	for (values = exit_values(stats, &size); size; values++, size--) {
		if (*values)
			return fail("a value is not 0");
	}
	return true;
}

bool are_unchanged(const struct outcome *outcome)
{
	const uint8_t *before, *after;
	size_t size;

	before = exit_values(&outcome->before, &size);
	after = exit_values(&outcome->after, &size);
	return !memcmp(before, after, size) || fail("a value has changed");
}
