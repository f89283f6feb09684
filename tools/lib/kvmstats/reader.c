// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <stdlib.h>
#include <unistd.h>

#include "reader.h"

struct kvmstats_reader *kvmstats_reader_new(const struct kvmstats_target *target)
{
	struct kvmstats_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->kind = kvmstats_target_kind(target);
	reader->vcpu = kvmstats_target_vcpu(target);
	reader->number = kvmstats_target_number(target);
	reader->vmm_fd = kvmstats_target_fd(target);
	reader->fd = -1;
	kvmstats_reader_follow(reader, target);
	return reader;
}

void kvmstats_reader_follow(struct kvmstats_reader *reader, const struct kvmstats_target *target)
{
	reader->target = target;
}

static void close_fd(struct kvmstats_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

static void free_samples(struct kvmstats_reader *reader)
{
	kvmstats_sample_free(reader->now);
	kvmstats_sample_free(reader->before);
	reader->now = NULL;
	reader->before = NULL;
	reader->schema = NULL;
}

void kvmstats_reader_free(struct kvmstats_reader *reader)
{
	close_fd(reader);
	free_samples(reader);
	free(reader);
}

bool kvmstats_reader_is_of(const struct kvmstats_reader *reader,
			   const struct kvmstats_target *target)
{
	return reader->kind == kvmstats_target_kind(target) &&
	       reader->vcpu == kvmstats_target_vcpu(target) &&
	       reader->number == kvmstats_target_number(target) &&
	       reader->vmm_fd == kvmstats_target_fd(target);
}

bool kvmstats_reader_is_open(const struct kvmstats_reader *reader)
{
	return reader->schema;
}

void kvmstats_reader_fail(struct kvmstats_reader *reader, int err)
{
	close_fd(reader);
	free_samples(reader);
	reader->err = err;
}

static int new_samples(struct kvmstats_reader *reader)
{
	int err = kvmstats_sample_new(&reader->now, reader->schema);

	return err ? err : kvmstats_sample_new(&reader->before, reader->schema);
}

/*
 * Prepares to read reader->fd, which has just been opened. Keeps the samples if it has the same
 * schema as before: VMs of one machine can have different statistics. Returns 0 or -errno.
 */
static int start(struct kvmstats_reader *reader, struct kvmstats_schemas *schemas)
{
	int err;

	if (reader->schema && kvmstats_schema_same(reader->schema, reader->fd) == 1)
		return 0;
	free_samples(reader);
	err = kvmstats_schemas_find(schemas, reader->fd, false, &reader->schema);
	return err ? err : new_samples(reader);
}

/* The statistics are in the file of the VM, which is open already. */
static void start_record(struct kvmstats_reader *reader)
{
	const struct kvmstats_schema *schema = kvmstats_target_schema(reader->target);

	close_fd(reader);
	reader->origin = kvmstats_target_origin(reader->target);
	reader->err = kvmstats_target_error(reader->target);
	if (!reader->err && reader->schema != schema) {
		free_samples(reader);
		reader->schema = schema;
		reader->err = new_samples(reader);
	}
	if (reader->err)
		kvmstats_reader_fail(reader, reader->err);
}

void kvmstats_reader_open(struct kvmstats_reader *reader, struct kvmstats_schemas *schemas)
{
	enum kvmstats_origin origin;
	int fd;

	if (kvmstats_target_in_file(reader->target)) {
		start_record(reader);
		return;
	}
	fd = kvmstats_target_open(reader->target, &origin);
	if (fd < 0) {
		if (reader->fd < 0)
			reader->err = fd;
		return;
	}
	close_fd(reader);
	reader->fd = fd;
	reader->origin = origin;
	reader->err = start(reader, schemas);
	if (reader->err)
		kvmstats_reader_fail(reader, reader->err);
}

int kvmstats_reader_sample(struct kvmstats_reader *reader)
{
	struct kvmstats_sample *oldest;
	int err;

	if (reader->err)
		return reader->err;
	oldest = reader->before;
	reader->before = reader->now;
	reader->now = oldest;
	err = reader->fd < 0 ? kvmstats_target_sample(reader->target, reader->now) :
			       kvmstats_sample_read(reader->now, reader->fd);
	if (err)
		kvmstats_reader_fail(reader, err);
	return err;
}

/* ---- for users of the library ---- */

const struct kvmstats_target *kvmstats_reader_target(const struct kvmstats_reader *reader)
{
	return reader->target;
}

int kvmstats_reader_error(const struct kvmstats_reader *reader)
{
	return reader->err;
}

enum kvmstats_origin kvmstats_reader_origin(const struct kvmstats_reader *reader)
{
	return reader->origin;
}

const struct kvmstats_schema *kvmstats_reader_schema(const struct kvmstats_reader *reader)
{
	return reader->schema;
}

const struct kvmstats_sample *kvmstats_reader_now(const struct kvmstats_reader *reader)
{
	return reader->now;
}

const struct kvmstats_sample *kvmstats_reader_before(const struct kvmstats_reader *reader)
{
	return reader->before;
}
