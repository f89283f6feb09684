// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vcpu/stats.h"

bool read_stats(int vcpu, struct stats *stats)
{
	int fd = ioctl(vcpu, KVM_GET_STATS_FD, NULL);
	ssize_t got;

	if (fd < 0)
		return fail("KVM_GET_STATS_FD: %s", strerror(errno));
	got = read(fd, stats->bytes, sizeof(stats->bytes));
	close(fd);
	if (got < (ssize_t)sizeof(stats->header))
		return fail("a read of the statistics returns %zd", got);
	stats->size = got;
	return true;
}

const struct kvm_stats_desc *find_desc(const struct stats *stats, const char *name)
{
	const struct kvm_stats_header *header = &stats->header;
	size_t at = header->desc_offset;
	uint32_t i;

	for (i = 0; i < header->num_desc; i++, at += sizeof(struct kvm_stats_desc) +
						     header->name_size) {
		const struct kvm_stats_desc *desc = (const void *)(stats->bytes + at);

		if (!strncmp(desc->name, name, header->name_size))
			return desc;
	}
	fail("there is no statistic '%s'", name);
	return NULL;
}

uint64_t value_at(const struct stats *stats, const struct kvm_stats_desc *desc, unsigned int n)
{
	uint64_t value;

	memcpy(&value, stats->bytes + stats->header.data_offset + desc->offset +
	       n * sizeof(value), sizeof(value));
	return value;
}

bool value_of(const struct stats *stats, const char *name, uint64_t *value)
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
