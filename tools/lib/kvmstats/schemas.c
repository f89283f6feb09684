// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "schemas.h"

static int add(struct kvmstats_schemas *schemas, int fd, bool records,
	       const struct kvmstats_schema **schema)
{
	struct kvmstats_schema **more = realloc(schemas->schema,
						(schemas->count + 1) * sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	schemas->schema = more;
	err = kvmstats_schema_read_part(&more[schemas->count], fd, records);
	if (!err)
		*schema = more[schemas->count++];
	return err;
}

int kvmstats_schemas_find(struct kvmstats_schemas *schemas, int fd, bool records,
			  const struct kvmstats_schema **schema)
{
	size_t i;

	for (i = 0; i < schemas->count; i++) {
		int ret;

		if (schemas->schema[i]->records != records)
			continue;
		ret = kvmstats_schema_same(schemas->schema[i], fd);
		if (ret < 0)
			return ret;
		if (ret) {
			*schema = schemas->schema[i];
			return 0;
		}
	}
	return add(schemas, fd, records, schema);
}

void kvmstats_schemas_free(struct kvmstats_schemas *schemas)
{
	while (schemas->count)
		kvmstats_schema_free(schemas->schema[--schemas->count]);
	free(schemas->schema);
}
