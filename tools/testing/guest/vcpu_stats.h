/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a vCPU, found by name. The file is read with the structures
 * that the build machine's <linux/kvm.h> has.
 */
#ifndef BOOT_TESTS_VCPU_STATS_H
#define BOOT_TESTS_VCPU_STATS_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/kvm.h>

struct stats {
	union {
		struct kvm_stats_header header;
		uint8_t bytes[65536];
	};
	size_t size;
};

/* What is wrong, of the last complain(). */
static char why[256];

static inline bool complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return false;
}

static inline bool read_stats(int vcpu, struct stats *stats)
{
	int fd = ioctl(vcpu, KVM_GET_STATS_FD, NULL);
	ssize_t got;

	if (fd < 0)
		return complain("KVM_GET_STATS_FD: %s", strerror(errno));
	got = read(fd, stats->bytes, sizeof(stats->bytes));
	close(fd);
	if (got < (ssize_t)sizeof(stats->header))
		return complain("a read of the statistics gives %zd", got);
	stats->size = got;
	return true;
}

static inline const struct kvm_stats_desc *find_desc(const struct stats *stats, const char *name)
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
	complain("there is no statistic '%s'", name);
	return NULL;
}

/* Value @n of a statistic, 0 of those that have one. */
static inline uint64_t value_at(const struct stats *stats, const struct kvm_stats_desc *desc,
				unsigned int n)
{
	uint64_t value;

	memcpy(&value, stats->bytes + stats->header.data_offset + desc->offset +
		       n * sizeof(value), sizeof(value));
	return value;
}

static inline bool value_of(const struct stats *stats, const char *name, uint64_t *value)
{
	const struct kvm_stats_desc *desc = find_desc(stats, name);

	if (desc)
		*value = value_at(stats, desc, 0);
	return desc;
}

/* The statistics before and after something. */
struct outcome {
	struct stats before;
	struct stats after;
};

static inline bool moved_by(const struct outcome *outcome, const char *name, uint64_t *by)
{
	uint64_t before, after;

	if (!value_of(&outcome->before, name, &before) ||
	    !value_of(&outcome->after, name, &after))
		return false;
	*by = after - before;
	return true;
}

#endif /* BOOT_TESTS_VCPU_STATS_H */
