// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Schemas of statistics whose values do not come from a statistics fd. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "copy_struct.h"
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

/* Stores descriptor @i of an array in @desc. Its elements have @size bytes. */
static int get_desc(struct kvmstats_desc *desc, const void *array, size_t i, size_t size)
{
	int err = kvmstats_copy_struct(desc, sizeof(*desc),
				       SIZE_UP_TO(struct kvmstats_desc, bucket_size),
				       (const char *)array + i * size, size);

	return err ? err : check_desc(desc);
}

/* Allocates a schema without statistics, with space for @count of them. */
static struct kvmstats_schema *new_schema(size_t count, size_t names)
{
	struct kvmstats_schema *schema = calloc(1, sizeof(*schema));

	if (!schema)
		return NULL;
	/* One byte and one element more, so that an empty schema does not allocate 0 bytes. */
	schema->desc = malloc(names + 1);
	schema->stat = calloc(count + 1, sizeof(*schema->stat));
	if (schema->desc && schema->stat)
		return schema;
	kvmstats_schema_free(schema);
	return NULL;
}

int kvmstats_schema_make(struct kvmstats_schema **schema, const struct kvmstats_desc *array,
			 size_t count, size_t desc_size)
{
	struct kvmstats_desc desc;
	uint64_t values = 0;
	size_t names = 0;
	char *name;
	size_t i;
	int err;

	*schema = NULL;
	if (count > UINT16_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		err = get_desc(&desc, array, i, desc_size);
		if (err)
			return err;
		names += strlen(desc.name) + 1;
		values += desc.size;
	}
	if (values * sizeof(uint64_t) > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;

	*schema = new_schema(count, names);
	if (!*schema)
		return -ENOMEM;
	name = (*schema)->desc;
	for (i = 0; i < count; i++) {
		get_desc(&desc, array, i, desc_size);
		add_stat(*schema, &desc, &name);
	}
	return 0;
}
