/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load a file of KVM statistics, find its parts, and check its layout.
 *
 * This file needs only libc and the uapi header, so that programs outside the
 * KVM selftests can use it.
 */
#ifndef SELFTEST_KVM_STATS_FILE_H
#define SELFTEST_KVM_STATS_FILE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kvm_stats.h>

/*
 * The result of a check of KVM statistics: NULL if the check passed, otherwise
 * a message.  stats_fail() returns the message of a check that failed,
 * stats_skip() that of a check that cannot run on this host.
 *
 * A message is valid until the next call of either function.  Its text may be
 * passed as an argument to that call.
 */

#ifndef __printf
#define __printf(fmt, args)	__attribute__((__format__(__printf__, fmt, args)))
#endif

#define STATS_MESSAGE_SIZE	512
#define STATS_SKIP_PREFIX	"SKIP "

__printf(1, 2) const char *stats_fail(const char *fmt, ...);
__printf(1, 2) const char *stats_skip(const char *fmt, ...);

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif

#define STATS_HEADER_SIZE	24
#define STATS_NAME_SIZE		48
#define STATS_DESC_SIZE		(16 + STATS_NAME_SIZE)
#define STATS_DESC_OFFSET	(STATS_HEADER_SIZE + STATS_NAME_SIZE)

struct stats_file {
	uint8_t *bytes;
	size_t size;
	struct kvm_stats_header header;
};

const char *stats_file_load(struct stats_file *file, int fd);
void stats_file_free(struct stats_file *file);

/* Returns NULL if the file has no descriptor with the index @i. */
const struct kvm_stats_desc *stats_file_desc(const struct stats_file *file,
					     uint32_t i);

/* Returns NULL if the file has no statistic of this name. */
const struct kvm_stats_desc *stats_file_find(const struct stats_file *file,
					     const char *name);

/* Reads the current first value of the statistic @name from @fd. */
const char *stats_read_value(int fd, const struct stats_file *file,
			     const char *name, uint64_t *value);

/* Is the text non-empty, and followed only by NULs, of which there are some? */
bool stats_text_is_padded(const char *text, size_t size);

/*
 * Check the layout of a file of KVM statistics: header, id and descriptors.
 */

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

#endif /* SELFTEST_KVM_STATS_FILE_H */
