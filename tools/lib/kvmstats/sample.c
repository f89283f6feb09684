// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Samples: the values of a schema at one time, and their growth. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Returns the memory that follows a sample, if kvmstats_sample_new() made it. */
static uint64_t *own_values(struct kvmstats_sample *sample)
{
	return (uint64_t *)(sample + 1);
}

int kvmstats_sample_new(struct kvmstats_sample **sample, const struct kvmstats_schema *schema)
{
	*sample = calloc(1, sizeof(**sample) + schema->data_size);
	if (!*sample)
		return -ENOMEM;
	(*sample)->schema = schema;
	(*sample)->data = own_values(*sample);
	return 0;
}

void kvmstats_sample_free(struct kvmstats_sample *sample)
{
	free(sample);
}

int kvmstats_sample_read(struct kvmstats_sample *sample, int fd)
{
	const struct kvmstats_schema *schema = sample->schema;
	int err;

	sample->time = 0;
	err = kvmstats_pread_all(fd, own_values(sample), schema->data_size,
				 schema->header.data_offset);
	if (err)
		return err;
	sample->time = clock_now();
	return 0;
}

int kvmstats_sample_set(struct kvmstats_sample *sample, const uint64_t *values, size_t count,
			uint64_t time)
{
	if (count * sizeof(*values) != sample->schema->data_size || !time)
		return -EINVAL;
	memcpy(own_values(sample), values, count * sizeof(*values));
	sample->time = time;
	return 0;
}

uint64_t kvmstats_sample_time(const struct kvmstats_sample *sample)
{
	return sample->time;
}

int kvmstats_sample_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat,
			  unsigned int n, uint64_t *value)
{
	if (stat->schema != sample->schema)
		return -EINVAL;
	if (n >= stat->size)
		return -ERANGE;
	if (!sample->time)
		return -ENODATA;
	*value = sample->data[stat->offset / sizeof(uint64_t) + n];
	return 0;
}

const uint64_t *kvmstats_sample_values(const struct kvmstats_sample *sample,
				       const struct kvmstats_stat *stat)
{
	if (stat->schema != sample->schema || !sample->time)
		return NULL;
	return &sample->data[stat->offset / sizeof(uint64_t)];
}

static bool has_delta(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

int kvmstats_delta(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		   const struct kvmstats_stat *stat, unsigned int n, uint64_t *delta)
{
	uint64_t before, after;
	int err;

	if (!has_delta(stat))
		return -EINVAL;
	err = kvmstats_sample_value(from, stat, n, &before);
	if (!err)
		err = kvmstats_sample_value(to, stat, n, &after);
	if (err)
		return err;
	if (after < before)
		return -ESTALE;
	*delta = after - before;
	return 0;
}

int kvmstats_rate(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		  const struct kvmstats_stat *stat, unsigned int n, double *per_second)
{
	uint64_t delta;
	int err;

	err = kvmstats_delta(from, to, stat, n, &delta);
	if (err)
		return err;
	if (to->time <= from->time)
		return -EAGAIN;
	*per_second = (double)delta * 1e9 / (double)(to->time - from->time);
	return 0;
}
