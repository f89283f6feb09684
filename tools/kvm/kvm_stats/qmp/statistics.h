/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts QEMU's answers to the schemas and values of libkvmstats. */
#ifndef QMP_STATISTICS_H
#define QMP_STATISTICS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "kvmstats.h"

/* A vCPU in the answer to query-cpus-fast. The path belongs to the answer. */
struct qmp_vcpu {
	int index;
	const char *path;	/* in QEMU's object tree */
};

/*
 * Lists the vCPUs in the order of their indexes. The caller frees the array. Returns 0, -EPROTO or
 * -ENOMEM.
 */
int qmp_list_vcpus(const json_t *cpus, struct qmp_vcpu **vcpu, size_t *count);

/*
 * Returns the statistics in an answer to query-stats: those of the vCPU @path, or of the VM if
 * @path is NULL. Returns NULL if the answer does not have them. @hint is where the search starts,
 * and is set to the place found.
 */
const json_t *qmp_find_stats(const json_t *answer, const char *path, size_t *hint);

/*
 * Makes the schema of @stats from the answer to query-stats-schemas. @target is "vm" or "vcpu".
 * Leaves out statistics of unknown types and units, and those that @stats does not have. Returns
 * 0 or -errno. -ENODATA: there are no statistics. -EPROTO: the answer is not as QMP defines it.
 */
int qmp_make_schema(const json_t *schemas, const char *target, const json_t *stats,
		    struct kvmstats_schema **schema);

/*
 * Copies the values of all statistics of @schema to @values, in the order of their offsets. Returns
 * 0, or -EPROTO if a statistic is missing or has another number of values.
 */
int qmp_copy_values(const struct kvmstats_schema *schema, const json_t *stats, uint64_t *values);

#endif /* QMP_STATISTICS_H */
