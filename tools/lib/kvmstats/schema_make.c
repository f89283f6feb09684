// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Schemas of statistics whose values do not come from a statistics fd. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int check_desc(const struct kvmstats_desc *desc)
{
	if (!desc->name || !*desc->name || !desc->size || desc->size > UINT16_MAX)
		return -EINVAL;
	if (desc->exponent < INT16_MIN || desc->exponent > INT16_MAX)
		return -EINVAL;
	if (!kvmstats_type_name(desc->type) || !kvmstats_unit_name(desc->unit) ||
	    !kvmstats_base_name(desc->base))
		return -EINVAL;
	return 0;
}

static uint32_t make_flags(const struct kvmstats_desc *desc)
{
	return (uint32_t)desc->type << KVM_STATS_TYPE_SHIFT |
	       (uint32_t)desc->unit << KVM_STATS_UNIT_SHIFT |
	       (uint32_t)desc->base << KVM_STATS_BASE_SHIFT;
}

static void add_stat(struct kvmstats_schema *schema, const struct kvmstats_desc *desc, char **names)
{
	struct kvmstats_stat *stat = &schema->stat[schema->header.num_desc++];

	*stat = (struct kvmstats_stat){
		.schema = schema,
		.name = strcpy(*names, desc->name),
		.flags = make_flags(desc),
		.exponent = desc->exponent,
		.size = desc->size,
		.offset = (uint32_t)schema->data_size,
		.bucket_size = desc->bucket_size,
	};
	*names += strlen(desc->name) + 1;
	schema->data_size += desc->size * sizeof(uint64_t);
}

int kvmstats_schema_make(struct kvmstats_schema **schemap, const struct kvmstats_desc *desc,
			 size_t count)
{
	struct kvmstats_schema *schema;
	uint64_t values = 0;
	size_t names = 1;	/* not 0, so that malloc() does not return NULL */
	char *name;
	size_t i;
	int err;

	*schemap = NULL;
	if (count > UINT16_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		err = check_desc(&desc[i]);
		if (err)
			return err;
		names += strlen(desc[i].name) + 1;
		values += desc[i].size;
	}
	if (values * sizeof(uint64_t) > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;

	schema = calloc(1, sizeof(*schema));
	if (!schema)
		return -ENOMEM;
	name = malloc(names);
	schema->desc = name;
	schema->stat = calloc(count + 1, sizeof(*schema->stat));
	if (!schema->desc || !schema->stat) {
		kvmstats_schema_free(schema);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++)
		add_stat(schema, &desc[i], &name);
	*schemap = schema;
	return 0;
}
