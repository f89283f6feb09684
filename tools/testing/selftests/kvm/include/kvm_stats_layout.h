/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Check the layout of a file of KVM statistics: header, id and descriptors.
 */
#ifndef SELFTEST_KVM_STATS_LAYOUT_H
#define SELFTEST_KVM_STATS_LAYOUT_H

#include "kvm_stats_file.h"

/* The descriptor that a statistic must have. */
struct stats_expectation {
	const char *name;
	uint32_t flags;
	int16_t exponent;
	uint16_t size;
};

#define STATS_EXPECT(name, type, unit, exponent, size)			\
	{ name, KVM_STATS_TYPE_##type | KVM_STATS_UNIT_##unit |		\
		KVM_STATS_BASE_POW10, exponent, size }

const char *stats_check_header(const struct stats_file *file);
const char *stats_check_id(const struct stats_file *file, const char *expected);
const char *stats_check_desc_flags(const struct stats_file *file);
const char *stats_check_desc_sizes(const struct stats_file *file);
const char *stats_check_desc_names(const struct stats_file *file);
const char *stats_check_desc_offsets(const struct stats_file *file);

/* The file may have statistics that are not in @expect. */
const char *stats_check_expectations(const struct stats_file *file,
				     const struct stats_expectation *expect,
				     size_t num);

#endif /* SELFTEST_KVM_STATS_LAYOUT_H */
