// SPDX-License-Identifier: GPL-2.0-only
#include <sys/ioctl.h>

#include "vcpu/stats.h"

bool read_stats(int owner, struct stats_file *stats)
{
	int fd = ioctl(owner, KVM_GET_STATS_FD, NULL);
	const char *message;

	if (fd < 0)
		return fail("KVM_GET_STATS_FD: %s", strerror(errno));
	stats_file_free(stats);
	message = stats_file_load(stats, fd);
	close(fd);
	return !message || fail("%s", message);
}

const struct kvm_stats_desc *find_desc(const struct stats_file *stats, const char *name)
{
	const struct kvm_stats_desc *desc = stats_file_find(stats, name);

	if (!desc)
		fail("there is no statistic '%s'", name);
	return desc;
}

uint64_t value_at(const struct stats_file *stats, const struct kvm_stats_desc *desc, unsigned int n)
{
	uint64_t value;

	memcpy(&value, stats->bytes + stats->header.data_offset + desc->offset +
	       n * sizeof(value), sizeof(value));
	return value;
}

bool value_of(const struct stats_file *stats, const char *name, uint64_t *value)
{
	const struct kvm_stats_desc *desc = find_desc(stats, name);

	if (desc)
		*value = value_at(stats, desc, 0);
	return desc;
}

bool change_of(const struct outcome *outcome, const char *name, uint64_t *by)
{
	uint64_t before, after;

	if (!value_of(&outcome->before, name, &before) ||
	    !value_of(&outcome->after, name, &after))
		return false;
	*by = after - before;
	return true;
}

uint64_t counted(const struct outcome *outcome, const char *name)
{
	const struct kvm_stats_desc *desc = find_desc(&outcome->after, name);
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; desc && i < desc->size; i++)
		sum += value_at(&outcome->after, desc, i) - value_at(&outcome->before, desc, i);
	return sum;
}
