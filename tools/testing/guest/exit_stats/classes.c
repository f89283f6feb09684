// SPDX-License-Identifier: GPL-2.0-only
/* The classes of exits, which the file names exit_CLASS and exit_CLASS_ns, and sums of them. */
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

bool expect_growth(const struct outcome *outcome, const char *name, uint64_t expected)
{
	uint64_t by;

	return change_of(outcome, name, &by) &&
	       (by == expected || fail("%s grew by %llu, expected %llu", name,
				       (unsigned long long)by, (unsigned long long)expected));
}

bool sums_agree(const struct outcome *outcome)
{
	uint64_t exits;

	return change_of(outcome, "exits", &exits) &&
	       (exits == classes_count(outcome) ||
		fail("exits grew by %llu, all classes by %llu", (unsigned long long)exits,
		     (unsigned long long)classes_count(outcome)));
}
