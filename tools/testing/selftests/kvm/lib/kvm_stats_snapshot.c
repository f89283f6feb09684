// SPDX-License-Identifier: GPL-2.0-only
#include "kvm_stats_snapshot.h"

struct stats_snapshot stats_now(const struct stats_guest *guest)
{
	struct stats_snapshot now;
	const char *message;

	message = stats_file_load(&now.vm, guest->vm_stats);
	if (!message)
		message = stats_file_load(&now.vcpu, guest->vcpu_stats);
	TEST_ASSERT(!message, "%s", message);
	return now;
}

void stats_snapshot_free(struct stats_snapshot *snapshot)
{
	stats_file_free(&snapshot->vm);
	stats_file_free(&snapshot->vcpu);
}

/* No statistic of a VM has the name of a statistic of a vCPU. */
const uint64_t *stats_values(const struct stats_snapshot *snapshot,
			     const char *name, unsigned int *num)
{
	const struct stats_file *file = &snapshot->vm;
	const struct kvm_stats_desc *desc = stats_file_find(file, name);

	if (!desc) {
		file = &snapshot->vcpu;
		desc = stats_file_find(file, name);
	}
	TEST_ASSERT(desc, "neither the VM nor the vCPU has a statistic '%s'",
		    name);
	*num = desc->size;
	return (const void *)(file->bytes + file->header.data_offset +
			      desc->offset);
}

uint64_t stats_sum(const struct stats_snapshot *snapshot, const char *name)
{
	const uint64_t *values;
	unsigned int i, num;
	uint64_t sum = 0;

	values = stats_values(snapshot, name, &num);
	for (i = 0; i < num; i++)
		sum += values[i];
	return sum;
}

int64_t stats_changed(const struct stats_snapshot *before,
		      const struct stats_snapshot *after, const char *name)
{
	return stats_sum(after, name) - stats_sum(before, name);
}

const char *stats_check_value(const struct stats_snapshot *now,
			      const char *name, uint64_t expected)
{
	uint64_t value = stats_sum(now, name);

	return value == expected ? NULL :
	       stats_fail("'%s' is %lu, expected %lu", name, value, expected);
}

const char *stats_check_changes(const struct stats_snapshot *before,
				const struct stats_snapshot *after,
				const struct stats_change *changes, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++) {
		int64_t by = stats_changed(before, after, changes[i].name);

		if (by != changes[i].by)
			return stats_fail("'%s' changed by %ld, expected %ld",
					  changes[i].name, by, changes[i].by);
	}
	return NULL;
}
