/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * The schemas in use, each stored once. Usually there are two: one that all VMs share, and one
 * that all vCPUs share.
 */
#ifndef KVMSTATS_SCHEMAS_H
#define KVMSTATS_SCHEMAS_H

#include "internal.h"

struct kvmstats_schemas {
	struct kvmstats_schema **schema;
	size_t count;
};

/*
 * Finds or reads the schema of the statistics fd @fd or, if @records is set, that of the vCPUs in
 * the file. Returns 0 or -errno.
 */
int kvmstats_schemas_find(struct kvmstats_schemas *schemas, int fd, bool records,
			  const struct kvmstats_schema **schema);
void kvmstats_schemas_free(struct kvmstats_schemas *schemas);

#endif /* KVMSTATS_SCHEMAS_H */
